"""Builds embedded clusters, in memory, kept in a folder or described by a file, and opens their door."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from syncline import private_folders
from syncline.wiring.machine import clock

if TYPE_CHECKING:
    from syncline.sandbox.cluster.settings import SandboxSettings
    from syncline.sandbox.server import Sandbox


def sandbox(settings: SandboxSettings | None = None) -> Sandbox:
    """Return an embedded Kubernetes, not started yet."""
    from syncline.adapters.clock import SystemChance, SystemIds
    from syncline.sandbox.cluster.settings import SandboxSettings
    from syncline.sandbox.server import Sandbox

    return Sandbox(clock(), SystemIds(), SystemChance(), settings or SandboxSettings())


def kept_sandbox(data: str) -> Sandbox:
    """Return an embedded Kubernetes that keeps its objects in a folder; an empty name keeps them in memory."""
    from syncline.model.errors import NeedsUser
    from syncline.sandbox.cluster.settings import SandboxSettings
    from syncline.sandbox.store.journal import DataFolderError

    try:
        return sandbox(SandboxSettings(data=data))
    except DataFolderError as error:
        raise NeedsUser(str(error)) from None


def described_sandbox(*, data: str = "", cluster: Path | None = None, operators: Sequence[str] = ()) -> Sandbox:
    """Return the embedded Kubernetes a cluster file describes, with further operators; a folder may keep its data."""
    import msgspec

    from syncline.model.errors import NeedsUser
    from syncline.sandbox.cluster import file as cluster_file
    from syncline.sandbox.cluster.settings import SandboxSettings
    from syncline.sandbox.store.journal import DataFolderError

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
    from syncline.sandbox.cluster.outside import KnownImages
    from syncline.sandbox.cluster.settings import Container, SandboxSettings

    hooks = tuple(
        Container(image=image, exit_code=0, run_seconds=1.0) for image in ("*/hello-prepare:*", "*/shop-migrate:*")
    )
    return sandbox(SandboxSettings(containers=hooks, images=KnownImages(unknown=("*:broken*", "*:missing*"))))


@asynccontextmanager
async def serving(served: Sandbox, kubeconfig: Path, *, port: int = 0, tls: bool = False) -> AsyncIterator[str]:
    """Start a sandbox with an HTTP door; yields its address. The kubeconfig is readable by its owner alone."""
    from syncline.apimachinery import yaml
    from syncline.model.errors import NeedsUser
    from syncline.sandbox.errors import StatusError
    from syncline.sandbox.serving.http import serve
    from syncline.sandbox.serving.kubeconfig import kubeconfig as content

    try:
        try:
            await served.start()
        except StatusError as error:
            # What every cluster has could not be stored.
            raise NeedsUser(error.message) from None
        async with serve(served, port=port, tls=tls) as door:
            _write_private(kubeconfig, yaml.dump(content(door)))
            yield door.address
    finally:
        await served.stop()


def control(served: Sandbox, file: Path) -> None:
    """Put the faults, rules and denials of a YAML file into a sandbox."""
    from syncline.model.errors import NeedsUser
    from syncline.sandbox.cluster import controls

    try:
        served.controls = controls.load(file.read_bytes(), name=str(file))
    except controls.ControlsError as error:
        raise NeedsUser(str(error)) from None


def _write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    from syncline.model.errors import NeedsUser

    try:
        _write_whole(path, text)
    except OSError as error:
        why = error.strerror or str(error)
        raise NeedsUser(
            f"{path} cannot be written ({why})", hint="free space there, or choose another folder"
        ) from None


def _write_whole(path: Path, text: str) -> None:
    private_folders.make(path.parent)
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    part.write_text(text)
    part.replace(path)
