"""Plays workload stories on a fresh sandbox in this process, in virtual time."""

from __future__ import annotations

import json
from typing import Any

from syncline.sandbox.access.rbac import User
from syncline.sandbox.cluster.settings import Container, NodeSpec, SandboxSettings
from syncline.sandbox.server import Sandbox
from tests.support.clocks import LoopClock, SeededIds
from tests.support.loops import simulated
from tests.workloads.playing import Played
from tests.workloads.steps import Json, Story

_ADMIN = User("admin", ("system:masters", "system:authenticated"))
# The same nodes and images as tests/cluster/plane.py and tests/cluster/stages.yaml.
SETTINGS = SandboxSettings(
    nodes=tuple(
        NodeSpec(name=name, labels={"kubernetes.io/hostname": name, "zone": zone, "disk": disk})
        for name, zone, disk in (("node-1", "a", "ssd"), ("node-2", "b", "ssd"), ("node-3", "c", "hdd"))
    ),
    storage_classes=(),
    metrics_server=False,
    containers=(
        Container(image="example.com/fails:1", exit_code=1),
        Container(image="example.com/exits-3:1", exit_code=3),
        Container(image="example.com/unready:1", never_ready=True),
        Container(image="example.com/runs:1"),
    ),
)


def seen(story: Story) -> Json:
    """Return what is seen on the sandbox."""

    async def run() -> Json:
        sandbox = Sandbox(LoopClock(), SeededIds(0), settings=SETTINGS)

        async def ask(method: str, path: str, body: Any, content_type: str) -> tuple[int, Any]:
            headers = {"accept": "application/json", "content-type": content_type, "user-agent": "tester/1.0"}
            content = b"" if body is None else json.dumps(body).encode()
            answer = await sandbox.respond(method, path, headers, content, _ADMIN)
            if answer.stream is not None:
                lines = b"".join([chunk async for chunk in answer.stream]).splitlines()
                return answer.status, [json.loads(line) for line in lines]
            await sandbox.settled()
            return answer.status, json.loads(answer.body)

        await sandbox.start()
        await sandbox.settled()
        try:
            return await Played(story, ask, namespace="trial", quiet=2.0).run()
        finally:
            await sandbox.stop()

    return simulated.run_simulated(run, seed=0)
