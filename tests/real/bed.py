"""The bed of `tests.support.world` on a real kube-apiserver, in real time.

There is no controller manager and no kubelet: `Player` patches the status of Deployments and Jobs as they would, and
lets objects go whose deletion waits for a garbage collector. Beds share the server and are told apart by installation
id, as several installations on one cluster are.
"""

import asyncio
import contextlib
import pathlib
import uuid
from typing import Any

from syncline.adapters.clock import SystemClock
from syncline.adapters.kube.client import KubeCluster
from syncline.adapters.kube.connection import Connection, Credential, Fixed
from syncline.adapters.kube.http import HttpTransport
from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.model.settings.settings import Settings
from syncline.ports.kube import ApiError, ApiResource
from syncline.ports.transport import Request, Response, Transport, TransportError
from tests.real.cluster import Cluster
from tests.support.world import Bed

_CLASSES = ApiResource(
    gvk=GroupVersionKind("storage.k8s.io", "v1", "StorageClass"), plural="storageclasses", namespaced=False
)
_EVENTS = ApiResource(gvk=GroupVersionKind("", "v1", "Event"), plural="events", namespaced=True)
_GARBAGE = {"foregroundDeletion", "orphan"}
ATTEMPTS = 20
PATIENT = 180.0
"""How long the test's own requests may take: a slow server is not what is tested."""


def connect(cluster: Cluster, user: str = "admin") -> HttpTransport:
    """Return an HTTP transport to the real server."""
    authority = pathlib.Path(cluster.ca_path).read_bytes()
    credential = Credential(authorization=f"Bearer {cluster.tokens[user]}")
    return HttpTransport(Connection(server=cluster.address, authority=authority, credentials=Fixed(credential)))


class Noted:
    """A transport that notes what was written, and worked."""

    def __init__(self, inner: Transport, writes: list[str]) -> None:
        self._inner = inner
        self._writes = writes

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        response = await self._inner.send(request, timeout=timeout)
        if request.method != "GET" and response.status < 300:
            self._writes.append(f"{request.method} {request.path}")
        return response

    async def close(self) -> None:
        await self._inner.close()


class Patient:
    """The test's own way to the server: asks again where nothing came through, since a busy machine is no failure."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        for _ in range(ATTEMPTS):
            try:
                return await self._inner.send(request, timeout=timeout)
            except TransportError as error:
                # Made twice, only a creation would be another one; unless it never left.
                if request.method == "POST" and "no connection" not in str(error):
                    raise
                await asyncio.sleep(1.0)
        return await self._inner.send(request, timeout=timeout)

    async def close(self) -> None:
        await self._inner.close()


class RealBed(Bed):
    """A bed in namespaces of its own on a shared real server."""

    patience = 240.0
    quiet_time = 2.0
    pause = 0.1
    prompt = 120.0

    def __init__(self, cluster: Cluster, **more: Any) -> None:
        name = uuid.uuid4().hex[:8]
        settings = Settings(
            namespace=f"argocd-{name}", installation_id=name, refresh_interval=0.3, refresh_jitter=0.0, **more
        )
        self._cluster = cluster
        self._transports: list[Transport] = []
        super().__init__(
            KubeCluster(Patient(self._connect()), timeout=PATIENT), SystemClock(), settings, target=f"web-{name}"
        )
        self._player = Player(self.user, self.target, self.control)

    def _connect(self) -> Transport:
        transport = connect(self._cluster)
        self._transports.append(transport)
        return transport

    def transport(self) -> Transport:
        return Noted(self._connect(), self.writes)

    async def start(self) -> None:
        await super().start()
        await self._player.start()

    async def stop_playing(self) -> None:
        """Let nobody but the controller and the test write from now on."""
        await self._player.stop()

    async def stop(self) -> None:
        await self._player.stop()
        for transport in self._transports:
            await transport.close()
        # Connections over TLS take a few turns of the loop to say goodbye.
        await asyncio.sleep(0.25)


class Player:
    """Plays the controllers a bare API server lacks, in one namespace, or in all where none is named."""

    def __init__(self, user: KubeCluster, namespace: str, control: str, *also: str, pause: float = 0.1) -> None:
        self._user = user
        self._pause = pause
        self._also = also
        """Further kinds, by their plurals, whose objects go when their deletion waits for a garbage collector."""
        self._namespace = namespace
        self._control = control
        self._task: asyncio.Task[None] | None = None
        self._resources: list[ApiResource] = []

    async def start(self) -> None:
        discovery = await self._user.discover()
        wanted = (
            "deployments",
            "statefulsets",
            "jobs",
            "configmaps",
            "persistentvolumeclaims",
            "applications",
            *self._also,
        )
        self._resources = [item for item in discovery.resources if item.plural in wanted]
        self._task = asyncio.create_task(self._play(), name="player")

    async def stop(self) -> None:
        """Stop playing; what went wrong meanwhile is the test's."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _play(self) -> None:
        while True:
            for resource in self._resources:
                # A request that is lost is made again a moment later: nobody waits for this very one.
                with contextlib.suppress(TransportError):
                    await self._play_kind(resource)
            await asyncio.sleep(self._pause)

    async def _play_kind(self, resource: ApiResource) -> None:
        for obj in (await self._user.list(resource, namespace=self._namespace)).items:
            try:
                await self._play_one(resource, obj)
            except ApiError as error:
                if error.code not in (404, 409):
                    raise

    async def _play_one(self, resource: ApiResource, obj: Object) -> None:
        metadata = obj["metadata"]
        if metadata.get("deletionTimestamp"):
            left = [name for name in metadata.get("finalizers") or () if name not in _GARBAGE]
            if left != (metadata.get("finalizers") or []):
                await self._patch(resource, obj, {"metadata": {"finalizers": left or None}})
            return
        if resource.plural == "persistentvolumeclaims":
            await self._play_claim(resource, obj)
            return
        status = _STATUSES.get(resource.plural, _no_status)(obj)
        if status is not None:
            await self._patch(resource, obj, {"status": status}, subresource="status")

    async def _play_claim(self, resource: ApiResource, claim: Object) -> None:
        """Bind a claim of a class that is there, and complain of one whose class is not, as the volume controller."""
        if (claim.get("status") or {}).get("phase") == "Bound":
            return
        wanted = claim["spec"]["storageClassName"]
        if await self._user.get(_CLASSES, "", wanted) is not None:
            await self._patch(resource, claim, {"status": {"phase": "Bound"}}, subresource="status")
            return
        event = _provisioning_failed(claim, f'storageclass.storage.k8s.io "{wanted}" not found')
        if await self._user.get(_EVENTS, claim["metadata"]["namespace"], event["metadata"]["name"]) is None:
            await self._user.create(_EVENTS, event, manager="player")

    async def _patch(self, resource: ApiResource, obj: Object, patch: Any, subresource: str = "") -> None:
        import orjson

        path = resource.path(obj["metadata"]["namespace"], obj["metadata"]["name"], subresource)
        request = Request(
            method="PATCH",
            path=f"{path}?fieldManager=player",
            headers={"content-type": "application/merge-patch+json"},
            body=orjson.dumps(patch),
        )
        response = await self._user._transport.send(request, timeout=PATIENT)
        body = await response.read()
        assert response.status < 300 or response.status in (404, 409), body


def _deployment_status(obj: Object) -> dict[str, Any] | None:
    generation, wanted = obj["metadata"]["generation"], obj["spec"].get("replicas", 1)
    image = obj["spec"]["template"]["spec"]["containers"][0]["image"]
    available = 0 if image.endswith(":missing") else wanted
    status = obj.get("status") or {}
    if status.get("observedGeneration") == generation and status.get("availableReplicas", 0) == available:
        return None
    return {
        "observedGeneration": generation,
        "replicas": wanted,
        "updatedReplicas": wanted,
        "readyReplicas": available,
        "availableReplicas": available,
        "unavailableReplicas": wanted - available,
    }


def _set_status(obj: Object) -> dict[str, Any] | None:
    generation, wanted = obj["metadata"]["generation"], obj["spec"].get("replicas", 1)
    if (obj.get("status") or {}).get("observedGeneration") == generation:
        return None
    counts = dict.fromkeys(
        ("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"), wanted
    )
    revision = f"{obj['metadata']['name']}-{generation}"
    return {**counts, "observedGeneration": generation, "currentRevision": revision, "updateRevision": revision}


def _job_status(obj: Object) -> dict[str, Any] | None:
    if (obj.get("status") or {}).get("conditions"):
        return None
    bad = obj["spec"]["template"]["spec"]["containers"][0]["image"].endswith(":bad")
    now = obj["metadata"]["creationTimestamp"]
    words = ("FailureTarget", "Failed") if bad else ("SuccessCriteriaMet", "Complete")
    reason = "BackoffLimitExceeded" if bad else "CompletionsReached"
    told = "Job has reached the specified backoff limit" if bad else "Reached expected number of succeeded pods"
    about = {"status": "True", "reason": reason, "message": told, "lastTransitionTime": now, "lastProbeTime": now}
    conditions = [{"type": word, **about} for word in words]
    status: dict[str, Any] = {"conditions": conditions, "startTime": now, "active": 0, "ready": 0, "terminating": 0}
    if bad:
        return {**status, "failed": 1, "uncountedTerminatedPods": {}}
    return {**status, "succeeded": 1, "completionTime": now, "uncountedTerminatedPods": {}}


def _provisioning_failed(claim: Object, message: str) -> Object:
    about = claim["metadata"]
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{about['name']}.{about['uid']}", "namespace": about["namespace"]},
        "involvedObject": {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "namespace": about["namespace"],
            "name": about["name"],
            "uid": about["uid"],
        },
        "type": "Warning",
        "reason": "ProvisioningFailed",
        "message": message,
        "lastTimestamp": about["creationTimestamp"],
        "source": {"component": "persistentvolume-controller"},
    }


def _no_status(_obj: Object) -> dict[str, Any] | None:
    return None


_STATUSES = {"deployments": _deployment_status, "statefulsets": _set_status, "jobs": _job_status}
