"""Items 5, 7, 8, 10, 11, 14 and 15: what one team says never shows or changes what belongs to another."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.hostile import oracle
from tests.hostile.client import part
from tests.hostile.delivering import at_rest
from tests.hostile.installation import (
    API,
    HOME,
    IN_CLUSTER,
    Installation,
    application,
    config,
    config_map,
    repository_secret,
)

Json = dict[str, Any]
STUBS: dict[str, Json] = {
    "secret": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "payments", "namespace": "vault"}},
    "config": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "payments", "namespace": "vault"}},
    "settings": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-cm", "namespace": HOME}},
    "keys": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "argocd-secret", "namespace": HOME}},
    "app": {"apiVersion": API, "kind": "Application", "metadata": {"name": "neighbour", "namespace": HOME}},
}


@pytest.fixture(scope="module")
def stubs(installation: Installation) -> Json:
    """An Application of team-a whose folder has stubs with the names of foreign objects."""
    namespace = installation.target("team-a-stubs")
    files: dict[str, str | None] = {f"stubs/{name}.json": json.dumps(obj) for name, obj in STUBS.items()}
    installation.repository("team-a/stubs").commit(files)
    installation.apply(repository_secret("team-a-stubs", installation.url("team-a/stubs"), project="team-a"))
    installation.create(application("stubs", "team-a", installation.url("team-a/stubs"), "stubs", namespace))
    return at_rest(installation, ["stubs"])["stubs"]


@pytest.mark.parametrize("path", [*oracle.APP_PATHS, "/diff?serverSide=true", "/diff?blame=true"])
def test_stub_does_not_show_the_live_object_of_another(installation: Installation, stubs: Json, path: str) -> None:
    answer = installation.as_("alice").send("GET", f"/api/v1/applications/stubs{path}")
    assert answer.status < 500, answer.text[:300]
    oracle.no_canary(installation, answer.text, path)
    assert "accounts.victim" not in answer.text, "the settings of the installation are shown"
    assert "team-b-main" not in answer.text, "the neighbour's Application is shown"


@pytest.mark.parametrize("name", STUBS)
def test_single_reads_of_a_stub_are_refused(installation: Installation, stubs: Json, name: str) -> None:
    """resource, events, logs, actions and patches of an object outside the project's destinations."""
    stub = STUBS[name]
    group, _, version = stub["apiVersion"].rpartition("/")
    about = stub["metadata"]
    query = {
        "namespace": about["namespace"],
        "resourceName": about["name"],
        "group": group,
        "version": version,
        "kind": stub["kind"],
    }
    alice = installation.as_("alice")
    before = installation.read(stub["kind"], about["name"], about["namespace"])
    for verb, path, body in (
        ("GET", "/resource", None),
        ("GET", "/resource/actions", None),
        ("GET", "/resource/links", None),
        ("POST", "/resource", '{"metadata": {"labels": {"evil": "yes"}}}'),
        ("DELETE", "/resource", None),
    ):
        more = {"patchType": "application/merge-patch+json"} if verb == "POST" else {}
        answer = alice.send(verb, f"/api/v1/applications/stubs{path}", body, query={**query, **more})
        oracle.no_canary(installation, answer.text, f"{verb} {path}")
        assert answer.status in (400, 403, 404) or "manifest" not in answer.text, f"{verb} {path}: {answer.text[:300]}"
    events = {
        "resourceNamespace": about["namespace"],
        "resourceName": about["name"],
        "resourceUID": (before or {})["metadata"]["uid"],
    }
    answer = alice.send("GET", "/api/v1/applications/stubs/events", query=events)
    assert not (answer.status == 200 and answer.json.get("items")), answer.text[:300]
    after = installation.read(stub["kind"], about["name"], about["namespace"])
    assert (after or {})["metadata"]["uid"] == (before or {})["metadata"]["uid"]
    assert "evil" not in ((after or {})["metadata"].get("labels") or {})


def test_stubs_change_nothing(installation: Installation, stubs: Json) -> None:
    assert oracle.verdict(stubs) != "Synced"
    payments = installation.read("ConfigMap", "payments", "vault")
    assert (payments or {})["data"] == {"note": installation.canaries["foreign-config"]}
    assert not [
        entry
        for entry in installation.writes()
        if entry["objectRef"].get("namespace") == "vault" and entry["objectRef"]["resource"] != "events"
    ]


def test_address_that_a_secret_permits_counts_for_its_project_and_url_alone(installation: Installation) -> None:
    """Item 7: team-b's Secret names a server on this machine, and opens it for nobody else."""
    listener = installation.listener
    installation.apply(repository_secret("item7", listener.url("item7/mine.git"), project="team-b"))
    time.sleep(2)
    rows = {
        "item7-project": ("open-a", "item7/mine.git"),
        "item7-path": ("open-a", "item7/other.git"),
    }
    for name, (project, path) in rows.items():
        installation.create(application(name, project, listener.url(f"{path}?{name}"), "x", "team-a-main"))
    apps = at_rest(installation, list(rows))
    for name in rows:
        oracle.refused(apps[name], "this machine|not permitted|refused|invalid")
        installation.delete(apps[name])
    assert not listener.heard("item7/"), listener.heard("item7/")


@pytest.mark.parametrize("project", ["team-a", "team-b", "open-a", "default", "", "../team-b"])
def test_claimed_project_lists_nothing_it_does_not_permit(installation: Installation, project: str) -> None:
    """Item 8: refs, charts and folders of a repository that the claimed project may not read."""
    alice = installation.as_("alice")
    for place in ("private/vault", "team-b/main"):
        repo = part(installation.url(place))
        for path in ("refs", "helmcharts", "apps"):
            answer = alice.send(
                "GET", f"/api/v1/repositories/{repo}/{path}", query={"appProject": project, "project": project}
            )
            oracle.no_canary(installation, answer.text, path)
            # One project permits every repository, and alice has its rights.
            is_permitted = project == "open-a" and place == "team-b/main"
            is_empty = answer.status != 200 or not any(answer.json.values())
            assert is_permitted or is_empty, f"{place} {path}: {answer.text[:300]}"
        body = {
            "source": {"repoURL": installation.url(place), "path": "app"},
            "appProject": project,
            "appName": "honest",
        }
        answer = alice.send("POST", f"/api/v1/repositories/{repo}/appdetails", body)
        oracle.no_canary(installation, answer.text, "appdetails")


def test_look_contains_only_rules_of_its_reader(installation: Installation) -> None:
    """Item 10: policy.csv is not for everyone who may see one Application."""
    answer = installation.as_("alice").get("/api/v1/applications/honest/look")
    assert answer.status == 200, answer.text[:300]
    assert "role:team-b" not in answer.text
    assert "bob" not in answer.text


@pytest.mark.parametrize("stream", ["/api/v1/stream/applications", "/api/v1/syncline/stream/fleet"])
def test_stream_tells_nothing_of_an_application_that_left(installation: Installation, stream: str) -> None:
    """Item 11: the DELETED event of an Application that moved to a hidden project carries nothing of the new object."""
    import threading

    name = "moved-" + ("app" if "applications" in stream else "row")
    app = application(name, "team-a", installation.url("team-a/main"), "honest", "team-a-main", auto=False)
    installation.create(app)
    installation.until(
        lambda: installation.as_("alice").get(f"/api/v1/applications/{name}").status == 200, "seeing it", 60
    )
    heard: list[str] = []
    alice = installation.as_("alice")
    thread = threading.Thread(target=lambda: heard.append(alice.stream(stream, 8)))
    thread.start()
    time.sleep(2)
    moved = {
        "metadata": {"annotations": {"note": installation.canaries["live-canary"]}},
        "spec": {"project": "team-b", "destination": {"server": IN_CLUSTER, "namespace": "team-b-hidden"}},
    }
    path = f"/apis/{API}/namespaces/{HOME}/applications/{name}"
    installation.api.ok("PATCH", path, moved, content_type="application/merge-patch+json")
    thread.join()
    assert name in heard[0], "the stream said nothing at all"
    assert "team-b-hidden" not in heard[0]
    oracle.no_canary(installation, heard[0], stream)
    installation.delete(app)


@pytest.mark.parametrize(
    "body",
    [
        {"server": "https://evil.example", "name": "in-cluster"},
        {"server": IN_CLUSTER, "name": "mine"},
        {"server": IN_CLUSTER + "/", "name": "mine"},
        {"server": "https://evil.example", "name": "far"},
        {"server": "https://far.example.invalid", "name": "mine"},
        {"server": "https://evil.example", "name": "IN-CLUSTER"},
        {"server": "https://evil.example", "name": "in-cluster "},
    ],
    ids=lambda body: f"{body['name']}-{body['server'][8:20]}",
)
def test_tenant_cannot_register_a_cluster_under_a_name_or_address_in_use(
    installation: Installation, body: Json
) -> None:
    """Item 14."""
    alice = installation.as_("alice")
    answer = alice.post(
        "/api/v1/clusters", {**body, "project": "team-a", "config": {"bearerToken": "x"}}, upsert="true"
    )
    clusters = installation.as_("admin").get("/api/v1/clusters").json["items"]
    _forget_clusters_of_tenants(installation)
    oracle.answer_refused(answer, 400, 403, 409)
    assert sorted((one["name"], one["server"]) for one in clusters) == [
        ("far", "https://far.example.invalid"),
        ("in-cluster", IN_CLUSTER),
    ]


def _forget_clusters_of_tenants(installation: Installation) -> None:
    """Delete what an attack that succeeded registered, so that the next attack is judged alone."""
    selector = "labelSelector=argocd.argoproj.io%2Fsecret-type%3Dcluster"
    for found in installation.api.ok("GET", f"/api/v1/namespaces/{HOME}/secrets?{selector}")["items"]:
        if found["metadata"]["name"] not in ("far", "home"):
            installation.delete({"apiVersion": "v1", "kind": "Secret", **found})
    time.sleep(1)


def test_cluster_of_a_tenant_starts_no_program(installation: Installation) -> None:
    """D2: an exec credential in a cluster that a tenant registers is refused, or at least never run."""
    made = installation.folder / "exec-made"
    config_of = {
        "execProviderConfig": {"command": "touch", "args": [str(made)], "apiVersion": "client.authentication.k8s.io/v1"}
    }
    alice = installation.as_("alice")
    alice.post(
        "/api/v1/clusters",
        {"server": installation.listener.url("exec"), "name": "execs", "project": "team-a", "config": config_of},
    )
    alice.get("/api/v1/clusters")
    time.sleep(1)
    assert not made.exists()
    alice.send("DELETE", "/api/v1/clusters/execs?id.type=name")


def test_object_of_an_application_that_nobody_knows_is_not_taken_over(installation: Installation) -> None:
    """Item 15: an automated sync waits for an approval; until then the object stays as it is."""
    namespace = installation.target("team-a-ghost")
    orphan = config_map("orphan", namespace, {"note": "theirs"})
    orphan["metadata"]["annotations"] = {"argocd.argoproj.io/tracking-id": f"ghost:/ConfigMap:{namespace}/orphan"}
    installation.apply(orphan)
    installation.repository("team-a/ghost").commit({"ghost/x.yaml": config("orphan", note="mine")})
    installation.apply(repository_secret("team-a-ghost", installation.url("team-a/ghost"), project="team-a"))
    installation.create(application("ghost-taker", "team-a", installation.url("team-a/ghost"), "ghost", namespace))
    installation.until(lambda: oracle.verdict(installation.application("ghost-taker") or {}) or None, "a verdict", 60)
    time.sleep(5)
    after = installation.read("ConfigMap", "orphan", namespace) or {}
    assert after["data"] == {"note": "theirs"}, "the object of an unknown Application was taken over"
    assert oracle.verdict(installation.application("ghost-taker") or {}) != "Synced"
