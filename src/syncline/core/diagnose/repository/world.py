"""What the apps of a repository deliver, worked out once: objects under their keys, who makes what, what names what.

Made by `syncline.core.diagnose.subjects.Repo`, read by the rules on repositories. Which kinds are namespaced is known
from Kubernetes, from the definitions of the repository, from facts about clusters and from a list of well-known kinds;
any other kind is taken as namespaced. Two apps go to one cluster for sure only where one root leads to both: what they
make is compared then. Whether somebody makes an object is asked of the whole repository, so that nothing is called
missing that another root may bring.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from syncline.apimachinery.keys import GroupKind, GroupVersionKind, Object, ObjectKey
from syncline.apimachinery.schema import resources
from syncline.apimachinery.schema.node import Node
from syncline.apimachinery.schema.validate import FieldProblem
from syncline.core import defined_kinds, known_kinds
from syncline.core.compare.prepare import Prepared, PreparedSet, prepare
from syncline.core.references import read
from syncline.model import application, names
from syncline.model.application import Application
from syncline.model.desired import DesiredObject
from syncline.model.errors import InvalidSpec
from syncline.model.reference import Reference
from syncline.model.sources import repository_urls

if TYPE_CHECKING:
    from syncline.core.diagnose.subjects import Repo, RepoApp
    from syncline.model.cluster_facts import ClusterFacts
    from syncline.model.settings.settings import Settings

NAMESPACE = GroupKind("", "Namespace")
_SECRET = GroupKind("", "Secret")
WORKLOADS = (
    GroupKind("", "Pod"),
    *(GroupKind("apps", kind) for kind in ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")),
    *(GroupKind("batch", kind) for kind in ("Job", "CronJob")),
)
CHILD_KINDS = (GroupKind(names.GROUP, "Application"), GroupKind(names.GROUP, "ApplicationSet"))


_PODS = {"Pod": ("spec",), "CronJob": ("spec", "jobTemplate", "spec", "template", "spec")}


Judge = Callable[[Object], Sequence[FieldProblem]]
"""Says what an API server would refuse about an object, by that object alone."""


class Delivery(msgspec.Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """An app that was rendered, with its objects as a sync would take them, and the cluster they go to."""

    app: RepoApp
    typed: Application
    prepared: PreparedSet
    cluster: str
    judge: Judge | None = None

    def __str__(self) -> str:
        return str(self.app)

    @cached_property
    def items(self) -> tuple[Prepared, ...]:
        """Objects and hooks."""
        return (*self.prepared.objects, *self.prepared.hooks)

    @cached_property
    def references(self) -> tuple[tuple[Prepared, tuple[Reference, ...]], ...]:
        """What each object names; those that name nothing are left out."""
        every = ((item, read.references(item.obj)) for item in self.items)
        return tuple(one for one in every if one[1])

    @cached_property
    def refused(self) -> Mapping[int, Sequence[FieldProblem]]:
        """What an API server would refuse, by the identity of the object; those that it takes are left out."""
        judge = self.judge
        every = ((id(item), judge(item.obj)) for item in self.items) if judge is not None else ()
        return {identity: found for identity, found in every if found}

    @cached_property
    def validated(self) -> dict[tuple[int, GroupVersionKind | Node, str | None], list[FieldProblem]]:
        """What schemas say against its objects, as far as somebody asked: by object, schema and Kubernetes minor."""
        return {}

    @property
    def namespace(self) -> str:
        """The namespace that objects without one get."""
        return self.typed.spec.destination.namespace


class KnownDeliveries:
    """What apps deliver, from one look at a repository to the next: the same app under the same settings the same."""

    def __init__(self) -> None:
        self._settings: Settings | None = None
        self._known: dict[int, tuple[Delivery, tuple[bool | None, ...]]] = {}
        self._next: dict[int, tuple[Delivery, tuple[bool | None, ...]]] = {}

    def begin(self, settings: Settings) -> None:
        """Begin a look under these settings; what the last look did not ask for is forgotten."""
        self._known, self._next = self._next if settings == self._settings else {}, {}
        self._settings = settings

    def get(self, app: RepoApp, scopes: Mapping[GroupKind, bool]) -> Delivery | None:
        """Return what an app delivers, where that is known and its kinds are namespaced as they were."""
        known = self._known.get(id(app))
        if known is None or known[1] != _scopes_of(app, scopes):
            return None
        self._next[id(app)] = known
        return known[0]

    def keep(self, delivery: Delivery, scopes: Mapping[GroupKind, bool]) -> None:
        """Keep what an app delivers; the app lives as long as that, so that nothing else has its identity."""
        self._next[id(delivery.app)] = delivery, _scopes_of(delivery.app, scopes)


def _scopes_of(app: RepoApp, scopes: Mapping[GroupKind, bool]) -> tuple[bool | None, ...]:
    return tuple(scopes.get(kind) for kind in app.kinds)


Made = tuple[Delivery, Prepared]
"""An object, and the app that delivers it."""


class World:
    """All that rules ask about what a repository delivers."""

    def __init__(self, repo: Repo, known: KnownDeliveries | None = None) -> None:
        self._repo = repo
        self._known = known or KnownDeliveries()

    @cached_property
    def scopes(self) -> Mapping[GroupKind, bool]:
        """Which kinds are namespaced, as far as that is known."""
        kinds = {kind for app in self._repo.apps for kind in app.kinds}
        found = {kind: scope for kind in kinds if (scope := known_kinds.namespaced(kind)) is not None}
        for facts in self._repo.clusters.values():
            found |= {kind: one.namespaced for kind, one in facts.kinds.items()}
        found |= {kind: known.namespaced for kind in kinds if (known := resources.for_group_kind(kind)) is not None}
        defining = (app for app in self._repo.apps if any(kind.kind == defined_kinds.DEFINITION for kind in app.kinds))
        objects = (item.obj for app in defining if app.desired is not None for item in app.desired.objects)
        return {**found, **dict(defined_kinds.scopes(objects))}

    @cached_property
    def deliveries(self) -> tuple[Delivery, ...]:
        """The apps that could be rendered, by name."""
        return tuple(self._deliveries())

    def _deliveries(self) -> Iterator[Delivery]:
        settings, scopes = self._repo.settings.settings, self.scopes
        self._known.begin(settings)
        for _, app in self._repo.by_name:
            if app.desired is None:
                continue
            made = self._known.get(app, scopes)
            if made is None and (typed := typed_app(app)) is not None:
                prepared = prepare(app.desired, typed, settings, scopes)
                made = Delivery(
                    app=app, typed=typed, prepared=prepared, cluster=cluster_of(typed), judge=self._repo.judge
                )
                self._known.keep(made, scopes)
            if made is not None:
                yield made

    @cached_property
    def objects(self) -> Mapping[ObjectKey, tuple[Made, ...]]:
        """Every object that any app delivers, with all apps that do."""
        found: dict[ObjectKey, list[Made]] = defaultdict(list)
        for delivery in self.deliveries:
            for item in delivery.items:
                found[item.key].append((delivery, item))
        return {key: tuple(made) for key, made in found.items()}

    @cached_property
    def raw_secrets(self) -> Mapping[ObjectKey, tuple[Delivery, DesiredObject]]:
        """Secrets as they are written: what is delivered has its stringData in data already."""
        found: dict[ObjectKey, tuple[Delivery, DesiredObject]] = {}
        for delivery in self.deliveries:
            for item in delivery.app.desired.objects if delivery.app.desired is not None else ():
                if item.key.group_kind == _SECRET:
                    found.setdefault(item.key, (delivery, item))
        return found

    @cached_property
    def by_kind(self) -> Mapping[GroupKind, tuple[Made, ...]]:
        """Every object by kind."""
        found: dict[GroupKind, list[Made]] = defaultdict(list)
        for key, made in self.objects.items():
            found[key.group_kind] += made
        return {kind: tuple(made) for kind, made in found.items()}

    @cached_property
    def kinds(self) -> frozenset[GroupKind]:
        """Every kind that is delivered."""
        return frozenset(self.by_kind)

    @cached_property
    def references(self) -> tuple[tuple[Delivery, Prepared, tuple[Reference, ...]], ...]:
        """What each object names; those that name nothing are left out."""
        return tuple((delivery, item, named) for delivery in self.deliveries for item, named in delivery.references)

    def references_of(self, delivery: Delivery) -> tuple[tuple[Prepared, tuple[Reference, ...]], ...]:
        """Return what the objects of one app name; those that name nothing are left out."""
        return delivery.references

    @cached_property
    def made_by_app(self) -> Mapping[str, Mapping[ObjectKey, Prepared]]:
        """What operators make of the objects of each app, by the identity of its delivery."""
        found: dict[str, dict[ObjectKey, Prepared]] = defaultdict(dict)
        for key, made in self.made.items():
            for delivery, item in made:
                found[str(id(delivery))].setdefault(key, item)
        return found

    @cached_property
    def made(self) -> Mapping[ObjectKey, tuple[Made, ...]]:
        """What operators make of objects of the repository: the Secret of an ExternalSecret, and the like."""
        found: dict[ObjectKey, list[Made]] = defaultdict(list)
        for delivery, item, references in self.references:
            for one in references:
                if one.makes:
                    found[one.key].append((delivery, item))
        return {key: tuple(made) for key, made in found.items()}

    @cached_property
    def custom(self) -> Mapping[str, tuple[Prepared, ...]]:
        """Objects of custom kinds by namespace whose operators may make anything of them."""
        found: dict[str, list[Prepared]] = defaultdict(list)
        for kind, made in self.by_kind.items():
            known = resources.for_group_kind(kind) is not None or kind.group == names.GROUP or read.may_make(kind)
            if not known:
                for _, item in made:
                    found[item.key.namespace].append(item)
        return {namespace: tuple(items) for namespace, items in found.items()}

    @cached_property
    def workloads(self) -> Mapping[str, tuple[Prepared, ...]]:
        """What has pods, by namespace."""
        found: dict[str, list[Prepared]] = defaultdict(list)
        for kind in WORKLOADS:
            for _, item in self.by_kind.get(kind, ()):
                found[item.key.namespace].append(item)
        return {namespace: tuple(items) for namespace, items in found.items()}

    @cached_property
    def labelled(self) -> Mapping[tuple[str, str, str], tuple[Prepared, ...]]:
        """What has pods, by namespace and by each label of the pods with its value."""
        found: dict[tuple[str, str, str], list[Prepared]] = defaultdict(list)
        for namespace, items in self.workloads.items():
            for item in items:
                for label, value in pod_labels(item.obj).items():
                    found[namespace, label, str(value)].append(item)
        return {labels: tuple(items) for labels, items in found.items()}

    @cached_property
    def names(self) -> Mapping[tuple[GroupKind, str], tuple[str, ...]]:
        """The names of what is delivered or made, by kind and namespace, in order."""
        found: dict[tuple[GroupKind, str], set[str]] = defaultdict(set)
        for key in (*self.objects, *self.made):
            found[key.group_kind, key.namespace].add(key.name)
        return {place: tuple(sorted(known)) for place, known in found.items()}

    @cached_property
    def namespaces_of(self) -> Mapping[tuple[GroupKind, str], tuple[str, ...]]:
        """The namespaces in which an object is delivered or made, by its kind and name, in order."""
        found: dict[tuple[GroupKind, str], set[str]] = defaultdict(set)
        for key in (*self.objects, *self.made):
            found[key.group_kind, key.name].add(key.namespace)
        return {one: tuple(sorted(namespaces)) for one, namespaces in found.items()}

    def makers(self, key: ObjectKey) -> tuple[Made, ...]:
        """Return who delivers an object, or has it made."""
        return (*self.objects.get(key, ()), *self.made.get(key, ()))

    def maybe_made(self, key: ObjectKey) -> bool:
        """Whether a custom object beside it bears part of its name, so that its operator may make it."""
        return any(item.key.name and item.key.name in key.name for item in self.custom.get(key.namespace, ()))

    @cached_property
    def namespaces(self) -> frozenset[str]:
        """The namespaces that something of the repository delivers, creates or is delivered to."""
        found = {key.name for key in self.objects if key.group_kind == NAMESPACE}
        for app in self._repo.apps:
            destination = (app.manifest.obj.get("spec") or {}).get("destination") or {}
            found.add(str(destination.get("namespace") or ""))
        found |= {key.namespace for key in self.objects}
        return frozenset(found)

    @cached_property
    def made_namespaces(self) -> frozenset[str]:
        """The namespaces that something of the repository makes: a Namespace, or an app that creates its own."""
        found = {key.name for key in self.objects if key.group_kind == NAMESPACE or key.kind == "Project"}
        for app in self._repo.apps:
            spec = app.manifest.obj.get("spec") or {}
            policy = spec.get("syncPolicy")
            options = policy.get("syncOptions") if isinstance(policy, dict) else None
            if "CreateNamespace=true" in (options if isinstance(options, list) else ()):
                found.add(str((spec.get("destination") or {}).get("namespace") or ""))
        return frozenset(found)

    @cached_property
    def defined(self) -> Mapping[GroupKind, tuple[Made, ...]]:
        """The kinds that definitions of the repository define, and who delivers those."""
        found: dict[GroupKind, list[Made]] = defaultdict(list)
        for made in self.by_kind.get(GroupKind("apiextensions.k8s.io", defined_kinds.DEFINITION), ()):
            kind = defined_kinds.defined_kind(made[1].obj)
            if kind is not None:
                found[kind].append(made)
        return {kind: tuple(made) for kind, made in found.items()}

    @cached_property
    def complete(self) -> bool:
        """Whether everything that the repository leads to was rendered."""
        unknown = any(app.desired is None or app.incomplete for app in self._repo.apps)
        return not unknown and not any(one.unknown or one.problem for one in self._repo.sets)

    def facts(self, cluster: str) -> ClusterFacts | None:
        """Return the facts about a cluster, by its address or name."""
        return self._repo.clusters.get(cluster)

    @cached_property
    def reached(self) -> frozenset[str]:
        """The folders with a kustomization that an app of this repository leads to."""
        lists = self._repo.kustomizations
        waiting = [folder for app in self._repo.apps for folder in self._own_folders(app) if folder in lists]
        found = set(waiting)
        while waiting:
            for name in lists.get(waiting.pop(), ()):
                if name in lists and name not in found:
                    found.add(name)
                    waiting.append(name)
        return frozenset(found)

    def _own_folders(self, app: RepoApp) -> Iterator[str]:
        spec = app.manifest.obj.get("spec") or {}
        sources = spec.get("sources") or [spec.get("source")]
        for source in sources if isinstance(sources, list) else ():
            if isinstance(source, dict):
                url = repository_urls.spelling(str(source.get("repoURL") or ""))
                if url in self._repo.own_addresses:
                    yield str(source.get("path") or "").strip("/").removeprefix("./").removesuffix("/.")

    @cached_property
    def parents(self) -> Mapping[str, tuple[Made, ...]]:
        """Who delivers each Application, by its name with its namespace, with the Application as it is delivered."""
        found: dict[str, list[Made]] = defaultdict(list)
        for delivery in self.deliveries:
            for item in delivery.items:
                if item.key.group_kind == CHILD_KINDS[0]:
                    found[f"{item.key.namespace}/{item.key.name}"].append((delivery, item))
        return {name: tuple(made) for name, made in found.items()}


def pod_labels(obj: Object) -> Mapping[str, Any]:
    """Return the labels of a pod, or of the pods that a workload makes."""
    holder = obj if obj.get("kind") == "Pod" else (obj.get("spec") or {}).get("template") or {}
    labels = (holder.get("metadata") or {}).get("labels")
    return labels if isinstance(labels, dict) else {}


def pod_steps(kind: str) -> tuple[str, ...]:
    """Return the way to the spec of the pods in a workload of a kind."""
    return _PODS.get(kind, ("spec", "template", "spec"))


def is_given(namespace: str) -> bool:
    """Whether a namespace is there on every cluster, or on every one of its make."""
    return namespace in ("default", "openshift") or namespace.startswith(("kube-", "openshift-"))


def cluster_of(app: Application) -> str:
    """Return the address of the cluster an app is delivered to, or its name; both names of our own are one."""
    destination = app.spec.destination
    if destination.name == names.IN_CLUSTER_NAME:
        return names.IN_CLUSTER_SERVER
    return destination.server or destination.name


def typed_app(app: RepoApp) -> Application | None:
    """Return the typed Application; None where it cannot be read, which is another rule's to report."""
    try:
        return application.parse(app.manifest.obj)
    except InvalidSpec:
        return None
