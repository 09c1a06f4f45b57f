"""What the apps of a repository deliver, worked out once: objects under their keys, who makes what, what names what.

Made by `syncline.core.diagnose.subjects.Repo`, read by the rules on repositories. Which kinds are namespaced is known
from Kubernetes, from the definitions of the repository, from facts about clusters and from a list of well-known kinds;
any other kind is taken as namespaced. Two apps go to one cluster for sure only where one root leads to both: what they
make is compared then. Whether somebody makes an object is asked of the whole repository, so that nothing is called
missing that another root may bring.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from syncline.apimachinery.keys import GroupKind, ObjectKey, gvk_of
from syncline.apimachinery.schema import resources
from syncline.core import defined_kinds, known_kinds
from syncline.core.compare.prepare import Prepared, PreparedSet, prepare
from syncline.core.references import read
from syncline.model import application, names
from syncline.model.application import Application
from syncline.model.errors import InvalidSpec
from syncline.model.reference import Reference
from syncline.model.sources import repository_urls

if TYPE_CHECKING:
    from syncline.core.diagnose.subjects import Repo, RepoApp
    from syncline.model.cluster_facts import ClusterFacts

NAMESPACE = GroupKind("", "Namespace")
CHILD_KINDS = (GroupKind(names.GROUP, "Application"), GroupKind(names.GROUP, "ApplicationSet"))


class Delivery(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """An app that was rendered, with its objects as a sync would take them, and the cluster they go to."""

    app: RepoApp
    typed: Application
    prepared: PreparedSet
    cluster: str

    def __str__(self) -> str:
        return str(self.app)

    @property
    def items(self) -> tuple[Prepared, ...]:
        """Objects and hooks."""
        return (*self.prepared.objects, *self.prepared.hooks)

    @property
    def namespace(self) -> str:
        """The namespace that objects without one get."""
        return self.typed.spec.destination.namespace


Made = tuple[Delivery, Prepared]
"""An object, and the app that delivers it."""


class World:
    """All that rules ask about what a repository delivers."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo

    @cached_property
    def scopes(self) -> Mapping[GroupKind, bool]:
        """Which kinds are namespaced, as far as that is known."""
        objects = [item.obj for app in self._repo.apps if app.desired is not None for item in app.desired.objects]
        kinds = {gvk_of(obj).group_kind for obj in objects}
        found = {kind: scope for kind in kinds if (scope := known_kinds.namespaced(kind)) is not None}
        for facts in self._repo.clusters.values():
            found |= {kind: one.namespaced for kind, one in facts.kinds.items()}
        found |= {kind: known.namespaced for kind in kinds if (known := resources.for_group_kind(kind)) is not None}
        return {**found, **dict(defined_kinds.scopes(objects))}

    @cached_property
    def deliveries(self) -> tuple[Delivery, ...]:
        """The apps that could be rendered, by name."""
        return tuple(self._deliveries())

    def _deliveries(self) -> Iterator[Delivery]:
        settings = self._repo.settings.settings
        for app in sorted(self._repo.apps, key=str):
            typed = typed_app(app)
            if app.desired is not None and typed is not None:
                made = prepare(app.desired, typed, settings, self.scopes)
                yield Delivery(app=app, typed=typed, prepared=made, cluster=cluster_of(typed))

    @cached_property
    def objects(self) -> Mapping[ObjectKey, tuple[Made, ...]]:
        """Every object that any app delivers, with all apps that do."""
        found: dict[ObjectKey, list[Made]] = defaultdict(list)
        for delivery in self.deliveries:
            for item in delivery.items:
                found[item.key].append((delivery, item))
        return {key: tuple(made) for key, made in found.items()}

    @cached_property
    def by_kind(self) -> Mapping[GroupKind, tuple[Made, ...]]:
        """Every object by kind."""
        found: dict[GroupKind, list[Made]] = defaultdict(list)
        for key, made in self.objects.items():
            found[key.group_kind] += made
        return {kind: tuple(made) for kind, made in found.items()}

    @cached_property
    def references(self) -> tuple[tuple[Delivery, Prepared, tuple[Reference, ...]], ...]:
        """What each object names; those that name nothing are left out."""
        every = ((delivery, item, read.references(item.obj)) for delivery in self.deliveries for item in delivery.items)
        return tuple(one for one in every if one[2])

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
        """Objects of custom kinds by namespace: an operator may make anything of them."""
        found: dict[str, list[Prepared]] = defaultdict(list)
        for kind, made in self.by_kind.items():
            if resources.for_group_kind(kind) is None and kind.group != names.GROUP:
                for _, item in made:
                    found[item.key.namespace].append(item)
        return {namespace: tuple(items) for namespace, items in found.items()}

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
            policy = spec.get("syncPolicy") or {}
            if "CreateNamespace=true" in (policy.get("syncOptions") or ()):
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


def is_given(namespace: str) -> bool:
    """Whether a namespace is there on every cluster, or on every one of its make."""
    return namespace in ("default", "openshift") or namespace.startswith(("kube-", "openshift-"))


def together(one: Delivery, other: Delivery) -> bool:
    """Whether two apps are for sure delivered to one cluster."""
    shared = set(one.app.roots or ("",)) & set(other.app.roots or ("",))
    return one.cluster == other.cluster and bool(shared)


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
