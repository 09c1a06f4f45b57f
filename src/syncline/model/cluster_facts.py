"""What is known about a cluster without asking it: one file per cluster, written by `syncline facts`.

Read by `syncline.api.repository.cluster_facts` from `.syncline/clusters/NAME.yaml`, handed to rules in
`syncline.core.diagnose.subjects.Repo`. The file is the one that `syncline sandbox --cluster` takes, with the part
`facts` added. It has no Secrets. Facts that are old are `stale`: what rests on them is no more than a remark.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from syncline.apimachinery.keys import GroupKind
from syncline.model.cluster import KnownCluster
from syncline.model.errors import InvalidSpec, Place


class _Part(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A part of the file; fields that nobody knows are passed over, for newer writers."""


class Taint(_Part, frozen=True):
    """What keeps pods from a node."""

    key: str = ""
    value: str = ""
    effect: str = ""


class NodeFacts(_Part, frozen=True):
    """A node: what it is called, what it offers, and what keeps pods away from it."""

    name: str = ""
    cpu: str = ""
    memory: str = ""
    labels: Mapping[str, str] = {}
    taints: tuple[Taint, ...] = ()
    resources: Mapping[str, str] = {}
    unschedulable: bool = False
    volume_limit: int = 0
    """How many volumes it attaches; 0 where that is not known."""


class LoadBalancerFacts(_Part, frozen=True):
    """Whether Services get addresses, and the classes that Ingresses may be of; none where that is not known."""

    enabled: bool = True
    ingress_classes: tuple[str, ...] = ()


class StorageClassFacts(_Part, frozen=True):
    """A class of volumes."""

    name: str = ""
    provisioner: str = ""
    binding_mode: str = "Immediate"
    default: bool = False


class ServedKind(_Part, frozen=True):
    """A kind that the cluster serves, with its versions."""

    group: str = ""
    kind: str = ""
    versions: tuple[str, ...] = ()
    namespaced: bool = True


class _Facts(_Part, frozen=True):
    date: str = ""
    name: str = ""
    server: str = ""
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    namespaces: tuple[str, ...] = ()
    kinds: tuple[ServedKind, ...] = ()


class ClusterFacts(_Part, frozen=True):
    """One cluster as its file describes it."""

    version: str = ""
    nodes: tuple[NodeFacts, ...] = ()
    storage_classes: tuple[StorageClassFacts, ...] = ()
    load_balancers: LoadBalancerFacts | None = None
    facts: _Facts = _Facts()
    stale: bool = False

    @property
    def name(self) -> str:
        """What the cluster is called."""
        return self.facts.name

    @property
    def minor(self) -> str:
        """Its Kubernetes minor, as `1.31`; empty where that is not known."""
        parts = self.version.lstrip("v").split(".")
        return ".".join(parts[:2]) if len(parts) > 1 else ""

    @property
    def kinds(self) -> Mapping[GroupKind, ServedKind]:
        """The kinds it serves; none where the file does not say."""
        return {GroupKind(one.group, one.kind): one for one in self.facts.kinds}

    @property
    def namespaces(self) -> frozenset[str]:
        """Its namespaces; none where the file does not say."""
        return frozenset(self.facts.namespaces)

    @property
    def known(self) -> KnownCluster:
        """The cluster as generators of ApplicationSets see it."""
        facts = self.facts
        return KnownCluster(
            name=facts.name, server=facts.server, labels=dict(facts.labels), annotations=dict(facts.annotations)
        )


def parse(value: Any, file: str, *, name: str, default_server: str) -> ClusterFacts:
    """Return the facts of a file; raises `InvalidSpec` naming the field that cannot be read."""
    try:
        found = msgspec.convert(value or {}, ClusterFacts, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidSpec(
            f"these facts cannot be read: {error}", place=Place(file), hint="write them again with syncline facts"
        ) from None
    facts = found.facts
    named = msgspec.structs.replace(facts, name=facts.name or name, server=facts.server.rstrip("/") or default_server)
    return msgspec.structs.replace(found, facts=named, stale=False)
