"""The Application: what to deliver, where to, how, and how it went. Argo CD's object, field by field.

Read from the API server by `parse` (which drops what it does not know; whoever writes back patches the original).
"""

from __future__ import annotations

from typing import Any

import msgspec
import orjson

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.model import misread
from syncline.model.condition import is_error, is_warning
from syncline.model.errors import InvalidSpec
from syncline.model.operation import (
    Info,
    ManagedNamespaceMetadata,
    Operation,
    OperationInitiator,
    OperationState,
    RetryStrategy,
    Time,
)
from syncline.model.sources.source import ApplicationSource, SourceHydrator, Value
from syncline.model.sync_options import NO_OPTIONS, SyncOptions


class Destination(Value, frozen=True):
    """The cluster (by server or by name) and the namespace for objects that name none."""

    server: str = ""
    namespace: str = ""
    name: str = ""


class Automated(Value, frozen=True):
    """Automatic sync."""

    prune: bool = False
    self_heal: bool = False
    allow_empty: bool = False
    enabled: bool | None = None


class SyncPolicy(Value, frozen=True):
    """When and how to sync without being asked."""

    automated: Automated | None = None
    sync_options: tuple[str, ...] = ()
    retry: RetryStrategy | None = None
    managed_namespace_metadata: ManagedNamespaceMetadata | None = None


class IgnoreDifference(Value, frozen=True):
    """Fields whose difference does not count."""

    kind: str
    group: str = ""
    name: str = ""
    namespace: str = ""
    json_pointers: tuple[str, ...] = ()
    jq_path_expressions: tuple[str, ...] = ()
    managed_fields_managers: tuple[str, ...] = ()


class ApplicationSpec(Value, frozen=True):
    """What is wanted."""

    destination: Destination
    project: str = "default"
    source: ApplicationSource | None = None
    sources: tuple[ApplicationSource, ...] = ()
    source_hydrator: SourceHydrator | None = None
    sync_policy: SyncPolicy | None = None
    ignore_differences: tuple[IgnoreDifference, ...] = ()
    info: tuple[Info, ...] = ()
    revision_history_limit: int | None = None

    @property
    def all_sources(self) -> tuple[ApplicationSource, ...]:
        """The sources in force: `sources` wins over `source`."""
        if self.sources:
            return self.sources
        return (self.source,) if self.source else ()

    @property
    def options(self) -> SyncOptions:
        """What the Application's sync options say."""
        return SyncOptions.parse(self.sync_policy.sync_options) if self.sync_policy else NO_OPTIONS


class ComparedTo(Value, frozen=True):
    """What the last comparison was made with."""

    destination: Destination
    source: ApplicationSource | None = None
    sources: tuple[ApplicationSource, ...] = ()
    ignore_differences: tuple[IgnoreDifference, ...] = ()


class SyncStatus(Value, frozen=True):
    """Synced, OutOfSync or Unknown, and against which revision."""

    status: str
    compared_to: ComparedTo | None = None
    revision: str = ""
    revisions: tuple[str, ...] = ()


class HealthStatus(Value, frozen=True):
    """Health of an Application or of one of its objects."""

    status: str = ""
    message: str = ""
    last_transition_time: Time | None = None


class ResourceStatus(Value, frozen=True):
    """One row of `status.resources`."""

    group: str = ""
    version: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    status: str = ""
    health: HealthStatus | None = None
    hook: bool = False
    requires_pruning: bool = False
    sync_wave: int = 0
    requires_deletion_confirmation: bool = False


class Condition(Value, frozen=True):
    """Something people should know; `ConditionType` has the types that we write ourselves."""

    type: str
    message: str
    last_transition_time: Time | None = None

    @property
    def is_error(self) -> bool:
        """Whether it is an error."""
        return is_error(self.type)

    @property
    def is_warning(self) -> bool:
        """Whether it is a warning."""
        return is_warning(self.type)


class RevisionHistory(Value, frozen=True):
    """One successful full sync."""

    deployed_at: Time
    id: int
    revision: str = ""
    deploy_started_at: Time | None = None
    source: ApplicationSource | None = None
    sources: tuple[ApplicationSource, ...] = ()
    revisions: tuple[str, ...] = ()
    initiated_by: OperationInitiator | None = None


class ApplicationSummary(Value, frozen=True):
    """Images and addresses, for lists."""

    external_urls: tuple[str, ...] = msgspec.field(name="externalURLs", default=())
    images: tuple[str, ...] = ()
    is_app_of_apps: bool = False


class SuccessfulHydration(Value, frozen=True):
    """The last hydration that went through."""

    dry_sha: str = msgspec.field(name="drySHA", default="")
    hydrated_sha: str = msgspec.field(name="hydratedSHA", default="")
    source_hydrator: SourceHydrator | None = None


class HydrateOperation(Value, frozen=True):
    """A hydration under way or done."""

    phase: str
    message: str
    started_at: Time | None = None
    finished_at: Time | None = None
    dry_sha: str = msgspec.field(name="drySHA", default="")
    hydrated_sha: str = msgspec.field(name="hydratedSHA", default="")
    source_hydrator: SourceHydrator | None = None


class SourceHydratorStatus(Value, frozen=True):
    """How hydration is going."""

    last_successful_operation: SuccessfulHydration | None = None
    current_operation: HydrateOperation | None = None
    last_compared_dry_revision: str = ""


class ApplicationStatus(Value, frozen=True):
    """How it is going."""

    sync: SyncStatus | None = None
    health: HealthStatus | None = None
    resources: tuple[ResourceStatus, ...] = ()
    conditions: tuple[Condition, ...] = ()
    operation_state: OperationState | None = None
    history: tuple[RevisionHistory, ...] = ()
    reconciled_at: Time | None = None
    observed_at: Time | None = None
    source_type: str = ""
    source_types: tuple[str, ...] = ()
    summary: ApplicationSummary | None = None
    resource_health_source: str = ""
    controller_namespace: str = ""
    source_hydrator: SourceHydratorStatus | None = None


class Metadata(Value, frozen=True):
    """The part of an object's metadata that the engine looks at."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str = ""
    deletion_timestamp: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    finalizers: tuple[str, ...] = ()


class Application(Value, frozen=True):
    """An Application as a typed value."""

    metadata: Metadata
    spec: ApplicationSpec
    operation: Operation | None = None
    status: ApplicationStatus = ApplicationStatus()


_HOLDERS = (dict, list)


def without_nulls(value: Any) -> Any:
    """Return an object without its null fields; free-form Helm values keep theirs, since null means something there."""
    try:
        # Most objects have none, which their text tells a hundred times faster than a walk through them.
        return _without_nulls(value) if b":null" in orjson.dumps(value) else value
    except TypeError:
        # Numbers of more than 64 bits have no text there.
        return _without_nulls(value)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _without_nulls(member) if isinstance(member, _HOLDERS) and key != "valuesObject" else member
            for key, member in value.items()
            if member is not None
        }
    if isinstance(value, list):
        return [_without_nulls(member) if isinstance(member, _HOLDERS) else member for member in value]
    return value


def parse(obj: Object) -> Application:
    """Return the typed Application; raises `InvalidSpec` naming the field that cannot be read."""
    wanted = {name: obj[name] for name in ("metadata", "spec", "operation", "status") if name in obj}
    try:
        return msgspec.convert(without_nulls(wanted), Application)
    except msgspec.ValidationError as error:
        name = meta.name(obj) or "?"
        raise InvalidSpec(f"Application {name} cannot be read: {misread.sentence(error)}") from None
