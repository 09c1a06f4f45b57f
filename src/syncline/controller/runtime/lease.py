"""Holds one Lease: the right to look after one shard, for as long as it is renewed.

Run by `syncline.controller.runtime.shards`, one per shard. Whether another holder is alive is judged by whether its
Lease still changes, timed by our own clock: wall clocks of two machines need not agree. A holder that cannot renew lets
go before the Lease can pass to another.
"""

from __future__ import annotations

import asyncio

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.model import names
from syncline.ports.clock import Clock
from syncline.ports.kube import ApiError, ApiResource, Cluster
from syncline.ports.transport import TransportError

LEASES = ApiResource(gvk=GroupVersionKind("coordination.k8s.io", "v1", "Lease"), plural="leases", namespaced=True)

WANTED_BY = "syncline.io/wanted-by"
"""Annotation of a Lease: a process that has fewer shards than its holder asks for it."""
_MARGIN = 0.5
"""So much later than it runs out is a Lease taken, in seconds: the last holder has let go by then."""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """How long a Lease holds without renewal, how long renewing may fail, how often to try; in seconds."""

    duration: float = 15.0
    deadline: float = 10.0
    pause: float = 2.0


class Lease:
    """One Lease that this process wants."""

    def __init__(
        self, cluster: Cluster, clock: Clock, *, namespace: str, name: str, identity: str, terms: Terms | None = None
    ) -> None:
        self._cluster = cluster
        self._clock = clock
        self._namespace = namespace
        self._name = name
        self._identity = identity
        self._terms = terms or Terms()
        self._seen: tuple[object, ...] | None = None
        self._seen_at = 0.0
        self.holder = ""
        """Who held it when it was last looked at."""
        self.wanted_by = ""
        """Who asked for it, at the same time."""

    async def ask(self) -> None:
        """Ask the holder for the Lease; it is let go of if its holder can do without."""
        try:
            async with asyncio.timeout(self._terms.deadline):
                lease = await self._cluster.get(LEASES, self._namespace, self._name)
                if lease is None or self.wanted_by:
                    return
                version = lease["metadata"].get("resourceVersion")
                metadata = {"annotations": {WANTED_BY: self._identity}, "resourceVersion": version}
                await self._cluster.patch(
                    LEASES, self._namespace, self._name, {"metadata": metadata}, manager=names.STATUS_MANAGER
                )
                self.wanted_by = self._identity
        except (ApiError, TransportError, TimeoutError):
            # Asked again the next time it is looked at.
            return

    async def take(self, *, grace: float = 0.0) -> bool:
        """Try once to get the Lease; one that became free is left to others for `grace` seconds."""
        try:
            async with asyncio.timeout(self._terms.deadline):
                return await self._write(grace)
        except (ApiError, TransportError, TimeoutError):
            return False

    async def release(self) -> None:
        """Let go at once, so that a successor need not wait."""
        try:
            lease = await self._cluster.get(LEASES, self._namespace, self._name)
            if lease is not None and (lease.get("spec") or {}).get("holderIdentity") == self._identity:
                spec = {**lease["spec"], "holderIdentity": "", "leaseDurationSeconds": 1}
                await self._cluster.replace(LEASES, {**lease, "spec": spec}, manager=names.STATUS_MANAGER)
        except (ApiError, TransportError):
            # It runs out by itself.
            return

    async def keep(self) -> bool:
        """Renew; False when another holds it, or the time in which that had to work is over."""
        began = self._clock.monotonic()
        while True:
            left = self._terms.deadline - (self._clock.monotonic() - began)
            try:
                async with asyncio.timeout(max(left, 0.0)):
                    return await self._write(0.0)
            except (ApiError, TransportError, TimeoutError):
                if left <= self._terms.pause:
                    return False
                await self._clock.sleep(self._terms.pause / 2)

    async def _write(self, grace: float) -> bool:
        """Take or renew the Lease if it is ours, or has been free for long enough."""
        lease = await self._cluster.get(LEASES, self._namespace, self._name)
        spec = (lease or {}).get("spec") or {}
        holder = str(spec.get("holderIdentity") or "")
        taken = holder != self._identity
        annotations = meta.annotations(lease)
        self.holder, self.wanted_by = holder, str(annotations.get(WANTED_BY) or "")
        grace = 0.0 if self.wanted_by == self._identity else grace
        if taken and self._unchanged_for(spec) < self._runs(spec, holder) + grace:
            return False
        now = self._clock.now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        if lease is None:
            await self._cluster.create(LEASES, self._fresh(now), manager=names.STATUS_MANAGER)
            return True
        renewed = {
            **spec,
            "holderIdentity": self._identity,
            "leaseDurationSeconds": int(self._terms.duration),
            "renewTime": now,
            "acquireTime": now if taken else spec.get("acquireTime") or now,
            "leaseTransitions": int(spec.get("leaseTransitions") or 0) + (1 if taken else 0),
        }
        metadata = lease["metadata"]
        if taken:
            # Whoever asked for it has it now, or did not come.
            kept = {name: text for name, text in annotations.items() if name != WANTED_BY}
            metadata = {**metadata, "annotations": kept}
            self.holder, self.wanted_by = self._identity, ""
        await self._cluster.replace(
            LEASES, {**lease, "metadata": metadata, "spec": renewed}, manager=names.STATUS_MANAGER
        )
        return True

    def _unchanged_for(self, spec: Object) -> float:
        """Return for how long we have seen the Lease as it is now."""
        seen = (spec.get("holderIdentity"), spec.get("renewTime"), spec.get("leaseTransitions"))
        if seen != self._seen:
            self._seen, self._seen_at = seen, self._clock.monotonic()
        return self._clock.monotonic() - self._seen_at

    def _runs(self, spec: Object, holder: str) -> float:
        """Return for how long a Lease that does not change is still its holder's; one without holder is free now."""
        return float(spec.get("leaseDurationSeconds") or self._terms.duration) + _MARGIN if holder else 0.0

    def _fresh(self, now: str) -> Object:
        return {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": self._name, "namespace": self._namespace},
            "spec": {
                "holderIdentity": self._identity,
                "leaseDurationSeconds": int(self._terms.duration),
                "acquireTime": now,
                "renewTime": now,
                "leaseTransitions": 0,
            },
        }
