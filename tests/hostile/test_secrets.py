"""E1 to E3: values of Secrets, passwords and tokens are in no answer, diff, error, event, log, metric or status."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.hostile import oracle
from tests.hostile.client import part
from tests.hostile.delivering import at_rest
from tests.hostile.installation import Installation, application, secret

READERS = ("", "nobody", "alice", "bob", "admin")
PATHS = (
    "/api/v1/repositories",
    "/api/v1/repocreds",
    "/api/v1/clusters",
    "/api/v1/clusters/far",
    "/api/v1/projects",
    "/api/v1/projects/team-a",
    "/api/v1/projects/team-a/detailed",
    "/api/v1/projects/team-a/events",
    "/api/v1/settings",
    "/api/v1/account",
    "/api/v1/account/alice",
    "/api/v1/session/userinfo",
    "/api/v1/applications",
    "/api/v1/applicationsets",
    "/api/v1/certificates",
    "/api/v1/gpgkeys",
    "/api/v1/notifications/services",
    "/api/v1/notifications/templates",
    "/api/v1/notifications/triggers",
    "/api/v1/syncline/fleet",
    "/api/v1/syncline/diagnosis",
    "/api/v1/syncline/settings",
    "/api/v1/syncline/objects",
    "/api/v1/syncline/accepted",
    "/api/version",
    "/metrics",
    "/openapi.json",
    "/healthz",
)
OPEN_SETTINGS = {
    "url",
    "dexConfig",
    "oidcConfig",
    "userLoginsDisabled",
    "uiBannerContent",
    "uiBannerURL",
    "uiBannerPermanent",
    "uiBannerPosition",
    "help",
    "googleAnalytics",
    "statusBadgeEnabled",
    "statusBadgeRootUrl",
    "uiCssURL",
    "syncline",
}
"""What a login page needs; nothing else is said to strangers."""


@pytest.mark.parametrize("path", PATHS)
def test_no_answer_of_any_role_contains_a_secret(installation: Installation, path: str) -> None:
    for name in READERS:
        answer = installation.as_(name).get(path)
        assert answer.status < 500, f"{path} as {name!r}: {answer.text[:300]}"
        oracle.no_canary(installation, answer.text + str(answer.headers), f"{path} as {name!r}")
    installation.alive()


def test_strangers_learn_what_a_login_page_needs_and_no_more(installation: Installation) -> None:
    settings = installation.as_("").get("/api/v1/settings").json
    assert {name for name, value in settings.items() if value} <= OPEN_SETTINGS
    assert set(installation.as_("").get("/api/version").json) == {"Version"}


def test_strangers_do_not_learn_the_options_of_tools(installation: Installation) -> None:
    assert "kustomizeOptions" not in installation.as_("").get("/api/v1/settings").json


def _secret_app(installation: Installation, name: str, *objects: dict[str, Any]) -> dict[str, Any]:
    """Deliver Secrets of team-a whose live values differ from those of Git."""
    namespace = installation.target(f"team-a-{name}")
    files: dict[str, str | None] = {f"{name}/{number}.json": json.dumps(obj) for number, obj in enumerate(objects)}
    installation.repository("team-a/attacks").commit(files)
    installation.create(application(name, "team-a", installation.url("team-a/attacks"), name, namespace, auto=False))
    return at_rest_or_compared(installation, name)


def at_rest_or_compared(installation: Installation, name: str) -> dict[str, Any]:
    """Wait for a verdict of an Application that nobody syncs."""

    def seen() -> dict[str, Any] | None:
        app = installation.application(name) or {}
        return app if oracle.verdict(app) else None

    return installation.until(seen, f"a verdict of {name}")


def test_secrets_are_masked_on_both_sides_of_every_diff(
    installation: Installation, delivered: Mapping[str, Any]
) -> None:
    """data, stringData, values that are not base64, and what kubectl keeps of the last apply."""
    live = installation.canaries["live-canary"]
    about = {"name": "diffed"}
    desired = [
        {"apiVersion": "v1", "kind": "Secret", "metadata": about, "data": {"a": "ZGVzaXJlZA=="}},
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "texts"}, "stringData": {"a": "desired"}},
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "broken"}, "data": {"a": "not base64 at all"}},
    ]
    installation.target("team-a-e1-secrets")
    for name in ("diffed", "texts", "broken"):
        made = secret(name, "team-a-e1-secrets", {"a": live, "b": live})
        kept = json.dumps({**made, "stringData": {"a": live}})
        made["metadata"]["annotations"] = {
            "kubectl.kubernetes.io/last-applied-configuration": kept,
            "argocd.argoproj.io/tracking-id": f"e1-secrets:/Secret:team-a-e1-secrets/{name}",
        }
        installation.apply(made)
    _secret_app(installation, "e1-secrets", *desired)
    alice = installation.as_("alice")
    for path in (*oracle.APP_PATHS, "/diff?serverSide=true", "/diff?blame=true"):
        answer = alice.send("GET", f"/api/v1/applications/e1-secrets{path}")
        assert answer.status < 500, f"{path}: {answer.text[:300]}"
        oracle.no_canary(installation, answer.text, path)
    for kind in ("Secret", "secret", "ConfigMap", "secrets"):
        query = {"namespace": "team-a-e1-secrets", "resourceName": "diffed", "version": "v1", "kind": kind, "group": ""}
        answer = alice.send("GET", "/api/v1/applications/e1-secrets/resource", query=query)
        assert answer.status < 500
        oracle.no_canary(installation, answer.text, f"the resource as {kind}")


def test_error_of_the_api_server_does_not_repeat_a_secret(
    installation: Installation, delivered: Mapping[str, Any]
) -> None:
    """A sync of a Secret that the API server refuses with the object in its words."""
    canary = installation.canaries["own-secret"]
    bad = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "bad"}, "data": {"a": canary, "b": {"c": canary}}}
    name = "e2-refused"
    namespace = installation.target(f"team-a-{name}")
    installation.repository("team-a/attacks").commit({f"{name}/x.json": json.dumps(bad)})
    installation.create(application(name, "team-a", installation.url("team-a/attacks"), name, namespace))
    app = at_rest(installation, [name])[name]
    assert oracle.verdict(app) != "Synced"
    oracle.no_canary(installation, json.dumps(app["status"]), "the status")
    oracle.no_canary(installation, oracle.read_as(installation.as_("alice"), name, oracle.QUICK_PATHS), "the API")


def test_patch_of_a_secret_by_api_does_not_echo_it(installation: Installation) -> None:
    canary = installation.canaries["own-secret"]
    alice = installation.as_("alice")
    query = {"namespace": "team-a-main", "resourceName": "payments", "version": "v1", "kind": "Secret", "group": ""}
    for patch, kind in (
        (f'{{"data": "{canary}"}}', "application/merge-patch+json"),
        (f"[{canary}", "application/json-patch+json"),
    ):
        answer = alice.send("POST", "/api/v1/applications/honest/resource", patch, query={**query, "patchType": kind})
        oracle.answer_refused(answer)
        oracle.no_canary(installation, answer.text, "the refusal")


def test_password_in_a_repository_address_is_in_no_text(
    installation: Installation, delivered: Mapping[str, Any]
) -> None:
    canary = installation.canaries["repository-password"]
    host = f"127.0.0.1:{installation.git.port}"
    url = f"http://git:{canary}@{host}/team-a/absent/.git"
    alice = installation.as_("alice")
    answer = alice.send(
        "POST",
        "/api/v1/repositories",
        {"repo": f"http://{host}/team-a/none/.git", "username": "x", "password": canary, "project": "team-a"},
    )
    oracle.no_canary(installation, answer.text, "the answer to a repository that cannot be reached")
    installation.create(application("e2-login", "team-a", url, "x", "team-a-main"))
    app = at_rest(installation, ["e2-login"])["e2-login"]
    oracle.no_canary(installation, oracle.conditions(app), "the conditions")
    installation.delete(app)
    answer = alice.send("GET", f"/api/v1/repositories/{part(url)}")
    assert answer.status in (403, 404)


def test_nothing_that_both_processes_printed_contains_a_canary(
    installation: Installation, delivered: Mapping[str, Any]
) -> None:
    oracle.no_canary_printed(installation)


def test_everything_about_refused_applications_is_free_of_canaries(
    installation: Installation, delivered: Mapping[str, Any]
) -> None:
    """All reads of the API, also those that render again, for one attack of each class."""
    alice = installation.as_("alice")
    for name in ("a1-absolute", "a4-submodule-private", "b1-absolute", "b2-absolute", "c1-generator", "d3-settings"):
        oracle.no_canary(installation, oracle.read_as(alice, name), name)
