"""Several sandboxes beside the one the Applications live on, found by address, each to be cut off or to hang.

Handed to a bed as its connector; `describe` writes the Secret that names a cluster.
"""

import asyncio
import base64

import orjson

from syncline.adapters.kube.client import KubeCluster
from syncline.apimachinery.keys import Object
from syncline.model.cluster import KnownCluster
from syncline.ports.transport import Request, Response, Transport, TransportError
from syncline.sandbox.server import Sandbox
from tests.support.clocks import LoopClock, SeededIds
from tests.support.world import PLAYED, Line


class Hanging:
    """A transport that, while it hangs, takes requests and answers none; limits on time are kept."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.hangs = False

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        if self.hangs:
            await asyncio.sleep(timeout or 320.0)
            raise TransportError("timed out")
        return await self._inner.send(request, timeout=timeout)

    async def close(self) -> None:
        """Stay open: the next client of the same cluster goes the same way."""


class Member:
    """One cluster of the fleet."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.server = f"https://{name}.example:6443"
        self.sandbox = Sandbox(LoopClock(), SeededIds(f"sandbox-{name}"), settings=PLAYED)
        self.line = Line(self.sandbox.transport(user="syncline"))
        self.hanging = Hanging(self.line)
        self.user = KubeCluster(self.sandbox.transport(user="somebody"))

    async def get(self, plural: str, kind: str, api_version: str, namespace: str, name: str) -> Object | None:
        """Return one object."""
        found = next(
            item for item in (await self.user.discover()).resources
            if (item.plural, item.gvk.kind, item.gvk.api_version) == (plural, kind, api_version)
        )  # fmt: skip
        return await self.user.get(found, namespace, name)


class Fleet:
    """Clusters by address."""

    def __init__(self, *names: str) -> None:
        self.members = {name: Member(name) for name in names}
        self.opened: list[str] = []

    async def start(self) -> None:
        for member in self.members.values():
            await member.sandbox.start()

    async def stop(self) -> None:
        for member in self.members.values():
            await member.sandbox.stop()

    def connect(self, cluster: KnownCluster) -> KubeCluster:
        """Return a client of the cluster at an address."""
        self.opened.append(cluster.server)
        member = next(item for item in self.members.values() if item.server == cluster.server)
        return KubeCluster(member.hanging)


def describe(control: str, name: str, server: str, *, secret: str = "", **fields: str) -> Object:
    """Return the Secret that describes a cluster."""
    texts = {"name": name, "server": server, "config": orjson.dumps({"bearerToken": "letmein"}).decode(), **fields}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": secret or f"cluster-{name}",
            "namespace": control,
            "labels": {"argocd.argoproj.io/secret-type": "cluster"},
        },
        "data": {key: base64.b64encode(text.encode()).decode() for key, text in texts.items()},
    }
