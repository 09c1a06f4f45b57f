"""A fleet is read with nothing but reads, within what the caller may see, and what was not seen is named."""

import contextlib
from typing import Any

import msgspec

from syncline.adapters.kube.client import KubeCluster
from syncline.apimachinery import yaml
from syncline.apimachinery.keys import key_of
from syncline.model.fleet import ClusterSnapshot
from syncline.ports.kube import ClusterReader, Discovery
from syncline.ports.transport import Request, Response, Transport
from syncline.sandbox.cluster.controls import Controls, Denial
from syncline.verbs.fleet import kinds
from syncline.verbs.fleet.hub import Contexts, FleetWish, read_fleet
from tests.support import manifests
from tests.support.loops.simulated import run_simulated
from tests.support.world import SandboxBed

CRASHING = manifests.deployment(image="example/web:1").replace(
    "image: example/web:1",
    'image: example/web:1\n          command: [sh, -c, "echo starting; echo password=hunter2-canary; exit 3"]',
)
SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "db", "namespace": "web"},
    "data": {"password": "Y2FuYXJ5"},
}
LOG = "/api/v1/namespaces/NAMESPACE/pods/POD/log"


class Watched:
    """A transport that remembers what went through it."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.seen: list[Request] = []

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        self.seen.append(request)
        return await self._inner.send(request, timeout=timeout)

    async def close(self) -> None:
        await self._inner.close()


class Reading(msgspec.Struct):
    """One reading: the home cluster, the requests it took, and what the cluster serves."""

    home: ClusterSnapshot
    seen: list[Any]
    discovery: Discovery

    def names(self, kind: str) -> list[str]:
        return [key_of(obj).name for obj in self.home.objects if obj["kind"] == kind]


def nowhere(context: str) -> contextlib.AbstractAsyncContextManager[ClusterReader]:
    raise AssertionError(f"{context} is not to be opened")


def read(denial: Denial | None = None, *, secret_metadata: bool = False) -> Reading:
    """Return what is read of a cluster with a Deployment that crashes, by somebody who may not do something."""
    found: list[Reading] = []

    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "web"}})
        await bed.apply(SECRET)
        deployment = yaml.load(CRASHING)
        await bed.apply({**deployment, "metadata": {**deployment["metadata"], "namespace": "web"}})
        await bed.apply(bed.application())
        await bed.clock.sleep(120)
        bed.sandbox.controls = Controls(denials=(denial,) if denial else ())
        reader = Watched(bed.sandbox.transport("reader", ("system:masters",)))
        wish = FleetWish(
            name="home",
            server="https://10.0.0.1",
            as_of="2026-01-01T00:00:00Z",
            namespaces=(bed.control,),
            secret_metadata=secret_metadata,
        )
        result = await read_fleet(KubeCluster(reader), wish, Contexts({}, nowhere))
        found.append(Reading(result.snapshot.clusters[0], list(reader.seen), await bed.user.discover()))
        await bed.stop()

    run_simulated(main)
    return found[0]


def test_only_what_the_dry_run_lists_is_asked_and_the_log_of_the_crash_comes_along() -> None:
    reading = read()
    assert {request.method for request in reading.seen} == {"GET"}
    assert reading.names("Application") == ["web"]
    assert reading.names("Deployment") == ["web"]
    assert {event["type"] for event in reading.home.events} == {"Warning"}
    assert [(log.container, log.lines) for log in reading.home.logs] == [("main", ("starting", "password=•••"))]
    assert reading.home.unreadable == ()
    assert not reading.home.secrets_listed
    asked = {
        request.path.partition("?")[0]
        for request in reading.seen
        if not request.path.partition("?")[0].endswith("/log")
    }
    told = {line.split()[1].partition("?")[0] for line in kinds.requests(kinds.wanted(reading.discovery))}
    assert asked == told - {LOG}
    assert not [path for path in asked if "secrets" in path]


def test_names_and_keys_of_secrets_come_without_any_value_and_refusals_are_named() -> None:
    reading = read(Denial(users=("reader",), resources=("nodes", "pods/log")), secret_metadata=True)
    (asked,) = [request for request in reading.seen if "secrets" in request.path]
    assert "PartialObjectMetadataList" in asked.headers["Accept"]
    (secret,) = [obj for obj in reading.home.objects if key_of(obj).kind == "Secret" and key_of(obj).name == "db"]
    assert secret["data"] == {"password": ""}
    assert reading.home.secrets_listed
    assert reading.home.unreadable == ("Node", "pods/log")
    assert reading.names("Deployment") == ["web"]


def test_who_may_read_some_namespaces_sees_those() -> None:
    """Lists over all namespaces are refused; those of the namespaces that Applications name are not."""
    reading = read(Denial(users=("reader",), verbs=("list",), namespaces=("",)))
    assert reading.names("Application") == ["web"]
    assert reading.names("Deployment") == ["web"]
    assert {"Pod", "Node", "argoproj.io/Application"} <= set(reading.home.unreadable)
    assert len(reading.home.logs) == 1
