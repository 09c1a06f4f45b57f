"""The sandbox refuses the objects that a real kube-apiserver refuses for one spoiled field, and takes what it takes."""

from __future__ import annotations

import json
from typing import Any

from syncline.sandbox.access.rbac import User
from syncline.sandbox.cluster.settings import SandboxSettings
from syncline.sandbox.server import Sandbox
from tests.contract import spoiling
from tests.support.clocks import LoopClock, SeededIds
from tests.support.loops import simulated

ADMIN = User("admin", ("system:masters", "system:authenticated"))
HEADERS = {"content-type": "application/json"}
NAMESPACE: dict[str, Any] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "trial"}}


async def _refused() -> set[str]:
    sandbox = Sandbox(LoopClock(), SeededIds(0), settings=SandboxSettings(simulate=False))
    await sandbox.start()
    try:
        await sandbox.respond("POST", "/api/v1/namespaces", HEADERS, json.dumps(NAMESPACE).encode(), ADMIN)
        found: set[str] = set()
        for one in spoiling.cases():
            answer = await sandbox.respond("POST", one.path, HEADERS, json.dumps(one.body).encode(), ADMIN)
            if answer.status >= 300:
                found.add(one.title)
        return found
    finally:
        await sandbox.stop()


def test_the_sandbox_refuses_what_a_real_server_refuses() -> None:
    ours, theirs = simulated.run_simulated(_refused, seed=0), spoiling.recorded()
    titles = {one.title for one in spoiling.cases()}
    assert len(titles) > 3000, "each field of each specimen is spoiled in several ways"
    assert theirs <= titles
    assert sorted(title for title in theirs ^ ours if not spoiling.is_known(title)) == []
    assert [
        why for why, pattern in spoiling.KNOWN if not any(spoiling.fits(pattern, one) for one in theirs ^ ours)
    ] == []


def test_every_specimen_is_taken_as_it_is() -> None:
    whole = {one.title for one in spoiling.cases() if " = " not in one.title}
    assert len(whole) > 25
    assert whole & spoiling.recorded() == set()
