"""Delivers many hostile Applications at once and waits until the controller has judged each of them."""

from __future__ import annotations

import time
from typing import Any

from tests.hostile.attack import Attack, hostile_application, repository_of, write_files
from tests.hostile.installation import HOME, Installation, repository_secret

Json = dict[str, Any]
PATIENCE = 420.0


def deliver(installation: Installation, chosen: list[Attack]) -> dict[str, Json]:
    """Commit, create and wait; return each Application as it came to rest."""
    names = [attack.name for attack in chosen]
    assert len(set(names)) == len(names), sorted(name for name in names if names.count(name) > 1)
    repositories = {repository_of(attack) for attack in chosen}
    for attack in chosen:
        installation.target(attack.namespace)
        installation.repository(repository_of(attack))
        write_files(attack, installation)
    for attack in chosen:
        if attack.prepare is not None:
            attack.prepare(installation)
    for name in sorted(repositories):
        # Repositories of single attacks were committed by their `prepare`.
        if name == "team-a/attacks":
            installation.repository(name).commit({}, "attacks")
        label = name.replace("/", "-")
        installation.apply(repository_secret(label, installation.url(name), project="team-a"))
    for attack in chosen:
        installation.create(hostile_application(attack, installation))
    return at_rest(installation, names)


def at_rest(installation: Installation, names: list[str], patience: float = PATIENCE) -> dict[str, Json]:
    """Wait until each Application was judged and nothing of it runs; return them."""
    deadline = time.monotonic() + patience
    waiting = set(names)
    while time.monotonic() < deadline:
        installation.alive()
        items = installation.api.ok("GET", f"/apis/argoproj.io/v1alpha1/namespaces/{HOME}/applications")["items"]
        apps = {item["metadata"]["name"]: item for item in items}
        waiting = {name for name in names if not is_judged(apps.get(name, {}))}
        if not waiting:
            return {name: apps[name] for name in names}
        time.sleep(1.0)
    raise AssertionError(
        f"not judged within {patience:.0f} s: {sorted(waiting)}\n{installation.log('controller')[-3000:]}"
    )


def is_judged(app: Json) -> bool:
    """Tell whether the controller has looked at an Application, and nothing of it is running."""
    status = app.get("status") or {}
    if app.get("operation") or (status.get("operationState") or {}).get("phase") == "Running":
        return False
    sync = (status.get("sync") or {}).get("status", "")
    return bool(status.get("conditions")) or sync in ("Synced", "Unknown") or bool(status.get("operationState"))
