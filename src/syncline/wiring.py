"""The only place that builds adapters and hands them on as ports.

Called by the command line; nobody else knows which implementation stands behind a port.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from syncline.model.settings import Settings

if TYPE_CHECKING:
    from syncline.controller.controller import Controller
    from syncline.controller.queue import AppKey
    from syncline.controller.world import World
    from syncline.ports.clock import Clock
    from syncline.ports.evaluate import Evaluator
    from syncline.ports.kube import Cluster
    from syncline.ports.sink import Sink
    from syncline.ports.source import Source
    from syncline.ports.transport import Transport
    from syncline.sandbox.server import Sandbox
    from syncline.sandbox.settings import SandboxSettings


def clock() -> Clock:
    """Return the machine's clock."""
    from syncline.adapters.clock import SystemClock

    return SystemClock()


def cache_folder() -> Path:
    """Return where caches live: lost at any time without harm."""
    base = os.environ.get("SYNCLINE_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "syncline"


@asynccontextmanager
async def connected(*, kubeconfig: str = "", context: str = "") -> AsyncIterator[tuple[Cluster, str]]:
    """Yield a client of the cluster a kubeconfig names, and the words for it (`context minikube`)."""
    from syncline.adapters.clock import SystemChance
    from syncline.adapters.kube import config
    from syncline.adapters.kube.client import KubeCluster
    from syncline.adapters.kube.http import HttpTransport
    from syncline.adapters.kube.retry import Retrying

    time = clock()
    connection = config.connect(environment=os.environ, clock=time, kubeconfig=kubeconfig, context=context)
    cluster = KubeCluster(Retrying(HttpTransport(connection), clock=time, chance=SystemChance()))
    try:
        yield cluster, f"context {connection.context}" if connection.context else connection.server
    finally:
        await cluster.close()


def client(transport: Transport) -> Cluster:
    """Return a client over a transport, such as the sandbox's own."""
    from syncline.adapters.kube.client import KubeCluster

    return KubeCluster(transport)


def sandbox(settings: SandboxSettings | None = None) -> Sandbox:
    """Return an embedded Kubernetes, not started yet."""
    from syncline.adapters.clock import SystemChance, SystemIds
    from syncline.sandbox.server import Sandbox
    from syncline.sandbox.settings import SandboxSettings

    return Sandbox(clock(), SystemIds(), SystemChance(), settings or SandboxSettings())


def kept_sandbox(data: str) -> Sandbox:
    """Return an embedded Kubernetes that keeps its objects in a folder; an empty name keeps them in memory."""
    from syncline.model.errors import NeedsUser
    from syncline.sandbox.journal import DataFolderError
    from syncline.sandbox.settings import SandboxSettings

    try:
        return sandbox(SandboxSettings(data=data))
    except DataFolderError as error:
        raise NeedsUser(str(error)) from None


def demo_sandbox() -> Sandbox:
    """Return the demo's cluster: the hook's image ends by itself, images tagged broken or missing cannot be pulled."""
    from syncline.sandbox.settings import Container, Images, SandboxSettings

    prepare = Container(image="*/hello-prepare:*", exit_code=0, run_seconds=1.0)
    return sandbox(SandboxSettings(containers=(prepare,), images=Images(unknown=("*:broken*", "*:missing*"))))


@asynccontextmanager
async def serving(served: Sandbox, kubeconfig: Path, *, port: int = 0) -> AsyncIterator[str]:
    """Start a sandbox with an HTTP door; yields its address. The kubeconfig is readable by its owner alone."""
    from syncline.apimachinery import yaml
    from syncline.sandbox.http import serve
    from syncline.sandbox.kubeconfig import kubeconfig as content

    await served.start()
    try:
        async with serve(served, port=port) as door:
            _write_private(kubeconfig, yaml.dump(content(door.address, door.token)))
            yield door.address
    finally:
        await served.stop()


def _write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    part.write_text(text)
    part.replace(path)


def source(local_folders: Sequence[str] = ()) -> Source:
    """Return the reader of Git repositories; those on this machine only below `local_folders`."""
    from syncline.adapters.git.source import GitSource

    return GitSource(str(cache_folder() / "git"), local_folders=local_folders)


def world(cluster: Cluster, settings: Settings, sink: Sink, local_folders: Sequence[str] = ()) -> World:
    """Return all ports of a controller that delivers to the cluster it lives on."""
    from syncline.adapters.clock import SystemChance, SystemIds
    from syncline.adapters.kube.clusters import SingleCluster
    from syncline.adapters.render.renderer import ToolRenderer
    from syncline.controller.world import World

    return World(
        home=cluster,
        clusters=SingleCluster(cluster),
        source=source(local_folders),
        renderer=ToolRenderer(),
        evaluator=evaluator(),
        clock=clock(),
        ids=SystemIds(),
        chance=SystemChance(),
        sink=sink,
        settings=settings,
    )


def evaluator() -> Evaluator:
    """Return the runner of users' Lua and jq scripts; close it when done."""
    from syncline.adapters.scripts.evaluator import ScriptEvaluator

    return ScriptEvaluator()


def controller(ports: World) -> Controller:
    """Return a controller, not started yet; a bug in one app's pass is told on standard error."""
    from syncline.controller.controller import Controller

    return Controller(ports, on_failure=_tell_bug)


def _tell_bug(key: AppKey, error: BaseException) -> None:
    import logging

    logging.getLogger("syncline").error("bug while working on %s, tried again in 30 s", key, exc_info=error)
