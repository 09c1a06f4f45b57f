"""The only place that builds adapters and hands them on as ports.

Called by the command line; nobody else knows which implementation stands behind a port.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from syncline.model.settings import Settings

_MAX_RENDER_BYTES = 500_000_000

if TYPE_CHECKING:
    from syncline.adapters.charts.source import ChartSource
    from syncline.adapters.git.trust import TrustReader
    from syncline.adapters.render.cached import CachedRenderer
    from syncline.controller.beside import Mode
    from syncline.controller.controller import Controller
    from syncline.controller.queue import AppKey
    from syncline.controller.shards import Shards, Share
    from syncline.controller.world import World
    from syncline.model.repository import Repository
    from syncline.model.source_access import SourceAccess
    from syncline.ports.clock import Clock
    from syncline.ports.evaluate import Evaluator
    from syncline.ports.images import Images
    from syncline.ports.kube import Cluster, Connector
    from syncline.ports.sink import Sink
    from syncline.ports.source import Accessible, Charts, Checkable, Source, Tree
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


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an API server is, and how it is trusted; no credentials."""

    server: str
    authority: bytes
    insecure: bool


def endpoint(*, kubeconfig: str = "", context: str = "") -> Endpoint:
    """Return the address of the cluster a kubeconfig names."""
    from syncline.adapters.kube import config

    found = config.connect(environment=os.environ, clock=clock(), kubeconfig=kubeconfig, context=context)
    return Endpoint(found.server, found.authority, found.insecure)


def connector(settings: Settings | None = None) -> Connector:
    """Return what opens the clusters that Secrets describe, no faster than an operator who set a rate wants it.

    Where nobody did, API servers share their time out themselves.
    """
    from syncline.adapters.clock import SystemChance
    from syncline.adapters.kube.cluster_secret import SecretConnector
    from syncline.model.settings_parts import Limits

    limits = settings.limits if settings else Limits()
    said = (limits.client_qps, limits.client_burst) != (Limits().client_qps, Limits().client_burst)
    return SecretConnector(
        environment=os.environ,
        clock=clock(),
        chance=SystemChance(),
        rate=limits.client_qps if said else 0.0,
        burst=limits.client_burst,
    )


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


def described_sandbox(*, data: str = "", cluster: Path | None = None, operators: Sequence[str] = ()) -> Sandbox:
    """Return the embedded Kubernetes a cluster file describes, with further operators; a folder may keep its data."""
    import msgspec

    from syncline.model.errors import NeedsUser
    from syncline.sandbox import cluster_file
    from syncline.sandbox.journal import DataFolderError
    from syncline.sandbox.settings import SandboxSettings

    try:
        described = cluster_file.load(cluster) if cluster is not None else None
        settings = described.settings if described is not None else SandboxSettings()
        settings = cluster_file.with_operators(settings, tuple(operators))
        made = sandbox(msgspec.structs.replace(settings, data=data))
    except (cluster_file.ClusterFileError, DataFolderError) as error:
        raise NeedsUser(str(error)) from None
    if described is not None:
        made.controls = described.controls
    return made


def operator_groups() -> dict[str, tuple[str, ...]]:
    """Return the operators the sandbox can play, each with the API groups (or `group/Kind`) it is recognised by."""
    from syncline.sandbox.behaviours import shipped

    return dict(shipped.RECOGNISED)


def demo_sandbox() -> Sandbox:
    """Return the demo's cluster: images of hooks end by themselves, those tagged broken or missing cannot be pulled."""
    from syncline.sandbox.outside import Images
    from syncline.sandbox.settings import Container, SandboxSettings

    hooks = tuple(
        Container(image=image, exit_code=0, run_seconds=1.0) for image in ("*/hello-prepare:*", "*/shop-migrate:*")
    )
    return sandbox(SandboxSettings(containers=hooks, images=Images(unknown=("*:broken*", "*:missing*"))))


@asynccontextmanager
async def serving(served: Sandbox, kubeconfig: Path, *, port: int = 0, tls: bool = False) -> AsyncIterator[str]:
    """Start a sandbox with an HTTP door; yields its address. The kubeconfig is readable by its owner alone."""
    from syncline.apimachinery import yaml
    from syncline.sandbox.http import serve
    from syncline.sandbox.kubeconfig import kubeconfig as content

    await served.start()
    try:
        async with serve(served, port=port, tls=tls) as door:
            _write_private(kubeconfig, yaml.dump(content(door)))
            yield door.address
    finally:
        await served.stop()


def control(served: Sandbox, file: Path) -> None:
    """Put the faults, rules and denials of a YAML file into a sandbox."""
    from syncline.model.errors import NeedsUser
    from syncline.sandbox import controls

    try:
        served.controls = controls.load(file.read_bytes(), name=str(file))
    except controls.ControlsError as error:
        raise NeedsUser(str(error)) from None


def _write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    part.write_text(text)
    part.replace(path)


@dataclass(frozen=True, slots=True)
class Tools:
    """What a command renders with, away from any controller; `folders` are read in place of addresses."""

    source: Source
    charts: Charts | None
    renderer: CachedRenderer
    folders: Mapping[str, str]

    def folder_of(self, repo_url: str) -> str:
        """Return the folder whose files, committed or not, stand for a repository; empty where none does."""
        from syncline.model.repository_urls import spelling

        return self.folders.get(spelling(repo_url), "")


def tools(repos: Sequence[str] = (), *, local: bool = False, access: SourceAccess | None = None) -> Tools:
    """Return what a command renders with; `repos` are `URL=PATH`, the checkout at hand is mapped by itself.

    Without `access` everything is read as anybody could.
    """
    from syncline.adapters.git.checkout import checkout_mirrors, parse_mirrors
    from syncline.adapters.git.source import GitSource
    from syncline.model.repository_urls import spelling

    mirrors = {**checkout_mirrors("."), **parse_mirrors(tuple(repos))}
    git = GitSource(str(cache_folder() / "git"), local_folders=["/"], mirrors=mirrors)
    folders = {spelling(url): path for url, path in mirrors.items()} if local else {}
    fetched = charts()
    if access is not None:
        git.use(access)
        fetched.use(access)
    return Tools(git, fetched, renderer(git, fetched), folders)


def folder(path: str, below: str = "") -> Tree:
    """Return a folder of this machine as a tree of files."""
    from syncline.adapters.render.folder import FolderTree

    return FolderTree(path, below)


def charts(*, for_others: bool = False) -> ChartSource:
    """Return the reader of Helm repositories and registries."""
    from syncline import urls
    from syncline.adapters.charts.source import ChartSource

    return ChartSource(str(cache_folder() / "charts"), reach=urls.Reach(loopback=not for_others))


def checker(repository: Repository, access: SourceAccess) -> Checkable:
    """Return what can tell whether a repository can be read with what an installation has."""
    from syncline.adapters.charts.source import ChartSource
    from syncline.adapters.git.source import GitSource

    registry = repository.kind in ("helm", "oci") or repository.way.oci or repository.url.startswith("oci://")
    folder = str(cache_folder() / ("charts" if registry else "git"))
    reader = ChartSource(folder) if registry else GitSource(folder, local_folders=["/"])
    reader.use(access)
    return reader


def trust() -> TrustReader:
    """Return the reader of certificates, host keys and signing keys that people hand in."""
    from syncline.adapters.git.trust import TrustReader

    return TrustReader()


def images(*, on: bool) -> Images:
    """Return what looks images up in their registries; switched off it asks nobody."""
    from syncline.adapters.images.lookup import RegistryImages

    return RegistryImages(on=on)


def renderer(
    git: Source | None = None, fetched: Charts | None = None, settings: Settings | None = None
) -> CachedRenderer:
    """Return what turns files into objects: tools as pinned in syncline.toml, plugins of the operator's folder."""
    from syncline.adapters.render import build_options, pins, plugin_specs, programs
    from syncline.adapters.render.cached import CachedRenderer
    from syncline.adapters.render.plugins import Plugins
    from syncline.adapters.render.programs import Programs
    from syncline.adapters.render.remote import Remote
    from syncline.adapters.render.renderer import Means, ToolRenderer
    from syncline.adapters.render.tools import Tool
    from syncline.adapters.store import FileStore

    wanted = pins.read(os.environ.get("SYNCLINE_CONFIG") or "syncline.toml")
    plugins = plugin_specs.read(os.environ.get("SYNCLINE_PLUGINS") or "/etc/syncline/plugins")
    settings = settings or Settings()
    switches = {Tool.HELM: settings.tools.helm, Tool.KUSTOMIZE: settings.tools.kustomize}
    means = Means(
        max_bytes=settings.sources.max_directory_bytes or _MAX_RENDER_BYTES,
        off=frozenset(tool for tool, on in switches.items() if not on),
        jsonnet=settings.tools.jsonnet,
        build_options=build_options.parse(settings.tools.kustomize_build_options),
        remote=Remote(fetched, git),
        plugins=Plugins(plugins),
    )
    limits = programs.limits(settings.sources.exec_timeout)
    store = FileStore(str(cache_folder() / "renders"), max_bytes=_MAX_RENDER_BYTES)
    return CachedRenderer(
        ToolRenderer(Programs(limits=limits, parallel=settings.sources.parallelism, pins=wanted), means), store
    )


def source(local_folders: Sequence[str] = (), *, for_others: bool = False) -> Source:
    """Return the reader of Git repositories; those on this machine only below `local_folders`."""
    from syncline import urls
    from syncline.adapters.git.source import GitSource

    reach = urls.Reach(loopback=not for_others)
    return GitSource(str(cache_folder() / "git"), local_folders=local_folders, reach=reach)


def world(
    cluster: Cluster,
    settings: Settings,
    sink: Sink,
    local_folders: Sequence[str] = (),
    copies: Mapping[str, str] | None = None,
    *,
    for_others: bool = False,
) -> World:
    """Return all ports of a controller; repositories in `copies` are read from these folders instead.

    One that runs for others asks no server of its own machine because an Application says so: only one that the
    operator named in a repository Secret.
    """
    from syncline.adapters.clock import SystemChance, SystemIds
    from syncline.controller.world import World

    git = source([*local_folders, *(copies or {}).values()], for_others=for_others)
    fetched = charts(for_others=for_others)
    if copies:
        from syncline.adapters.local_copies import LocalCopies

        git = LocalCopies(git, copies)
    return World(
        home=cluster,
        source=git,
        renderer=renderer(git, fetched, settings),
        evaluator=evaluator(settings.jq_timeout),
        clock=clock(),
        ids=SystemIds(),
        chance=SystemChance(),
        sink=sink,
        settings=settings,
        connector=connector(settings),
        charts=fetched,
    )


async def versions(names: Sequence[str]) -> dict[str, str]:
    """Return what programs say about their version; empty where there is none."""
    from syncline.adapters.versions import versions as ask

    return await ask(names)


def evaluator(seconds: float = 1.0) -> Evaluator:
    """Return the runner of users' Lua and jq scripts, each for so long at most; close it when done."""
    from syncline.adapters.scripts.evaluator import ScriptEvaluator
    from syncline.adapters.scripts.process import Limits

    return ScriptEvaluator(limits=Limits(seconds=seconds, wall_seconds=5.0 * max(1.0, seconds)))


def controller(
    ports: World,
    *,
    overlay: Callable[[Settings], Settings] | None = None,
    mode: Mode | None = None,
    shards: Shards | None = None,
) -> Controller:
    """Return a controller, not started yet; a bug in one app's pass is told on standard error.

    With an overlay it follows the settings of the installation, and puts over them what the overlay says.
    """
    from syncline.controller.beside import Mode
    from syncline.controller.controller import Controller

    readers = [cast("Accessible", reader) for reader in (ports.source, ports.charts) if hasattr(reader, "use")]
    return Controller(
        ports, on_failure=_tell_bug, overlay=overlay, readers=readers, mode=mode or Mode.ACT, shards=shards
    )


def shards(cluster: Cluster, share: Share, *, namespace: str, identity: str = "") -> Shards:
    """Return a part in the work of several controllers; the identity tells this process from others."""
    import socket

    from syncline.adapters.clock import SystemIds
    from syncline.controller.shards import Shards

    who = identity or f"{socket.gethostname()}_{SystemIds().uid()}"
    return Shards(cluster, clock(), share, namespace=namespace, identity=who)


def _tell_bug(key: AppKey, error: BaseException) -> None:
    import logging

    logging.getLogger("syncline").error("bug while working on %s, tried again in 30 s", key, exc_info=error)
