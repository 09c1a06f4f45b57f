"""What the API server refused and in which words, for every check that looks at refusals of a fleet.

A refusal comes from a sync (the result of an Application's operation) or from a controller that makes pods (a condition
or an Event of its workload). The words are those of `syncline.core.diagnose.messages.refusals`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from syncline.apimachinery.keys import GroupKind, GroupVersionKind, Object, ObjectKey, gvk_of, key_of
from syncline.apimachinery.schema import resources
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.fault import Node, condition
from syncline.core.diagnose.graph.view.fleet import APPLICATION, FleetIndex
from syncline.core.diagnose.messages.refusals import (
    BAD_QUANTITY,
    DENIED,
    IMMUTABLE,
    KIND_MISSING,
    QUOTA,
    UNANSWERED,
    UNKNOWN_FIELD,
)
from syncline.core.health import events
from syncline.model.diagnosis import Thing

NO_NAMESPACE = re.compile(r"namespaces \"(?P<namespace>[\w.-]+)\" not found")
TERMINATING = re.compile(r"because it is being terminated|namespace (?P<namespace>[\w.-]+) is being terminated")
FORBIDDEN = re.compile(
    r"User \"(?P<user>[^\"]+)\" cannot (?P<verb>\w+) resource \"(?P<resource>[\w./-]+)\""
    r"(?: in API group \"(?P<group>[\w.-]*)\")?"
    r"(?: in the namespace \"(?P<namespace>[\w.-]+)\")?"
)
NO_ACCOUNT = re.compile(
    r"(?:serviceaccount|service account) [\w.-]*:?/?\"?(?:[\w.-]+/)?(?P<account>[\w.-]+)\"? (?:was )?not found"
)
UNLIMITED = re.compile(r"failed quota: (?P<quota>[\w.-]+): must specify (?P<what>[\w.,/ :;-]*[\w-])")
"""A quota on requests or limits refuses whoever names none."""
CONVERSION = re.compile(
    r"conversion webhook for (?P<version>[\w./-]+), Kind=(?P<kind>\w+) failed: (?P<said>.*)", re.DOTALL
)
_KNOWN = (
    DENIED,
    IMMUTABLE,
    KIND_MISSING,
    QUOTA,
    UNANSWERED,
    UNKNOWN_FIELD,
    BAD_QUANTITY,
    NO_NAMESPACE,
    TERMINATING,
    FORBIDDEN,
    NO_ACCOUNT,
    UNLIMITED,
)
MAKERS = (
    GroupKind("apps", "Deployment"),
    GroupKind("apps", "StatefulSet"),
    GroupKind("apps", "DaemonSet"),
    GroupKind("apps", "ReplicaSet"),
    GroupKind("batch", "Job"),
)
"""Kinds whose controllers make pods, and are refused them."""
SUBJECTS = (APPLICATION, *MAKERS)


class Said(msgspec.Struct, frozen=True):
    """A refusal: what was refused, in which words, since when, and whether a sync or a controller was refused."""

    thing: Thing
    message: str
    since: str = ""
    by_sync: bool = True
    version: str = ""
    """The version that the object was sent as, where a sync recorded it."""

    @property
    def key(self) -> ObjectKey:
        """The object that was refused."""
        return self.thing.key or ObjectKey("", "", "", "")


def is_known(message: str) -> bool:
    """Whether a rule knows the words of a refusal."""
    return any(words.search(message) for words in _KNOWN)


def said(node: Node) -> Iterator[Said]:
    """Yield what was refused to an Application's sync, or to the controller of a workload."""
    if node.key.group_kind == APPLICATION:
        where = node.fleet.destination(node.obj).name
        since = str(apps.status(node.obj, "operationState").get("finishedAt") or "")
        rows = [one for one in apps.refused(node.obj) if not one.hook]
        for one in rows:
            yield Said(Thing(cluster=where, key=one.key), one.message, since, version=one.version)
        message = str(apps.status(node.obj, "operationState").get("message") or "")
        if not rows and apps.is_failing(node.obj):
            yield Said(node.thing, message, since)
        return
    yield from _of_controller(node)


def removed_version(fleet: FleetIndex, one: Said) -> tuple[GroupVersionKind, resources.RemovedApi] | None:
    """Return the version of an object that was refused because Kubernetes has removed it; None where that is not why.

    Git says which version it is, else the result of the sync.
    """
    if not KIND_MISSING.search(one.message):
        return None
    written = fleet.desired(one.thing)
    key = one.key
    gvk = gvk_of(written[1].obj) if written is not None else GroupVersionKind(key.group, one.version, key.kind)
    gone = resources.removed(gvk)
    return (gvk, gone) if gone is not None else None


def _of_controller(node: Node) -> Iterator[Said]:
    """Yield why no pods are created: by conditions first, which stay, else by Events of something that lacks pods."""
    found = False
    makers = [node.obj, *(one for one in node.cluster.children(node.obj) if _is_wanted(one))]
    for maker in makers:
        failure = condition(maker, "ReplicaFailure")
        if failure.get("status") == "True":
            found = True
            since = str(failure.get("lastTransitionTime") or "")
            yield Said(node.thing, str(failure.get("message") or ""), since, by_sync=False)
    if found or not _lacks_pods(node):
        return
    told: set[str] = set()
    for maker in makers:
        for event in node.cluster.events(key_of(maker), "FailedCreate"):
            shape = re.sub(r'"[^"]*"|\d+', "", events.message(event))
            if shape not in told:
                told.add(shape)
                yield Said(node.thing, events.message(event), events.time(event), by_sync=False)


def _is_wanted(obj: Object) -> bool:
    """Whether something is a ReplicaSet that should have pods; those of former revisions should not."""
    return obj.get("kind") == "ReplicaSet" and (obj.get("spec") or {}).get("replicas") != 0


def _lacks_pods(node: Node) -> bool:
    spec, status = node.obj.get("spec") or {}, node.obj.get("status") or {}
    kind = node.key.kind
    if kind == "DaemonSet":
        return int(status.get("currentNumberScheduled") or 0) < int(status.get("desiredNumberScheduled") or 0)
    if kind == "Job":
        return not any(status.get(name) for name in ("active", "succeeded", "failed"))
    wanted = spec.get("replicas")
    return int(status.get("replicas") or 0) < int(1 if wanted is None else wanted) or bool(
        status.get("unavailableReplicas")
    )
