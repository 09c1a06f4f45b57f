"""Objects of the cluster as routes answer them: Applications, projects, sets, Events. Their types are Argo CD's."""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.server.answers.kinds import Answer, Shape


class ObjectRef(Answer, frozen=True, kw_only=True):
    """An object by its name."""

    group: str = ""
    kind: str
    namespace: str = ""
    name: str


class OwnerReference(Shape, frozen=True, kw_only=True):
    """Who made an object."""

    kind: str
    name: str


class ObjectMeta(Shape, frozen=True, kw_only=True):
    """Metadata of an object."""

    name: str
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    creation_timestamp: str | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    owner_references: tuple[OwnerReference, ...] = ()


class NamespacedMeta(ObjectMeta, frozen=True, kw_only=True):
    """Metadata of an object that has a namespace."""

    namespace: str


class AppSource(Shape, frozen=True, kw_only=True):
    """Where an Application comes from."""

    repo_url: str = msgspec.field(name="repoURL")
    path: str = ""
    chart: str = ""
    target_revision: str = ""


class AppDestination(Shape, frozen=True, kw_only=True):
    """Where an Application goes."""

    server: str = ""
    name: str = ""
    namespace: str = ""


class AppAutomation(Shape, frozen=True, kw_only=True):
    """How an Application is synced automatically."""

    prune: bool = False
    self_heal: bool = False
    enabled: bool | msgspec.UnsetType = msgspec.UNSET


class AppSyncPolicy(Shape, frozen=True, kw_only=True):
    """When an Application is synced automatically."""

    automated: AppAutomation | msgspec.UnsetType = msgspec.UNSET


class AppSpec(Shape, frozen=True, kw_only=True):
    """What an Application wants."""

    project: str = ""
    source: AppSource | msgspec.UnsetType = msgspec.UNSET
    sources: tuple[AppSource, ...] = ()
    destination: AppDestination = AppDestination()
    sync_policy: AppSyncPolicy | msgspec.UnsetType = msgspec.UNSET


class AppSyncStatus(Shape, frozen=True, kw_only=True):
    """The verdict of a comparison."""

    status: str = ""
    revision: str = ""


class AppHealth(Shape, frozen=True, kw_only=True):
    """The health of an Application or an object."""

    status: str = ""
    message: str = ""
    last_transition_time: str = ""


class AppCondition(Shape, frozen=True, kw_only=True):
    """Something to know about an Application."""

    type: str
    message: str


class AppResource(Shape, frozen=True, kw_only=True):
    """One object of an Application in its status."""

    group: str = ""
    kind: str
    namespace: str = ""
    name: str
    status: str = ""
    health: AppHealth | msgspec.UnsetType = msgspec.UNSET
    hook: bool = False
    requires_pruning: bool = False
    sync_wave: int = 0


class Initiator(Shape, frozen=True, kw_only=True):
    """Who started an operation."""

    username: str = ""
    automated: bool = False


class HistoryEntry(Shape, frozen=True, kw_only=True):
    """One sync that was done."""

    id: int
    revision: str = ""
    revisions: tuple[str, ...] = ()
    deployed_at: str
    deploy_started_at: str | msgspec.UnsetType = msgspec.UNSET
    initiated_by: Initiator | msgspec.UnsetType = msgspec.UNSET


class AppOperation(Shape, frozen=True, kw_only=True):
    """What was asked for."""

    initiated_by: Initiator | msgspec.UnsetType = msgspec.UNSET


class AppOperationState(Shape, frozen=True, kw_only=True):
    """How the last operation stands."""

    phase: str = ""
    message: str = ""
    started_at: str = ""
    finished_at: str | msgspec.UnsetType = msgspec.UNSET
    operation: AppOperation | msgspec.UnsetType = msgspec.UNSET


class AppStatus(Shape, frozen=True, kw_only=True):
    """How an Application is."""

    sync: AppSyncStatus | msgspec.UnsetType = msgspec.UNSET
    health: AppHealth | msgspec.UnsetType = msgspec.UNSET
    conditions: tuple[AppCondition, ...] = ()
    resources: tuple[AppResource, ...] = ()
    history: tuple[HistoryEntry, ...] = ()
    operation_state: AppOperationState | msgspec.UnsetType = msgspec.UNSET
    reconciled_at: str | msgspec.UnsetType = msgspec.UNSET


class Application(Shape, frozen=True, kw_only=True):
    """An Application."""

    metadata: NamespacedMeta
    spec: AppSpec
    status: AppStatus | msgspec.UnsetType = msgspec.UNSET


class ListMeta(Answer, frozen=True, kw_only=True):
    """Metadata of a list."""

    resource_version: str = ""
    remaining_item_count: int = 0


class ApplicationList(Answer, frozen=True, kw_only=True):
    """Applications, with the members that `fields` chose."""

    api_version: str
    kind: str
    metadata: ListMeta
    items: tuple[dict[str, Any], ...]


class ApplicationEvent(Answer, frozen=True, kw_only=True):
    """An Application that was added, changed or deleted, with the members that `fields` chose."""

    type: str = ""
    application: dict[str, Any] = {}


class ProjectDestination(Shape, frozen=True, kw_only=True):
    """Where a project may deliver."""

    server: str = ""
    name: str = ""
    namespace: str = ""


class GroupKindRule(Shape, frozen=True, kw_only=True):
    """A kind that a project permits or denies."""

    group: str
    kind: str


class ProjectWindow(Shape, frozen=True, kw_only=True):
    """A sync window of a project."""

    kind: str = ""
    schedule: str = ""
    duration: str = ""
    applications: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    manual_sync: bool = False
    time_zone: str = ""


class ProjectRole(Shape, frozen=True, kw_only=True):
    """A role of a project."""

    name: str


class ProjectSpec(Shape, frozen=True, kw_only=True):
    """What a project permits."""

    description: str = ""
    source_repos: tuple[str, ...] = ()
    destinations: tuple[ProjectDestination, ...] = ()
    cluster_resource_whitelist: tuple[GroupKindRule, ...] = ()
    sync_windows: tuple[ProjectWindow, ...] = ()
    roles: tuple[ProjectRole, ...] = ()


class AppProject(Shape, frozen=True, kw_only=True):
    """A project."""

    metadata: ObjectMeta
    spec: ProjectSpec = ProjectSpec()


class AppProjectList(Answer, frozen=True, kw_only=True):
    """Projects; `fields` may leave out any member."""

    api_version: str = ""
    kind: str = ""
    metadata: ListMeta = ListMeta()
    items: tuple[dict[str, Any], ...] = ()


class SetCondition(Shape, frozen=True, kw_only=True):
    """Something to know about a set."""

    type: str
    status: str
    message: str = ""
    reason: str = ""


class SetStrategy(Shape, frozen=True, kw_only=True):
    """In which order a set changes its Applications."""

    type: str = ""


class SetSpec(Shape, frozen=True, kw_only=True):
    """What a set makes."""

    generators: tuple[dict[str, Any], ...] = ()
    go_template: bool = False
    strategy: SetStrategy | msgspec.UnsetType = msgspec.UNSET


class SetStatus(Shape, frozen=True, kw_only=True):
    """How a set is."""

    conditions: tuple[SetCondition, ...] = ()


class ApplicationSet(Shape, frozen=True, kw_only=True):
    """A set."""

    metadata: NamespacedMeta
    spec: SetSpec = SetSpec()
    status: SetStatus | msgspec.UnsetType = msgspec.UNSET


class ApplicationSetList(Answer, frozen=True, kw_only=True):
    """Sets."""

    api_version: str
    kind: str
    metadata: ListMeta
    items: tuple[ApplicationSet, ...]


class ApplicationSetEvent(Answer, frozen=True, kw_only=True):
    """A set that was added, changed or deleted."""

    type: str
    application_set: ApplicationSet


class InvolvedObject(Shape, frozen=True, kw_only=True):
    """What an Event is about."""

    group: str = ""
    kind: str
    namespace: str = ""
    name: str


class EventSource(Shape, frozen=True, kw_only=True):
    """Who reported an Event."""

    component: str = ""


class KubeEvent(Shape, frozen=True, kw_only=True):
    """An Event."""

    metadata: ObjectMeta
    type: str = ""
    reason: str = ""
    message: str = ""
    count: int = 0
    first_timestamp: str | None = None
    last_timestamp: str | None = None
    event_time: str | None = None
    involved_object: InvolvedObject | msgspec.UnsetType = msgspec.UNSET
    source: EventSource | msgspec.UnsetType = msgspec.UNSET
    reporting_component: str = ""


class EventList(Answer, frozen=True, kw_only=True):
    """Events."""

    metadata: ListMeta
    items: tuple[KubeEvent, ...]
