"""A cluster with Applications and no controller, for tests of verbs that only write what somebody asks for."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable
from typing import Any

from syncline.adapters.kube.client import KubeCluster
from syncline.apimachinery.keys import Object
from syncline.controller.app_key import AppKey
from syncline.model import crds
from syncline.ports.transport import Request, Response, Transport
from tests.support.loops.simulated import run_simulated
from tests.support.world import API, Bed, SandboxBed

KEY = AppKey("argocd", "web")


def tell(story: Callable[[SandboxBed], Awaitable[None]]) -> None:
    """Play a story on a sandbox of its own, in virtual time; nobody works on its Applications."""

    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        try:
            await story(bed)
        finally:
            await bed.stop()

    run_simulated(main)


async def stored(bed: Bed, *, status: dict[str, Any] | None = None, **policy: Any) -> Object:
    """Store an Application with a sync policy and a status."""
    app = bed.application()
    app["spec"]["syncPolicy"] = policy
    await bed.apply({**app, **({"status": status} if status else {})})
    return await bed.app()


async def keep_unknown_fields(bed: Bed) -> None:
    """Install the CRD of an Argo CD to come, with fields that nobody here knows."""
    crd = copy.deepcopy(crds.application_crd())
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    for name in ("spec", "status", "operation"):
        schema["properties"][name] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    await bed.apply(crd)


class Meddling:
    """A transport on which somebody else writes to the Application just before each write of ours, `times` times."""

    def __init__(self, inner: Transport, bed: Bed, patch: Object, times: int) -> None:
        self._inner = inner
        self._bed = bed
        self._patch = patch
        self.left = times

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        if request.method in ("PATCH", "PUT") and "/applications/" in request.path and self.left:
            self.left -= 1
            # Another value each time: a patch that changes nothing moves no version.
            patch = {**self._patch, "metadata": {"annotations": {"example.com/turn": str(self.left)}}}
            await self._bed.patch("Application", "web", patch, API, self._bed.control)
        return await self._inner.send(request, timeout=timeout)

    async def close(self) -> None:
        await self._inner.close()


def meddled(bed: Bed, patch: Object, times: int) -> KubeCluster:
    """Return a client whose writes come just too late, so many times."""
    return KubeCluster(Meddling(bed.transport(), bed, patch, times))
