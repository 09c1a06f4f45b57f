"""G1 and G2: what a project does not permit is refused at create, at update, at sync, and for live objects."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pytest

from tests.hostile import oracle
from tests.hostile.attack import Attack
from tests.hostile.attacks import chosen, everything, objects
from tests.hostile.installation import IN_CLUSTER, Installation, application, config, project, repository_secret


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(objects.ATTACKS) if attack.name.startswith("g1-")],
    ids=lambda attack: attack.name,
)
def test_objects_outside_the_project_are_refused(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)


def test_rule_that_came_later_holds_for_the_next_sync_and_for_history(installation: Installation) -> None:
    """G1 at sync time: a project that forbids a kind after an Application was delivered."""
    name = "g1-later"
    namespace = installation.target(f"team-a-{name}")
    repository = installation.repository("team-a/later")
    repository.commit({f"{name}/x.yaml": config("x", note="1")})
    installation.apply(
        repository_secret("team-a-later", installation.url("team-a/later"), project="team-a"),
        project(
            "later-a", installation, sourceRepos=["*"], destinations=[{"server": IN_CLUSTER, "namespace": namespace}]
        ),
    )
    installation.create(application(name, "later-a", installation.url("team-a/later"), name, namespace))
    installation.until(
        lambda: oracle.verdict(installation.application(name) or {}) == "Synced", "the first delivery", 90
    )
    installation.apply(
        project(
            "later-a",
            installation,
            sourceRepos=["*"],
            destinations=[{"server": IN_CLUSTER, "namespace": namespace}],
            namespaceResourceBlacklist=[{"group": "", "kind": "ConfigMap"}],
        )
    )
    begun = installation.mark()
    repository.commit({f"{name}/x.yaml": config("x", note="2")})
    admin = installation.as_("admin")
    admin.send("GET", f"/api/v1/applications/{name}", query={"refresh": "hard"})
    admin.send("POST", f"/api/v1/applications/{name}/sync", {"revision": "HEAD", "prune": True})
    admin.send("POST", f"/api/v1/applications/{name}/rollback", {"id": 0, "prune": True})
    query = {"namespace": namespace, "resourceName": "x", "version": "v1", "kind": "ConfigMap", "group": ""}
    oracle.answer_refused(admin.send("DELETE", f"/api/v1/applications/{name}/resource", query=query), 400, 403, 404)
    time.sleep(4)
    wrong = [
        entry["requestURI"]
        for entry in installation.writes(begun)
        if entry["objectRef"].get("namespace") == namespace and entry["objectRef"]["resource"] == "configmaps"
    ]
    assert not wrong
    assert (installation.read("ConfigMap", "x", namespace) or {})["data"] == {"note": "1"}


def test_attacks_wrote_nowhere_but_in_their_own_namespaces(
    installation: Installation, delivered: Mapping[str, Any]
) -> None:
    """Everything that both processes wrote while 230 hostile Applications were delivered."""
    own = {attack.namespace for attack in everything() if attack.written}
    entries = [entry for entry in installation.delivery_writes if entry["objectRef"].get("namespace") not in own]
    oracle.nothing_written(installation, entries, {attack.namespace for attack in everything() if not attack.written})
