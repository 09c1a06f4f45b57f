"""Serves the page over a sandbox with many Applications, some in trouble: `python -m bench.web.apps 8000`.

Nothing is delivered: the statuses are written as a controller would have left them. Prints a link that signs in, then
serves until it is stopped. Used by `bench.web.page` and by the browser tests of the page.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

from syncline import __version__, wiring
from syncline.cli.run.install import create, missing
from syncline.cli.run.signals import until_stopped
from syncline.model.settings.settings import Settings
from syncline.server.access.bootstrap import ensure_keys
from syncline.server.app import Listening, serving
from syncline.server.standing import followed

_ENVIRONMENTS = ("dev", "staging", "production")
_PROJECTS = ("apps", "data", "platform")
_REVISION = "0123456789abcdef0123456789abcdef01234567"
_AT_ONCE = 40


def application(number: int) -> dict[str, Any]:
    """Return one Application; every twentieth is in trouble."""
    environment, project = _ENVIRONMENTS[number % 3], _PROJECTS[number // 3 % 3]
    name = f"{environment}-{project}-{number:05}"
    source = {"repoURL": "https://git.example/fleet.git", "path": project, "targetRevision": "main"}
    destination = {"server": "https://kubernetes.default.svc", "namespace": f"{project}-{environment}"}
    health = {"status": "Healthy", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    rows: list[dict[str, Any]] = [
        {"group": "apps", "version": "v1", "kind": "Deployment", "namespace": destination["namespace"], "name": name,
         "status": "Synced", "health": {"status": "Healthy"}},
    ]  # fmt: skip
    if number % 20 == 0:
        message = f"{name}-7d4b9-x2k8p: container main: ImagePullBackOff: image not found"
        health |= {"status": "Degraded", "message": f"Caused by apps/Deployment:{destination['namespace']}/{name}"}
        rows[0]["health"] = {"status": "Degraded", "message": message}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {"project": "default", "source": source, "destination": destination},
        "status": {
            "sync": {"status": "Synced", "revision": _REVISION},
            "health": health,
            "resources": rows,
        },
    }  # fmt: skip


async def serve(count: int) -> None:
    """Serve so many apps until stopped."""
    settings = Settings()
    with tempfile.TemporaryDirectory(prefix="syncline-web-") as folder:
        sandbox = wiring.sandbox()
        async with wiring.serving(sandbox, Path(folder) / "kubeconfig"):
            cluster = wiring.client(sandbox.transport(user="syncline"))
            await create(cluster, await missing(cluster, settings.namespace))
            for begin in range(0, count, _AT_ONCE):
                some = [application(number) for number in range(begin, min(begin + _AT_ONCE, count))]
                await asyncio.gather(*(create(cluster, [one]) for one in some))
            tools = wiring.server_tools(__version__)
            ports = wiring.server_ports(cluster, settings, ())
            await ensure_keys(cluster, settings.namespace, tools.passwords, tools.secrets, ports.clock)
            async with (
                followed(ports, [], tools.on_failure, lambda found: found) as live,
                serving(ports, live, tools, Listening()) as served,
            ):
                print(f"serving {count} apps at {served.link()}", flush=True)
                await until_stopped()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]) if len(sys.argv) > 1 else 8000))
