"""What rules look at: one app, a fleet of them, a repository, or a change from one revision of it to another.

Made by whoever asks: `why` makes an App, `diagnose` a Fleet, `check` a Repo, `preview` a Change. Rules get them from
`syncline.core.diagnose.engine` and never change them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import msgspec

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, gvk_of
from syncline.core.assess import Assessment
from syncline.core.diagnose.repository.world import Judge, KnownDeliveries, World
from syncline.core.settings.report import SettingsReport
from syncline.model.cluster_facts import ClusterFacts
from syncline.model.decision import Decision
from syncline.model.desired import Desired, DesiredObject
from syncline.model.errors import Place
from syncline.model.settings.settings import Settings


class App(msgspec.Struct, frozen=True):
    """One Application as it is on its cluster, and what Syncline would do with it now."""

    assessment: Assessment
    decision: Decision

    def __str__(self) -> str:
        metadata = self.assessment.app.metadata
        return f"{metadata.namespace}/{metadata.name}"

    @property
    def cluster(self) -> str:
        """The address of the destination cluster, or its name where the address is not known."""
        destination = self.assessment.snapshot.destination or self.assessment.app.spec.destination
        return destination.server or destination.name


class Fleet(msgspec.Struct, frozen=True, kw_only=True):
    """Many apps, and the live objects of their clusters, by the address of the cluster."""

    apps: tuple[App, ...]
    live: Mapping[str, Mapping[ObjectKey, Object]] = {}

    def __str__(self) -> str:
        return "the fleet"


CHILD_KINDS = ("Application", "ApplicationSet", "AppProject")
"""What may lead further, or says what others may do."""


class RepoApp(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """An Application in a repository, with the file and line it is written at, and what it renders.

    Without `desired` it could not be rendered: nothing is known about its objects. `problem` says why, and is empty
    where its sources are not at hand; `missing` is the path that is not there, where that is why. `roots` lead to it:
    apps of different roots may be meant for different clusters, whatever address those have.
    """

    manifest: DesiredObject
    desired: Desired | None = None
    problem: str = ""
    missing: str = ""
    place: Place | None = None
    """Where in the files the problem is."""
    incomplete: bool = False
    """Whether something that could not be fetched is missing among the objects."""
    roots: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self._shown

    @cached_property
    def _shown(self) -> str:
        key = self.manifest.key
        return f"{key.namespace}/{key.name}" if key.namespace else key.name

    @cached_property
    def kinds(self) -> tuple[GroupKind, ...]:
        """The kinds of its objects, each once."""
        return tuple(dict.fromkeys(gvk_of(item.obj).group_kind for item in self.objects))

    @property
    def objects(self) -> tuple[DesiredObject, ...]:
        """Its objects, as far as they are known."""
        return self.desired.objects if self.desired is not None else ()

    @cached_property
    def children(self) -> tuple[DesiredObject, ...]:
        """Those of its objects that Argo CD has for itself: Applications, ApplicationSets, AppProjects."""
        return tuple(item for item in self.objects if item.obj.get("kind") in CHILD_KINDS)

    @cached_property
    def placed_keys(self) -> frozenset[ObjectKey]:
        """What it delivers, each object in the namespace of the app unless it names one."""
        destination = (self.manifest.obj.get("spec") or {}).get("destination") or {}
        namespace = str(destination.get("namespace") or "")
        keys = (item.key for item in self.objects)
        return frozenset(key if key.namespace else ObjectKey(key.group, key.kind, namespace, key.name) for key in keys)


class RepoSet(msgspec.Struct, frozen=True, kw_only=True):
    """An ApplicationSet in a repository, and the names of the Applications that it generates.

    Where it could not be generated, `problem` says why; `unknown` is for sets that only what is elsewhere decides.
    """

    manifest: DesiredObject
    apps: tuple[str, ...] = ()
    problem: str = ""
    unknown: bool = False
    roots: tuple[str, ...] = ()

    def __str__(self) -> str:
        key = self.manifest.key
        return f"{key.namespace}/{key.name}" if key.namespace else key.name


class Repo(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A repository at one revision: its files, its Applications as rendered, and the settings it holds.

    `tree` has all files by path, `kustomizations` what each kustomization lists, by its folder. With
    `one_installation` the settings are those of the one installation that the repository describes.
    `clusters` are facts about clusters, by address and by name. Without `branches` it is not known which there are.
    """

    revision: str = ""
    files: Mapping[str, bytes] = {}
    apps: tuple[RepoApp, ...] = ()
    sets: tuple[RepoSet, ...] = ()
    projects: tuple[DesiredObject, ...] = ()
    settings: SettingsReport = SettingsReport(settings=Settings())
    one_installation: bool = False
    installed_in: str = ""
    """The namespace of that installation, where its settings name one."""
    clusters: Mapping[str, ClusterFacts] = {}
    tree: frozenset[str] = frozenset()
    manifests: frozenset[str] = frozenset()
    """The files that look like objects of Kubernetes."""
    kustomizations: Mapping[str, tuple[str, ...]] = {}
    own_addresses: frozenset[str] = frozenset()
    """Spellings of addresses that mean this repository."""
    failed_roots: frozenset[str] = frozenset()
    """Folders of kustomizations that no Application names and that cannot be built: what they made is not known."""
    branches: Mapping[str, tuple[int, int]] | None = None
    """Branches and tags of the checkout: how many commits each is behind the default branch, and ahead of it."""
    judge: Judge | None = None
    """Who says what an API server would refuse; without one nobody does."""

    def __str__(self) -> str:
        return self.revision or "the repository"

    def governs(self, app: RepoApp) -> bool:
        """Whether the settings are known to be those that hold for an app."""
        namespace = app.manifest.key.namespace
        return self.one_installation and (not namespace or self.installed_in in ("", namespace))

    @cached_property
    def by_name(self) -> tuple[tuple[str, RepoApp], ...]:
        """The apps with their names, in the order of those."""
        return tuple(sorted(((str(app), app) for app in self.apps), key=lambda one: one[0]))

    @cached_property
    def world(self) -> World:
        """What the apps deliver, worked out once for all rules."""
        return World(self)

    def remembering(self, known: KnownDeliveries) -> Repo:
        """Return the same repository, which takes over from `known` what apps deliver that are the same."""
        made = msgspec.structs.replace(self)
        made.__dict__["world"] = World(made, known)
        return made


class Change(msgspec.Struct, frozen=True):
    """Two revisions of a repository: what is delivered now, and what would be."""

    base: Repo
    head: Repo

    def __str__(self) -> str:
        return f"{self.base} → {self.head}"
