"""Starts a sandbox with an HTTP door and a kubeconfig, for the commands that run one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from syncline.apimachinery import yaml
from syncline.sandbox.server import Sandbox


@asynccontextmanager
async def serving(sandbox: Sandbox, kubeconfig: Path, *, port: int = 0) -> AsyncIterator[str]:
    """Yield the address of a started sandbox; its kubeconfig is readable by its owner alone."""
    from syncline.sandbox.http import serve
    from syncline.sandbox.kubeconfig import kubeconfig as content

    await sandbox.start()
    try:
        async with serve(sandbox, port=port) as served:
            write_private(kubeconfig, yaml.dump(content(served.address, served.token)))
            yield served.address
    finally:
        await sandbox.stop()


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    part.write_text(text)
    part.replace(path)
