"""How much processor time a simulated pod takes from its Deployment to ready.

Run: python -m bench sandbox.pods
Goal: 10 ms of CPU per pod, with scheduler, kubelet, ReplicaSet, Deployment and Events. Raw is a write of one ConfigMap.
"""

from __future__ import annotations

import asyncio
import time

import orjson

from bench.rows import Row
from bench.sandbox import writes
from syncline import wiring
from syncline.ports.transport import Request
from syncline.sandbox.cluster.settings import SandboxSettings, Speeds

COUNT = 200
SPEEDS = Speeds(schedule=0.0, pull=0.0, start=0.0, stop=0.0)
PATH = "/apis/apps/v1/namespaces/default/deployments"


async def ready() -> float:
    """Return the milliseconds of CPU per pod of one Deployment."""
    made = wiring.sandbox(SandboxSettings(speeds=SPEEDS))
    await made.start()
    await made.settled()
    kube = made.transport()
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "shop/web:1"}]}}
    spec = {"replicas": COUNT, "selector": {"matchLabels": labels}, "template": template}
    began = time.process_time()
    content = orjson.dumps({"metadata": {"name": "web"}, "spec": spec})
    await kube.send(Request(method="POST", path=PATH, body=content))
    while True:
        answer = await kube.send(Request(method="GET", path=f"{PATH}/web"))
        if orjson.loads(await answer.read())["status"].get("readyReplicas") == COUNT:
            break
        await asyncio.sleep(0.02)
    spent = time.process_time() - began
    await made.stop()
    return spent * 1000 / COUNT


def rows() -> list[Row]:
    spent = min(asyncio.run(ready()) for _ in range(2))
    write = 1000 / asyncio.run(writes.in_process(SandboxSettings(simulate=False)))
    return [
        Row(name="sandbox pod to ready, CPU", figure=spent, unit="ms", raw=write, raw_is="one write", at_most=10),
    ]
