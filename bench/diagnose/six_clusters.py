"""Serves the clusters of `bench.diagnose.clusters` over HTTP, in a process of their own.

Run by that benchmark: python -m bench.diagnose.six_clusters FOLDER. It writes a kubeconfig into the folder, serves
until its standard input ends, and then writes how many requests came in each second.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import json
import sys
import time
from pathlib import Path
from typing import Any

from syncline import wiring
from syncline.apimachinery.keys import GroupKind, split_api_version
from syncline.model import crds
from syncline.sandbox.cluster.settings import SandboxSettings
from syncline.sandbox.server import Sandbox
from syncline.sandbox.serving.http import Served, serve
from syncline.sandbox.store.store import Bucket, RowKey
from tests.support import planted
from tests.support.sick_fleet import Fleet

CLUSTERS = 6
OBJECTS = 5_000
_APPS = 100
_FAULTS = (
    planted.image_tag,
    planted.missing_secret,
    planted.selector,
    planted.bad_config,
    planted.quota,
    planted.wrong_host,
)
_CRD = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")


def pieces(number: int, server: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the Applications of one cluster, and its objects: a third of the apps is red for one reason."""
    fleet = Fleet()
    names = [f"c{number}-app-{each}" for each in range(_APPS)]
    for name in names:
        fleet.app(name)
        fleet.deploy(name, app=name)
    for name in names[: _APPS // 3]:
        _FAULTS[number](fleet, name)
    found = [one for one in fleet.snapshot().clusters[0].objects if one["kind"] != _CRD.kind]
    apps = [one for one in found if one["kind"] == "Application"]
    for app in apps:
        app["spec"]["destination"]["server"] = server
    rest = [one for one in found if one["kind"] != "Application"]
    for each in range(OBJECTS - len(rest)):
        metadata = {"name": f"extra-{each}", "namespace": "shop", "uid": f"extra-{each}"}
        rest.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "b" * 200}})
    return apps, rest


class Counts:
    """How many requests came in which second."""

    def __init__(self) -> None:
        self.seconds: collections.Counter[int] = collections.Counter()

    def count(self, sandbox: Sandbox) -> None:
        """Count what a sandbox answers from now on."""
        answer = sandbox.respond

        async def counted(*arguments: Any, **named: Any) -> Any:
            self.seconds[int(time.monotonic())] += 1
            return await answer(*arguments, **named)

        sandbox.respond = counted  # type: ignore[method-assign]


async def _serve(folder: Path) -> None:
    counts = Counts()
    async with contextlib.AsyncExitStack() as stack:
        clusters: list[Sandbox] = []
        doors: list[Served] = []
        for _ in range(CLUSTERS):
            made = wiring.sandbox(SandboxSettings(simulate=False))
            await made.start()
            stack.push_async_callback(made.stop)
            clusters.append(made)
            doors.append(await stack.enter_async_context(serve(made)))
        await _install(clusters[0])
        for number, made in enumerate(clusters):
            apps, rest = pieces(number, f"{doors[number].address}/access/{doors[number].token}")
            await _fill(made, rest)
            await _fill(clusters[0], apps)
            counts.count(made)
        (folder / "kubeconfig").write_text(json.dumps(_kubeconfig(doors)))
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)
    (folder / "seconds").write_text(json.dumps(list(counts.seconds.values())))


async def _install(hub: Sandbox) -> None:
    client = wiring.client(hub.transport())
    served = (await client.discover()).find(_CRD)
    assert served is not None
    for crd in (crds.application_crd(), crds.appproject_crd()):
        await client.create(served, crd, manager="bench")
    for _ in range(100):
        if (await client.discover()).find(GroupKind("argoproj.io", "AppProject")) is not None:
            return
        await asyncio.sleep(0.1)


async def _fill(sandbox: Sandbox, objects: list[dict[str, Any]]) -> None:
    known = await wiring.client(sandbox.transport()).discover()
    for obj in objects:
        group = split_api_version(obj["apiVersion"])[0]
        resource = known.find(GroupKind(group, obj["kind"]))
        if resource is None:
            continue
        metadata = obj["metadata"]
        key = RowKey(Bucket(group, resource.plural), metadata.get("namespace", ""), metadata["name"])
        with contextlib.suppress(Exception):
            sandbox.backend.store.put(key, obj, expected=None)


def _kubeconfig(doors: list[Served]) -> dict[str, Any]:
    names = [f"cluster-{number}" for number in range(len(doors))]
    servers = [f"{door.address}/access/{door.token}" for door in doors]
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": names[0],
        "clusters": [
            {"name": name, "cluster": {"server": server}} for name, server in zip(names, servers, strict=True)
        ],
        "users": [{"name": name, "user": {}} for name in names],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}} for name in names],
    }


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
