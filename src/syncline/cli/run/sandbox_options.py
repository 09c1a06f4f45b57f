"""The flags that say what the embedded Kubernetes is like: the same for `sandbox`, `up` and `demo`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
_EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxOptions:
    """What the command line says of the embedded Kubernetes."""

    data: Path | None = None
    cluster: Path | None = None
    controls: Path | None = None
    operators: str = ""

    def given(self) -> str:
        """Return the first flag that was given besides --data, empty for none."""
        return next((f"--{name}" for name in ("cluster", "controls", "operators") if getattr(self, name)), "")

    def names(self) -> list[str]:
        """Return the operators that were named."""
        return [name.strip() for name in self.operators.split(",") if name.strip()]

    def build(self, folder: Path | None, *, demo: bool = False) -> Any:
        """Return the sandbox, which wiring alone knows, not started yet; a folder keeps its objects if one is given."""
        from syncline import wiring

        data = str(folder) if folder else ""
        made = wiring.described_sandbox(data=data, cluster=self.cluster, operators=self.names(), demo=demo)
        if self.controls is not None:
            wiring.control(made, self.controls)
        return made


def sandbox_options(command: F) -> F:
    """Add the flags; the command is given them as `options`."""

    @click.option(
        "--data",
        type=click.Path(file_okay=False, path_type=Path),
        default=None,
        help="Folder that keeps the sandbox's objects, port and token between runs (else they are in memory).",
    )
    @click.option(
        "--cluster",
        type=_EXISTING,
        default=None,
        help="Cluster file of the sandbox: nodes, images, operators and more (`syncline facts` writes one).",
    )
    @click.option(
        "--controls",
        type=_EXISTING,
        default=None,
        help="YAML file with faults, admission rules, denials and a timeline (see docs/internals/sandbox.md).",
    )
    @click.option(
        "--operators",
        default="",
        metavar="NAMES",
        help="Operators that the sandbox plays, separated by commas (cert-manager,istio), or all.",
    )
    @functools.wraps(command)
    def collected(
        *arguments: Any, data: Path | None, cluster: Path | None, controls: Path | None, operators: str, **rest: Any
    ) -> Any:
        options = SandboxOptions(data=data, cluster=cluster, controls=controls, operators=operators)
        return command(*arguments, options=options, **rest)

    found: Any = collected
    return found  # type: ignore[no-any-return]
