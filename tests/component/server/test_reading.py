"""Lists of Applications and single ones: what is shown, to whom, and in which shape."""

from __future__ import annotations

import pytest

from tests.support.web import Site, on_site


def names(answer: object) -> list[str]:
    assert isinstance(answer, dict)
    return [item["metadata"]["name"] for item in answer["items"]]


def test_a_list_has_the_shape_of_argo_cd_and_shows_each_person_what_they_may_see() -> None:
    async def story(site: Site) -> None:
        stored = await site.bed.app("shop")
        admin = await site.as_("admin")
        found = (await admin.get("/api/v1/applications")).json
        assert (found["kind"], names(found)) == ("ApplicationList", ["shop", "vault"])
        # What Argo CD's type always has is there though nobody wrote it.
        empty = {
            "health": {},
            "sourceHydrator": {},
            "summary": {},
            "sync": {"status": "", "comparedTo": {"destination": {}, "source": {"repoURL": ""}}},
        }
        assert found["items"][0] == {**stored, "status": empty}
        assert names((await (await site.as_("ann")).get("/api/v1/applications")).json) == ["shop"]
        assert names((await (await site.as_("ben")).get("/api/v1/applications")).json) == ["shop", "vault"]
        assert names((await (await site.as_("eve")).get("/api/v1/applications")).json) == []
        assert (await site.nobody.get("/api/v1/applications")).status == 401

    on_site(story)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("projects=team", ["shop"]),
        ("project=other&project=team", ["shop", "vault"]),
        ("name=vault", ["vault"]),
        ("selector=tier%3Dshop", ["shop"]),
        ("selector=tier%21%3Dshop", ["vault"]),
        ("search=VAUL", ["vault"]),
        ("search=nothing", []),
        ("sort=-name", ["vault", "shop"]),
        ("limit=1", ["shop"]),
        ("limit=1&offset=1", ["vault"]),
        ("offset=7", []),
        ("health=Unknown", ["shop", "vault"]),
        ("health=Healthy", []),
        ("sync=Unknown&health=Degraded", []),
        ("repo=https://git.example/repo.git", ["shop", "vault"]),
        ("repo=https://git.example/other.git", []),
        ("cluster=in-cluster", ["shop", "vault"]),
        ("appNamespace=elsewhere", []),
    ],
)
def test_a_list_is_filtered_sorted_and_cut(query: str, expected: list[str], whole: Whole) -> None:
    assert names(whole.answers[query]) == expected


class Whole:
    """Answers to all queries of the table, asked once on one server."""

    def __init__(self) -> None:
        self.answers: dict[str, object] = {}


@pytest.fixture(scope="module")
def whole() -> Whole:
    found = Whole()
    table = test_a_list_is_filtered_sorted_and_cut.pytestmark[0].args[1]  # type: ignore[attr-defined]

    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        for query, _expected in table:
            found.answers[query] = (await admin.get(f"/api/v1/applications?{query}")).json

    on_site(story)
    return found


def test_fields_are_chosen_counts_are_told_and_nonsense_is_named() -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        only = (await admin.get("/api/v1/applications?fields=items.metadata.name,items.spec.project&limit=1")).json
        assert only["items"] == [{"metadata": {"name": "shop"}, "spec": {"project": "team"}}]
        assert only["metadata"]["remainingItemCount"] == 1
        without = (await admin.get("/api/v1/applications?fields=-items.spec,items.metadata.managedFields")).json
        assert "spec" not in without["items"][0]
        assert "managedFields" not in without["items"][0]["metadata"]
        assert without["items"][0]["metadata"]["name"] == "shop"
        counted = await admin.get("/api/v1/applications?limit=1")
        assert counted.headers["x-total-count"] == "2"
        for query in ("limit=x", "limit=-1", "sort=colour", "selector=a%20b%20c"):
            refused = await admin.get(f"/api/v1/applications?{query}")
            assert (refused.status, refused.json["code"]) == (400, 3), query

    on_site(story)


def test_who_may_not_see_an_application_learns_nothing_about_it() -> None:
    async def story(site: Site) -> None:
        ann, admin = await site.as_("ann"), await site.as_("admin")
        there, absent = await ann.get("/api/v1/applications/vault"), await ann.get("/api/v1/applications/nothing")
        assert there.status == absent.status == 403
        assert there.body == absent.body
        assert there.headers == absent.headers
        by_project = await ann.get("/api/v1/applications/vault?project=team")
        assert by_project.json["code"] == 5, "in a project of one's own one may know what is not there"
        assert (await ann.get("/api/v1/applications/shop")).status == 200
        missing = await admin.get("/api/v1/applications/nothing")
        assert (missing.status, missing.json["code"]) == (404, 5)
        assert missing.json["error"] == missing.json["message"]

    on_site(story)


def test_an_application_elsewhere_is_seen_only_where_settings_and_project_permit_it() -> None:
    async def story(site: Site) -> None:
        await site.bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "stray"}})
        stray = await site.bed.app("shop")
        made = {**stray, "metadata": {"name": "stray", "namespace": "stray"}}
        await site.bed.apply(made)
        await site.settle()
        admin = await site.as_("admin")
        assert (await admin.get("/api/v1/applications/stray?appNamespace=stray")).status == 404
        assert names((await admin.get("/api/v1/applications")).json) == ["shop", "vault"]

    on_site(story)


def test_an_unknown_path_and_a_wrong_method_are_answered_in_the_same_shape() -> None:
    async def story(site: Site) -> None:
        missing = await site.nobody.get("/api/v1/nothing")
        assert (missing.status, missing.json["code"]) == (404, 5)
        wrong = await site.nobody.ask("PATCH", "/api/v1/session", {})
        assert (wrong.status, wrong.json["code"]) == (405, 3)
        for answer in (missing, wrong):
            assert answer.headers["x-content-type-options"] == "nosniff"

    on_site(story)
