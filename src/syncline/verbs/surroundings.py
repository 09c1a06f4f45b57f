"""Gathers what `why` needs beyond the app itself: what its objects name, where its pods could run, what they printed.

Called by `syncline.verbs.explain` with an assessment; returns its snapshot with more in it. Most comes from the one
read of the cluster that was made anyway and costs nothing; only logs are asked for, a few at once. What may not be
read is named, and never a reason to stop. Secrets are not looked into: that one is absent, pods say themselves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator

import msgspec

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.controller.clusters.destinations import OpenDestination
from syncline.controller.live.index import LiveIndex
from syncline.core.assess import Assessment
from syncline.core.diagnose.findings.redaction import redacted
from syncline.core.diagnose.live.pods import failed_containers
from syncline.core.references import read
from syncline.core.references.pods import CLAIM, CONFIG_MAP, NODE, SECRET, SERVICE_ACCOUNT, STORAGE_CLASS
from syncline.model import names
from syncline.model.errors import InvalidSpec
from syncline.model.snapshot import PodLog
from syncline.ports.kube import ApiError, ClusterReader
from syncline.ports.transport import TransportError
from syncline.verbs.look import ClusterView

_ADMISSION = "admissionregistration.k8s.io"
_EVERYWHERE = (
    NODE,
    STORAGE_CLASS,
    GroupKind(_ADMISSION, "ValidatingAdmissionPolicy"),
    GroupKind(_ADMISSION, "ValidatingAdmissionPolicyBinding"),
    GroupKind(_ADMISSION, "ValidatingWebhookConfiguration"),
    GroupKind(_ADMISSION, "MutatingWebhookConfiguration"),
)
_IN_NAMESPACES = (GroupKind("", "ResourceQuota"), GroupKind("", "LimitRange"))
_BY_NAME = (
    CONFIG_MAP,
    SERVICE_ACCOUNT,
    CLAIM,
    GroupKind("", "Service"),
    GroupKind("apps", "Deployment"),
    GroupKind("apps", "StatefulSet"),
    GroupKind("networking.k8s.io", "IngressClass"),
    GroupKind("scheduling.k8s.io", "PriorityClass"),
    GroupKind("rbac.authorization.k8s.io", "Role"),
    GroupKind("rbac.authorization.k8s.io", "ClusterRole"),
    GroupKind("external-secrets.io", "SecretStore"),
    GroupKind("external-secrets.io", "ClusterSecretStore"),
)
"""Kinds of which the names are known too that nobody names: one of them may have been meant."""
_APPLICATION = GroupKind(names.GROUP, "Application")
_NAMESPACE = GroupKind("", "Namespace")
_PROJECT = GroupKind(names.GROUP, "AppProject")
_LOGS_AT_MOST = 6
_LINES = 20
_LOG_WITHIN = 3.0
_NAMED_AT_MOST = 500
_RIVALS = 5


async def with_surroundings(view: ClusterView, assessment: Assessment) -> Assessment:
    """Return the assessment with all that tells why its objects are as they are."""
    try:
        place = await view.place(assessment)
    except InvalidSpec:
        # It names no cluster that is known, which is said already.
        home = tuple(obj for _key, obj in sorted(_at_home(view)))
        return msgspec.structs.replace(
            assessment, snapshot=msgspec.structs.replace(assessment.snapshot, surroundings=home)
        )
    found = dict(_found(view, place, assessment))
    logs, unread = await _logs(place.cluster, assessment)
    snapshot = assessment.snapshot
    known = {key_of(obj) for obj in snapshot.surroundings}
    more = tuple(obj for key, obj in sorted(found.items()) if key not in assessment.live and key not in known)
    refused = {str(kind) for kind in place.live.failures if kind in {*_EVERYWHERE, *_IN_NAMESPACES, *_BY_NAME}}
    if place.live.events_refused:
        refused.add("Event")
    kept = msgspec.structs.replace(
        snapshot,
        surroundings=(*snapshot.surroundings, *more),
        events=(*snapshot.events, *place.live.events.about(_claims(more))),
        logs=logs,
        unreadable=tuple(sorted({*refused, *unread})),
    )
    return msgspec.structs.replace(assessment, snapshot=kept)


def _claims(objects: Iterable[Object]) -> list[Object]:
    """Return the volume claims around an app: those of a StatefulSet are nobody's, and only Events tell of them."""
    return [obj for obj in objects if key_of(obj).group_kind == CLAIM and obj.get("spec")]


def rivals(view: ClusterView, app: Object) -> list[Object]:
    """Return other Applications that record objects of this one as their own, on the same cluster; a few of them."""
    mine, there = _recorded(app), _destination(app)
    if not mine:
        return []
    others = (other for other in view.home.index.of_kind(_APPLICATION) if key_of(other) != key_of(app))
    return [other for other in others if _destination(other) == there and mine & _recorded(other)][:_RIVALS]


def _recorded(app: Object) -> set[tuple[str, ...]]:
    rows = (app.get("status") or {}).get("resources") or ()
    return {tuple(str(row.get(name) or "") for name in ("group", "kind", "namespace", "name")) for row in rows}


def _destination(app: Object) -> str:
    destination = (app.get("spec") or {}).get("destination") or {}
    named = str(destination.get("server") or destination.get("name") or "")
    return names.IN_CLUSTER_SERVER if named == names.IN_CLUSTER_NAME else named


def _found(view: ClusterView, place: OpenDestination, assessment: Assessment) -> Iterator[tuple[ObjectKey, Object]]:
    index = place.live.index
    for kind in _EVERYWHERE:
        yield from ((key_of(obj), obj) for obj in index.of_kind(kind))
    for namespace in _namespaces(assessment):
        for kind in _IN_NAMESPACES:
            yield from ((key_of(obj), obj) for obj in index.of_kind(kind, namespace))
        yield from _present(index, [ObjectKey("", "Namespace", "", namespace)])
    yield from ((key, _by_name(key)) for key in index.keys(_NAMESPACE) if key.name not in _namespaces(assessment))
    yield from _named(index, assessment)
    yield from _at_home(view)


def _at_home(view: ClusterView) -> Iterator[tuple[ObjectKey, Object]]:
    """Yield the other Applications, and the projects by name."""
    for obj in view.home.index.of_kind(_APPLICATION):
        yield key_of(obj), _outline(obj)
    for key in view.home.index.keys(_PROJECT):
        yield key, {**_by_name(key), "apiVersion": names.API_VERSION}


def _namespaces(assessment: Assessment) -> list[str]:
    keys = (row.key for row in assessment.comparison.rows)
    return sorted({*(key.namespace for key in keys), assessment.app.spec.destination.namespace} - {""})


def _named(index: LiveIndex, assessment: Assessment) -> Iterator[tuple[ObjectKey, Object]]:
    """Yield what the objects of the app name and who makes it, and what else there is of some kinds, by name alone."""
    objects = [*(item.obj for item in assessment.prepared.objects), *assessment.live.values()]
    wanted = {key for obj in objects for key in read.named(obj)}
    for key in sorted(wanted)[:_NAMED_AT_MOST]:
        makers = [one for one in index.referrers(key) if _makes(index, one, key)]
        yield from _present(index, [*makers, *([] if key.group_kind == SECRET else [key])])
        # The next step up: a store that an ExternalSecret names, an issuer that a Certificate names.
        for maker in makers:
            above = [one.key for one in index.references(maker) if not one.makes and one.key.group_kind != SECRET]
            yield from _present(index, above)
    for kind, namespace in {(key.group_kind, key.namespace) for key in wanted if key.group_kind in _BY_NAME}:
        for key in index.keys(kind, namespace)[:_NAMED_AT_MOST]:
            if key not in wanted:
                yield key, _by_name(key)


def _makes(index: LiveIndex, maker: ObjectKey, key: ObjectKey) -> bool:
    return any(one.makes and one.key == key for one in index.references(maker))


def _present(index: LiveIndex, keys: Iterable[ObjectKey]) -> Iterator[tuple[ObjectKey, Object]]:
    for key in keys:
        if (obj := index.get(key)) is not None:
            yield key, obj


def _by_name(key: ObjectKey) -> Object:
    version = f"{key.group}/v1" if key.group else "v1"
    return {"apiVersion": version, "kind": key.kind, "metadata": {"namespace": key.namespace, "name": key.name}}


def _outline(app: Object) -> Object:
    """Return an Application without what only it is interested in: its history and its last operation."""
    status = app.get("status") or {}
    kept = {name: status[name] for name in ("sync", "health", "conditions", "resources") if name in status}
    state = {name: (status.get("operationState") or {}).get(name) for name in ("phase", "message")}
    return {**app, "status": {**kept, "operationState": state}}


async def _logs(cluster: ClusterReader, assessment: Assessment) -> tuple[tuple[PodLog, ...], tuple[str, ...]]:
    """Return what failed containers printed, and "pods/log" where that may not be read."""
    wanted = list(failed_containers(assessment))[:_LOGS_AT_MOST]
    answers = await asyncio.gather(*(_log(cluster, *one) for one in wanted), return_exceptions=True)
    found = [answer for answer in answers if isinstance(answer, PodLog) and answer.lines]
    refused = any(isinstance(answer, ApiError) and answer.code == 403 for answer in answers)
    for answer in answers:
        if isinstance(answer, BaseException) and not isinstance(answer, (ApiError, TransportError, TimeoutError)):
            raise answer
    return tuple(found), ("pods/log",) if refused else ()


async def _log(cluster: ClusterReader, pod: ObjectKey, container: str, previous: bool) -> PodLog:
    options = {"container": container, "tailLines": str(_LINES)}
    if previous:
        options["previous"] = "true"
    async with asyncio.timeout(_LOG_WITHIN):
        printed = cluster.logs(pod.namespace, pod.name, options)
        lines = [redacted(line.decode(errors="replace")) async for line in printed]
    return PodLog(pod, container, tuple(line for line in lines if line.strip())[-_LINES:])
