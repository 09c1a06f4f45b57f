"""What one sandbox plays: its nodes, its images, its speeds and its limits.

Given to `syncline.sandbox.server.Sandbox`; read by the API and by the simulated controllers. Values only.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

import msgspec


class Container(msgspec.Struct, frozen=True, kw_only=True):
    """What containers of an image do once they are started."""

    image: str
    """Image name, with `*` and `?` as in file names."""
    exit_code: int | None = None
    """How the container ends; None runs on."""
    run_seconds: float = 0.0
    """How long it runs before it ends."""
    ready_after: float = 0.0
    """How long a readiness probe fails after the start."""
    never_ready: bool = False
    lines: tuple[str, ...] = ()
    """What it prints."""
    reason: str = ""
    """The reason of the ending: by default Completed or Error; OOMKilled where memory ran out."""


class Images(msgspec.Struct, frozen=True, kw_only=True):
    """Which images can be pulled. Later words win: what is unknown is unknown even where known says `*`."""

    known: tuple[str, ...] = ("*",)
    unknown: tuple[str, ...] = ()

    def exists(self, image: str) -> bool:
        """Tell whether an image can be pulled."""
        if any(fnmatchcase(image, pattern) for pattern in self.unknown):
            return False
        return any(fnmatchcase(image, pattern) for pattern in self.known)


class NodeSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One simulated node."""

    name: str = "sandbox-node"
    labels: dict[str, str] = {}
    taints: tuple[dict[str, str], ...] = ()
    cpu: str = "16"
    memory: str = "64Gi"
    pods: str = "250"
    address: str = "10.0.0.10"


class Speeds(msgspec.Struct, frozen=True, kw_only=True):
    """How long simulated steps take, in seconds."""

    schedule: float = 0.05
    pull: float = 0.4
    start: float = 0.2
    stop: float = 0.3
    image_retry: float = 10.0
    crash_retry: float = 10.0


class SandboxSettings(msgspec.Struct, frozen=True, kw_only=True):
    """All that can be set for one sandbox."""

    name: str = "sandbox"
    version: str = "v1.37.1"
    nodes: tuple[NodeSpec, ...] = (NodeSpec(),)
    images: Images = Images()
    containers: tuple[Container, ...] = ()
    speeds: Speeds = Speeds()
    watch_history: int = 10_000
    watch_seconds: int = 2400
    """How long a watch without timeoutSeconds lasts."""
    event_limit: int = 5_000
    """Events kept; the oldest go first."""
    behaviours: tuple[str, ...] = ()
    """Rules for operators, as YAML texts; they go before the shipped ones."""
    data: str = ""
    """The folder that keeps the objects; without one they end with the process."""
    simulate: bool = True
    """Whether simulated controllers run; without them it is a bare API server."""

    def container(self, image: str) -> Container | None:
        """Return the script of an image, or None when its containers just run."""
        return next((script for script in self.containers if fnmatchcase(image, script.image)), None)
