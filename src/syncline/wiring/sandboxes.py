"""Builds embedded clusters, in memory, kept in a folder or described by a file, and opens their door."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from syncline import private_folders
from syncline.wiring.machine import clock

_PORT = "port"
"""The file in a data folder that says where it was served."""
_DOOR = "door.json"
"""The file in a data folder that keeps what clients were given: the token, and the authority behind the certificate."""

if TYPE_CHECKING:
    from datetime import datetime

    from syncline.ports.clock import Clock
    from syncline.sandbox.cluster.settings import SandboxSettings
    from syncline.sandbox.judging import Judge
    from syncline.sandbox.server import Sandbox
    from syncline.sandbox.serving.tls import Authority


def sandbox(settings: SandboxSettings | None = None, time: Clock | None = None) -> Sandbox:
    """Return an embedded Kubernetes, not started yet; its time is the machine's where none is given."""
    from syncline.adapters.clock import SystemChance, SystemIds
    from syncline.sandbox.cluster.settings import SandboxSettings
    from syncline.sandbox.server import Sandbox

    return Sandbox(time or clock(), SystemIds(), SystemChance(), settings or SandboxSettings())


def judge() -> Judge:
    """Return who says what an API server would refuse about an object."""
    from syncline.adapters.clock import SystemIds
    from syncline.sandbox.judging import Judge

    return Judge(clock(), SystemIds())


def described_sandbox(
    *,
    data: str = "",
    cluster: Path | None = None,
    operators: Sequence[str] = (),
    demo: bool = False,
    time: Clock | None = None,
) -> Sandbox:
    """Return the embedded Kubernetes a cluster file describes, with further operators; a folder may keep its data.

    For the demo, images of its hooks end by themselves, and those tagged broken or missing cannot be pulled.
    """
    import msgspec

    from syncline.model.errors import NeedsUser
    from syncline.sandbox.cluster import file as cluster_file
    from syncline.sandbox.cluster.settings import SandboxSettings
    from syncline.sandbox.store.journal import DataFolderError

    try:
        described = cluster_file.load(cluster) if cluster is not None else None
        settings = described.settings if described is not None else SandboxSettings()
        settings = cluster_file.with_operators(settings, tuple(operators))
        settings = _for_demo(settings) if demo else settings
        made = sandbox(msgspec.structs.replace(settings, data=data), time)
    except (cluster_file.ClusterFileError, DataFolderError) as error:
        raise NeedsUser(str(error)) from None
    if described is not None:
        made.controls = described.controls
    return made


def told_sandbox(text: str, name: str, time: Clock | None = None) -> Sandbox:
    """Return the embedded Kubernetes that the text of a cluster file describes."""
    from syncline.sandbox.cluster import file as cluster_file

    described = cluster_file.parse(text, name)
    made = sandbox(described.settings, time)
    made.controls = described.controls
    return made


def _for_demo(settings: SandboxSettings) -> SandboxSettings:
    import msgspec

    from syncline.sandbox.cluster.settings import Container

    hooks = tuple(
        Container(image=image, exit_code=0, run_seconds=1.0) for image in ("*/hello-prepare:*", "*/shop-migrate:*")
    )
    unknown = (*settings.images.unknown, "*:broken*", "*:missing*")
    images = msgspec.structs.replace(settings.images, unknown=unknown)
    return msgspec.structs.replace(settings, containers=(*settings.containers, *hooks), images=images)


def operator_groups(without: Sequence[str] = ()) -> dict[str, tuple[str, ...]]:
    """Return the operators the sandbox can play, each with the API groups (or `group/Kind`) it is known by."""
    from syncline.sandbox.behaviours import shipped

    return {name: groups for name, groups in shipped.RECOGNISED.items() if name not in without}


@asynccontextmanager
async def serving(
    served: Sandbox, kubeconfig: Path, *, port: int = 0, tls: bool = False, home: Path | None = None
) -> AsyncIterator[str]:
    """Start a sandbox with an HTTP door; yields its address. The kubeconfig is readable by its owner alone.

    Without a port, that of the last time is taken again if `home`, its data folder, knows it and it is free. The folder
    keeps token and authority too, so that kubeconfigs from before stay good.
    """
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
        token, authority = "", None
        if home is not None:
            token, authority = _kept_door(home, served.backend.clock.now(), tls=tls)
            # Tokens that were made for service accounts stay good with the door's own.
            served.backend.signing_key = hashlib.sha256(f"tokens {token}".encode()).digest()
        async with serve(
            served, port=port, preferred=_last_port(home), tls=tls, token=token, authority=authority
        ) as door:
            _write_private(kubeconfig, yaml.dump(content(door)))
            if home is not None:
                _write_private(home / _PORT, door.address.rpartition(":")[2] + "\n")
            yield door.address
    finally:
        await served.stop()


def _last_port(home: Path | None) -> int:
    """Return the port that a data folder was served on the last time, 0 when that is not known."""
    try:
        port = int((home / _PORT).read_text()) if home is not None else 0
    except (OSError, ValueError):
        return 0
    return port if 0 < port < 65536 else 0


def _kept_door(home: Path, now: datetime, *, tls: bool) -> tuple[str, Authority | None]:
    """Return the token and, for TLS, the authority that a data folder keeps; what is missing or ran out is made."""
    import secrets

    import msgspec

    try:
        kept = msgspec.json.decode((home / _DOOR).read_bytes(), type=tuple[str, str, str])
    except (OSError, msgspec.DecodeError):
        kept = ("", "", "")
    found = (kept[0] or secrets.token_hex(32), *_kept_authority(kept[1], kept[2], now, tls=tls))
    if found != kept:
        _write_private(home / _DOOR, msgspec.json.encode(found).decode() + "\n")
    token, certificate, key = found
    if not tls:
        return token, None
    from syncline.sandbox.serving.tls import Authority

    return token, Authority(certificate, key)


def _kept_authority(certificate: str, key: str, now: datetime, *, tls: bool) -> tuple[str, str]:
    if not tls:
        return certificate, key
    from syncline.sandbox.serving import tls as certificates

    authority = certificates.Authority(certificate, key)
    if not certificates.lasts(authority, now):
        authority = certificates.new_authority(now)
    return authority.certificate, authority.key


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
        private_folders.write(path, text.encode())
    except OSError as error:
        why = error.strerror or str(error)
        raise NeedsUser(
            f"{path} cannot be written ({why})", hint="free space there, or choose another folder"
        ) from None
