"""Writes kubeconfig files for tests, and a clock that stands still until it is moved."""

import pathlib
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson


class StillClock:
    """A clock that tests move by hand."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def now(self) -> datetime:
        return datetime(2030, 1, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds


def kubeconfig(
    name: str = "dev",
    *,
    user: dict[str, Any] | None = None,
    cluster: dict[str, Any] | None = None,
    context: dict[str, Any] | None = None,
    current: str | None = None,
) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name if current is None else current,
        "contexts": [{"name": name, "context": context or {"cluster": name, "user": name}}],
        "clusters": [{"name": name, "cluster": cluster or {"server": f"https://{name}.example:6443"}}],
        "users": [{"name": name, "user": user or {}}],
    }


def write(path: pathlib.Path, config: object) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(orjson.dumps(config, option=orjson.OPT_INDENT_2))
    return str(path)
