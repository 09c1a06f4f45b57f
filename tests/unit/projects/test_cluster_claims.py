"""Several Secrets that claim one name or address of a cluster: the operator's counts, and nobody takes its place."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncline.model.application import Destination
from syncline.model.cluster import IN_CLUSTER, KnownCluster, choose
from syncline.model.cluster_claims import is_home, normalized, refusal, settled
from syncline.model.errors import InvalidSpec

EAST = "https://east.example:6443"
HOME = "https://kubernetes.default.svc"


def cluster(secret: str, server: str, name: str, project: str = "") -> KnownCluster:
    return KnownCluster(server=server, name=name, project=project, secret=secret)


OPERATORS = cluster("z-east", EAST, "east")


def test_a_project_does_not_shadow_the_operators_cluster_in_any_order() -> None:
    same_address = cluster("a-east", EAST, "other", "team")
    same_name = cluster("b-east", "https://evil.example", "east", "team")
    for known in permutations((IN_CLUSTER, OPERATORS, same_address, same_name)):
        used, refused = settled(known)
        for listed in (known, used):
            assert choose(Destination(server=EAST), listed) == OPERATORS
            assert choose(Destination(name="east"), listed) == OPERATORS
        assert {one.server: one.name for one in used}["https://evil.example"] == "https://evil.example"
        assert sorted(one.secret for one in refused) == ["a-east", "b-east"]
        assert all("z-east" in one.why for one in refused)


def test_the_name_of_the_home_cluster_is_nobody_elses() -> None:
    tenant = cluster("a", "https://evil.example", "in-cluster", "team")
    renamed = cluster("home", HOME, "local")
    assert choose(Destination(name="in-cluster"), [tenant, IN_CLUSTER]) == IN_CLUSTER
    with pytest.raises(InvalidSpec, match="there are no clusters with this name: in-cluster"):
        choose(Destination(name="in-cluster"), [tenant, renamed])
    used, (refused,) = settled([tenant, renamed])
    assert [one.name for one in used] == ["https://evil.example", "local"]
    assert "the cluster with the Applications" in refused.why


def test_two_projects_that_claim_one_address_are_named_both_and_neither_counts() -> None:
    known = [cluster("a", EAST, "x", "team"), cluster("b", f"{EAST}/", "y", "other")]
    used, refused = settled([known[0], cluster("b", EAST, "y", "other")])
    assert used == ()
    assert ["Secret b of project 'other'" in refused[0].why, "Secret a of project 'team'" in refused[1].why] == [
        True
    ] * 2
    with pytest.raises(InvalidSpec, match="claimed by the Secrets a and b of several projects"):
        choose(Destination(server=EAST), [known[0], cluster("b", EAST, "y", "other")])


def test_an_unknown_destination_does_not_list_what_others_have() -> None:
    known = [OPERATORS, cluster("s", "https://secret.example", "secret-tenant", "team")]
    for wanted in (Destination(name="secret-tenan"), Destination(name="s"), Destination(server="https://x.example")):
        with pytest.raises(InvalidSpec) as caught:
            choose(wanted, known)
        assert "secret-tenant" not in str(caught.value)
        assert "secret.example" not in str(caught.value)
        assert EAST not in str(caught.value)
    with pytest.raises(InvalidSpec, match=r"\(known: east\)"):
        choose(Destination(name="eats"), known)


@pytest.mark.parametrize(
    "server",
    [
        HOME,
        f"{HOME}/",
        f"{HOME}:443",
        f"{HOME}.",
        f"{HOME}.cluster.local",
        "https://KUBERNETES.default.SVC:0443/",
        "https://kubernetes",
        "https://kubernetes.default:6443",
        "http://kubernetes.default.svc.corp.example",
    ],
)
def test_every_address_of_the_home_cluster_is_recognised(server: str) -> None:
    assert is_home(server)


@pytest.mark.parametrize(
    "server", [EAST, "https://kubernetes.example", "https://x.kubernetes.default.svc", "in-cluster"]
)
def test_other_addresses_are_not_the_home_clusters(server: str) -> None:
    assert not is_home(server)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (cluster("n", "https://x.example", "in-cluster"), "reserved"),
        (cluster("n", "https://x.example", "east", "team"), "a cluster named east exists already"),
        (cluster("n", "https://EAST.example:6443", "x", "team"), "exists already"),
        (cluster("n", f"{EAST}/", "x"), "exists already"),
        (cluster("n", "https://x.example", EAST, "team"), "may not be the address of another"),
        (cluster("n", HOME, "east"), "a cluster named east exists already"),
        (cluster("z-east", EAST, "renamed"), ""),
        (cluster("n", HOME, "in-cluster"), ""),
        (cluster("n", HOME, "in-cluster", "platform"), ""),
        (cluster("n", "https://x.example", "https://x.example", "team"), ""),
    ],
)
def test_names_and_addresses_stay_unique(wanted: KnownCluster, words: str) -> None:
    told = refusal(wanted, [IN_CLUSTER, OPERATORS])
    assert (words in told) if words else told == ""


CLUSTERS = st.builds(
    KnownCluster,
    server=st.sampled_from([HOME, EAST, "https://EAST.example:6443", "https://west.example"]),
    name=st.sampled_from(["in-cluster", "east", "west", EAST]),
    project=st.sampled_from(["", "team", "other"]),
    secret=st.sampled_from([f"secret-{number}" for number in range(9)]),
)


@given(st.lists(CLUSTERS, max_size=6, unique_by=lambda one: one.secret))
def test_what_the_operator_described_is_never_changed_by_what_projects_add(known: list[KnownCluster]) -> None:
    own = [one for one in known if not one.project]
    before = {one.server: one for one in settled(own)[0]}
    after = {one.server: one for one in settled(known)[0]}
    assert {server: after[server] for server in before} == before
    names = {one.name for one in own} | {"in-cluster"}
    taken = [one for one in after.values() if one.project and one.name in names and one.name != one.server]
    assert [one for one in taken if one.server != HOME or one.name != "in-cluster"] == []
    assert len({normalized(one.server) for one in after.values() if one.project}) == sum(
        bool(one.project) for one in after.values()
    ), "no two projects share an address"


@pytest.mark.parametrize(
    "name",
    ["IN-CLUSTER", "in-cluster ", " in-cluster", "In\u200a-cluster", "\uff49n-cluster", "East", "east ", "\teast"],
)
def test_a_cluster_of_a_project_has_no_name_that_looks_like_anothers(name: str) -> None:
    known = [IN_CLUSTER, OPERATORS]
    assert refusal(cluster("a", "https://evil.example", name, "team"), known)
    # The operator may tell clusters apart by case, as with Argo CD.
    assert refusal(cluster("a", "https://evil.example", name), known) == ""
