"""F1 to F4: nobody learns what they may not see, and no field of a body gives what a right does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.hostile import oracle
from tests.hostile.client import part
from tests.hostile.installation import HOME, Installation, application

VISIBLE = ("date", "x-request-id")


def _bare(headers: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in VISIBLE}


@pytest.mark.parametrize(
    ("existing", "missing"),
    [
        ("applications/neighbour", "applications/neighbouX"),
        ("applications/neighbour/resource-tree", "applications/neighbouX/resource-tree"),
        ("applications/neighbour/manifests", "applications/neighbouX/manifests"),
        ("applications/neighbour/managed-resources", "applications/neighbouX/managed-resources"),
        ("applications/neighbour/events", "applications/neighbouX/events"),
        ("applications/neighbour/why", "applications/neighbouX/why"),
        ("applications/neighbour/look", "applications/neighbouX/look"),
        ("applications/neighbour/plan", "applications/neighbouX/plan"),
        ("applications/neighbour/diff", "applications/neighbouX/diff"),
        ("applications/neighbour/syncwindows", "applications/neighbouX/syncwindows"),
        ("projects/team-b", "projects/team-X"),
        ("projects/team-b/detailed", "projects/team-X/detailed"),
        ("clusters/far", "clusters/faX"),
        ("account/bob", "account/boX"),
    ],
)
def test_hidden_and_missing_look_the_same(installation: Installation, existing: str, missing: str) -> None:
    alice = installation.as_("alice")
    hidden, absent = alice.get(f"/api/v1/{existing}"), alice.get(f"/api/v1/{missing}")
    assert (hidden.status, hidden.body, _bare(hidden.headers)) == (absent.status, absent.body, _bare(absent.headers))
    assert hidden.status == 403


def test_hidden_and_missing_repositories_look_the_same(installation: Installation) -> None:
    alice = installation.as_("alice")
    for path in ("", "/refs", "/apps", "/helmcharts"):
        hidden = alice.get(f"/api/v1/repositories/{part(installation.url('private/vault'))}{path}")
        absent = alice.get(f"/api/v1/repositories/{part(installation.url('private/vaulX'))}{path}")
        assert (hidden.status, hidden.text.replace("vault", "vaulX")) == (absent.status, absent.text)
        oracle.answer_refused(hidden, 403, 404)


@pytest.mark.parametrize("verb", ["POST", "PUT", "PATCH", "DELETE"])
def test_writes_to_hidden_and_missing_applications_look_the_same(installation: Installation, verb: str) -> None:
    alice, body = installation.as_("alice"), {"name": "x", "patch": "{}", "patchType": "merge"}
    path = "/api/v1/applications/{}/sync" if verb == "POST" else "/api/v1/applications/{}"
    hidden, absent = (alice.send(verb, path.format(name), body) for name in ("neighbour", "neighbouX"))
    assert (hidden.status, hidden.body) == (absent.status, absent.body)
    assert installation.application("neighbour") is not None


def test_error_about_a_destination_names_no_cluster_of_others(installation: Installation) -> None:
    """CVE-2024-36106: the answer to a mistyped cluster lists the installation's."""
    spec = application("f1-cluster", "team-a", installation.url("team-a/main"), "honest", "team-a-main")
    spec["spec"]["destination"] = {"name": "nowhere", "namespace": "team-a-main"}
    answer = installation.as_("alice").post("/api/v1/applications", spec)
    oracle.answer_refused(answer, 400, 403)
    assert "far" not in answer.text


def test_name_in_the_path_and_in_the_body_must_agree(installation: Installation) -> None:
    alice = installation.as_("alice")
    mine = installation.application("honest")
    theirs = installation.application("neighbour")
    assert mine is not None
    assert theirs is not None
    body = {**mine, "metadata": {**mine["metadata"], "name": "neighbour"}, "spec": mine["spec"]}
    oracle.answer_refused(alice.send("PUT", "/api/v1/applications/honest", body))
    after = installation.application("neighbour")
    assert after is not None
    assert after["spec"] == theirs["spec"]
    body = {"server": "https://far.example.invalid", "name": "far", "config": {}}
    oracle.answer_refused(
        alice.send("PUT", f"/api/v1/clusters/{part('https://kubernetes.default.svc')}", body), 400, 403
    )


def test_project_of_an_application_changes_only_with_rights_on_both(installation: Installation) -> None:
    alice = installation.as_("alice")
    for project in ("team-b", "default"):
        patch = f'{{"spec": {{"project": "{project}"}}}}'
        answer = alice.send("PATCH", "/api/v1/applications/honest", {"patch": patch, "patchType": "merge"})
        oracle.answer_refused(answer, 400, 403)
    app = installation.application("honest")
    assert app is not None
    assert app["spec"]["project"] == "team-a"


FIELDS: dict[str, Any] = {
    "operation": {"operation": {"sync": {"manifests": ['{"apiVersion":"v1","kind":"ConfigMap"}']}}},
    "status": {
        "status": {
            "sync": {"status": "Synced"},
            "history": [{"id": 1, "revision": "x", "deployedAt": "2030-01-01T00:00:00Z"}],
        }
    },
    "finalizers": {"metadata": {"finalizers": ["evil.example/never"]}},
    "owners": {"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "x", "uid": "x"}]}},
    "namespace": {"metadata": {"namespace": "kube-system"}},
}


@pytest.mark.parametrize("field", FIELDS)
def test_side_doors_of_a_body_are_closed(installation: Installation, field: str) -> None:
    """F3: fields that act by themselves are dropped or refused, whoever may create Applications."""
    name = f"f3-{field}"
    body = application(name, "team-a", installation.url("team-a/main"), "honest", "team-a-main", auto=False)
    more = FIELDS[field]
    body = {**body, **more, "metadata": {**body["metadata"], **more.get("metadata", {})}}
    answer = installation.as_("alice").post("/api/v1/applications", body)
    assert answer.status < 500, answer.text
    made = installation.application(name)
    assert installation.read("Application", name, "kube-system") is None
    if made is not None:
        assert "operation" not in made
        assert not (made.get("status") or {}).get("history")
        assert not made["metadata"].get("ownerReferences")
        installation.delete(made)


def test_project_role_does_what_its_policy_says_and_no_more(installation: Installation) -> None:
    admin = installation.as_("admin")
    answer = admin.post(
        "/api/v1/projects/team-a/roles/ci/token", {"project": "team-a", "role": "ci", "expiresIn": 3600}
    )
    assert answer.status == 200, answer.text
    installation.remember("ci", answer.json["token"])
    ci = installation.as_("ci")
    assert ci.get("/api/v1/applications/neighbour").status == 403
    assert ci.get("/api/v1/clusters").json.get("items") in (None, [])
    oracle.answer_refused(ci.send("DELETE", "/api/v1/applications/honest"), 403)
    oracle.answer_refused(ci.send("POST", "/api/v1/applications/neighbour/sync", {}), 403)
    oracle.answer_refused(ci.post("/api/v1/projects/team-a/roles/ci/token", {}), 403)
    manifests = {"manifests": ['{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "evil"}}']}
    oracle.answer_refused(ci.send("POST", "/api/v1/applications/honest/sync", manifests), 400, 403)
    assert installation.read("ConfigMap", "evil", "team-a-main") is None


WRITES: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/api/v1/applications", {}),
    ("DELETE", "/api/v1/applications/honest", None),
    ("POST", "/api/v1/applications/honest/sync", {}),
    ("POST", "/api/v1/applications/honest/rollback", {"id": 1}),
    ("POST", "/api/v1/applicationsets", {}),
    ("POST", "/api/v1/projects", {"project": {"metadata": {"name": "evil"}}}),
    ("PUT", "/api/v1/projects/team-a", {"project": {"metadata": {"name": "team-a"}, "spec": {"sourceRepos": ["*"]}}}),
    ("DELETE", "/api/v1/projects/team-a", None),
    ("POST", "/api/v1/repositories", {"repo": "https://evil.example/x"}),
    ("POST", "/api/v1/repocreds", {"url": "https://evil.example"}),
    ("POST", "/api/v1/clusters", {"server": "https://evil.example", "name": "x", "config": {}}),
    ("POST", "/api/v1/account/admin/token", {}),
    ("PUT", "/api/v1/account/password", {"name": "admin", "newPassword": "evil-Password-9", "currentPassword": "x"}),
)


@pytest.mark.parametrize("who", ["", "nobody", "bob"])
@pytest.mark.parametrize(("verb", "path", "body"), WRITES, ids=[f"{verb} {path}" for verb, path, _ in WRITES])
def test_writes_without_a_right_are_refused(
    installation: Installation, who: str, verb: str, path: str, body: Any
) -> None:
    begun = installation.mark()
    answer = installation.as_(who).send(verb, path, body)
    oracle.answer_refused(answer, 400, 401, 403, 404)
    written = [entry for entry in installation.writes(begun) if "syncline-server" in entry["user"]["username"]]
    kept = [entry for entry in written if entry["objectRef"]["resource"] not in ("events", "configmaps")]
    assert not kept, [entry["requestURI"] for entry in kept]
    assert installation.read("AppProject", "evil") is None
    assert installation.application("honest", HOME) is not None
