"""Which kinds are served, under which names, with which schema.

Built-in kinds come from `syncline.apimachinery.schema.builtin`; custom ones are added and taken away by
`syncline.sandbox.served.custom` as their definitions come and go. Everything that turns a path or a kind into something
stored asks here. All versions of a kind share one bucket of the store, because only apiVersion tells them apart.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
import orjson

from syncline.apimachinery.keys import GroupKind, GroupVersionKind, Object
from syncline.apimachinery.schema import builtin, prune, structural_defaults
from syncline.apimachinery.schema.node import ANY, Node
from syncline.sandbox import conversions
from syncline.sandbox.conversions import KindFamily
from syncline.sandbox.store.store import Bucket, Row

_SPEC_COUNTED: Final = frozenset(
    {
        ("", "Pod"),
        ("", "PodTemplate"),
        ("", "ReplicationController"),
        ("apps", "DaemonSet"),
        ("apps", "Deployment"),
        ("apps", "ReplicaSet"),
        ("apps", "StatefulSet"),
        ("autoscaling", "HorizontalPodAutoscaler"),
        ("batch", "CronJob"),
        ("batch", "Job"),
        ("discovery.k8s.io", "EndpointSlice"),
        ("networking.k8s.io", "Ingress"),
        ("networking.k8s.io", "IngressClass"),
        ("networking.k8s.io", "NetworkPolicy"),
        ("policy", "PodDisruptionBudget"),
        ("apiextensions.k8s.io", "CustomResourceDefinition"),
        ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
        ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
        ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"),
        ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
        ("flowcontrol.apiserver.k8s.io", "FlowSchema"),
        ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"),
        ("resource.k8s.io", "DeviceClass"),
        ("resource.k8s.io", "ResourceSlice"),
        ("scheduling.k8s.io", "PriorityClass"),
    }
)
"""Built-in kinds that keep metadata.generation."""


class ScalePaths(msgspec.Struct, frozen=True):
    """Where the scale subresource finds its numbers, as dotted JSON paths."""

    spec_replicas: str = ".spec.replicas"
    status_replicas: str = ".status.replicas"
    selector: str = ""


class PrinterColumn(msgspec.Struct, frozen=True):
    """One printer column of a custom kind."""

    name: str
    type: str
    json_path: str
    format: str = ""
    description: str = ""
    priority: int = 0


class Custom(msgspec.Struct, frozen=True):
    """What the definition of a custom kind says of one version."""

    schema: dict[str, Any]
    node: Node
    status_subresource: bool
    scale: ScalePaths | None
    columns: tuple[PrinterColumn, ...]
    selectable_fields: tuple[str, ...] = ()
    storage: bool = True
    deprecated: bool = False
    deprecation_warning: str = ""
    ruled: bool = False
    """Whether its schema has CEL rules."""
    embeds: bool = False
    """Whether its objects carry other objects."""
    keyed: bool = False
    """Whether its objects have sets or lists that go by keys."""
    others: Mapping[str, Node] = {}
    """The schemas of the other served versions, by apiVersion."""
    stored: Node | None = None
    """The schema of the version that objects are stored in, where that is another one."""
    webhook: bool = False
    """Whether a webhook would convert between this version and the stored one."""
    reshaped: bool = False
    """Whether what is stored may lack defaults or have fields that its schema does not know."""


class Resource(msgspec.Struct, frozen=True, dict=True):
    """A kind in one version, as it is served; what every request asks of it is worked out once."""

    gvk: GroupVersionKind
    plural: str
    singular: str
    namespaced: bool
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    custom: Custom | None = None
    family: KindFamily | None = None
    """How it is converted; None for a kind that has one shape."""

    @functools.cached_property
    def converted(self) -> KindFamily | None:
        """The way to the stored shape; None when it is the stored one."""
        return self.family if self.family is not None and self.family.stored != self.gvk else None

    @functools.cached_property
    def group(self) -> str:
        """The API group."""
        return self.gvk.group

    @functools.cached_property
    def kind(self) -> str:
        """The kind."""
        return self.gvk.kind

    @functools.cached_property
    def bucket(self) -> Bucket:
        """Where its objects are kept."""
        return self.family.bucket if self.family is not None else Bucket(self.gvk.group, self.plural)

    @property
    def list_kind(self) -> str:
        """The kind of its lists."""
        return f"{self.gvk.kind}List"

    @functools.cached_property
    def has_status(self) -> bool:
        """Whether status is written through a subresource only."""
        return "status" in self.subresources

    @property
    def scale(self) -> ScalePaths | None:
        """Where the scale subresource reads and writes, None when there is none."""
        if self.custom is not None:
            return self.custom.scale
        return ScalePaths() if "scale" in self.subresources else None

    @functools.cached_property
    def counts_generation(self) -> bool:
        """Whether its objects carry metadata.generation."""
        return self.custom is not None or (self.group, self.kind) in _SPEC_COUNTED

    def node(self) -> Node:
        """Return the schema of its objects."""
        return self._node

    @functools.cached_property
    def _node(self) -> Node:
        if self.custom is not None:
            return self.custom.node
        return builtin.for_kind(self.gvk) or ANY

    def encode(self, row: Row) -> bytes:
        """Return a stored object as it is sent."""
        if self.converted is not None or (self.custom is not None and self.custom.reshaped):
            return orjson.dumps(self.decode(row))
        return _head(self.gvk) + row.body[1:]

    def encode_item(self, row: Row) -> bytes:
        """Return a stored object as it is sent within a list of a built-in kind."""
        if self.converted is not None:
            return orjson.dumps(self.converted.from_stored(row.decode()))
        return row.body

    def decode(self, row: Row) -> Object:
        """Return a stored object with kind and apiVersion; the caller owns it."""
        found = row.decode() if self.converted is None else self.converted.from_stored(row.decode())
        if self.custom is not None and self.custom.reshaped:
            found = _reshaped(found, self.custom)
        return {"kind": self.gvk.kind, "apiVersion": self.gvk.api_version, **found}


def _reshaped(obj: Object, custom: Custom) -> Object:
    """Return a stored object as its schema wants it today: that of storage first, then that of the version asked for.

    Defaults are those of storage alone: the API server fills in what is stored, and then only leaves out.
    """
    stored = custom.node if custom.stored is None else custom.stored
    obj = structural_defaults.apply_schema_defaults(prune.prune(obj, stored), stored)
    return obj if custom.stored is None else prune.prune(obj, custom.node)


@functools.lru_cache(maxsize=1024)
def _head(gvk: GroupVersionKind) -> bytes:
    return orjson.dumps({"kind": gvk.kind, "apiVersion": gvk.api_version})[:-1] + b","


class ServedKinds:
    """All kinds a sandbox serves right now."""

    def __init__(self) -> None:
        self._by_path: dict[tuple[str, str, str], Resource] = {}
        self._by_kind: dict[GroupVersionKind, Resource] = {}
        self._preferred: dict[GroupKind, Resource] = {}
        self._by_bucket: dict[Bucket, Resource] = {}
        self.generation = 0
        """Grows with every change, so that documents made from the registry can be cached."""
        for resource in _built_in():
            self._insert(resource)

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        """Return what is served under a path, or None."""
        return self._by_path.get((group, version, plural))

    def of_kind(self, gvk: GroupVersionKind) -> Resource | None:
        """Return the resource of a kind, or None."""
        return self._by_kind.get(gvk)

    def preferred(self, group: str, kind: str) -> Resource | None:
        """Return a kind in the version that discovery names first, or None."""
        return self._preferred.get(GroupKind(group, kind))

    def of_bucket(self, bucket: Bucket) -> Resource | None:
        """Return one served version of what a bucket holds, or None when it is no longer served."""
        return self._by_bucket.get(bucket)

    def all(self) -> Iterable[Resource]:
        """Return every served kind and version, built-in ones first."""
        return self._by_path.values()

    def replace_custom(self, group: str, plural: str, versions: Iterable[Resource]) -> None:
        """Serve these versions of a custom kind, and no others; preferred first."""
        for key in [key for key in self._by_path if key[0] == group and key[2] == plural]:
            gone = self._by_path.pop(key)
            self._by_kind.pop(gone.gvk, None)
            self._preferred.pop(gone.gvk.group_kind, None)
            self._by_bucket.pop(gone.bucket, None)
        for resource in versions:
            self._insert(resource)
        self.generation += 1

    def _insert(self, resource: Resource) -> None:
        self._by_path[resource.group, resource.gvk.version, resource.plural] = resource
        self._by_kind[resource.gvk] = resource
        self._preferred.setdefault(resource.gvk.group_kind, resource)
        self._by_bucket.setdefault(resource.bucket, resource)


def _built_in() -> list[Resource]:
    found = [
        Resource(
            gvk=gvk,
            plural=names.plural,
            singular=names.singular,
            namespaced=names.namespaced,
            short_names=names.short_names,
            categories=names.categories,
            subresources=names.subresources,
            verbs=names.verbs,
            family=conversions.family_of(gvk),
        )
        for gvk, names in builtin.kinds().items()
        if "alpha" not in gvk.version and "beta" not in gvk.version
    ]
    found.sort(key=lambda resource: (resource.group, resource.plural))
    return sorted(found, key=lambda resource: (resource.converted is not None, resource.group))
