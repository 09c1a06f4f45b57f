"""A sync as asked for (`operation`) and as it went (`status.operationState`), in Argo CD's words.

Written into Applications by users, by auto-sync and by `syncline.controller.deliver.record`; everything needed to
resume after a kill is in here.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

from syncline.model.sources.source import ApplicationSource, Value

Time = Annotated[str, msgspec.Meta(extra_json_schema={"format": "date-time"})]
"""An RFC 3339 time as Kubernetes writes it."""


class OperationPhase(StrEnum):
    """How far an operation or one of its hooks is."""

    RUNNING = "Running"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    ERROR = "Error"
    TERMINATING = "Terminating"

    @property
    def completed(self) -> bool:
        """Whether nothing more will happen."""
        return self in (OperationPhase.SUCCEEDED, OperationPhase.FAILED, OperationPhase.ERROR)


class Info(Value, frozen=True):
    """A named remark."""

    name: str
    value: str


class SyncStrategyApply(Value, frozen=True):
    """Apply without hooks."""

    force: bool = False


class SyncStrategyHook(Value, frozen=True):
    """Apply with hooks."""

    force: bool = False


class SyncStrategy(Value, frozen=True):
    """With or without hooks."""

    apply: SyncStrategyApply | None = None
    hook: SyncStrategyHook | None = None


class SyncOperationResource(Value, frozen=True):
    """One object of a partial sync."""

    kind: str
    name: str
    group: str = ""
    namespace: str = ""
    exclude: bool = False


class SyncOperation(Value, frozen=True):
    """What to sync, and how."""

    revision: str = ""
    prune: bool = False
    dry_run: bool = False
    sync_strategy: SyncStrategy | None = None
    resources: tuple[SyncOperationResource, ...] = ()
    source: ApplicationSource | None = None
    manifests: tuple[str, ...] = ()
    sync_options: tuple[str, ...] = ()
    sources: tuple[ApplicationSource, ...] = ()
    revisions: tuple[str, ...] = ()
    auto_heal_attempts_count: int = msgspec.field(name="autoHealAttemptsCount", default=0)

    @property
    def all_revisions(self) -> tuple[str, ...]:
        """The revisions asked for, one per source; an empty text, or none at all, stands for the newest."""
        return self.revisions or ((self.revision,) if self.revision else ())


class OperationInitiator(Value, frozen=True):
    """Who asked."""

    username: str = ""
    automated: bool = False


class Backoff(Value, frozen=True):
    """How long to wait between attempts."""

    duration: str = ""
    factor: int | None = None
    max_duration: str = ""


class RetryStrategy(Value, frozen=True):
    """How often to try again."""

    limit: int = 0
    backoff: Backoff | None = None
    refresh: bool = False


class Operation(Value, frozen=True):
    """A request to sync; present on an Application until it is done."""

    sync: SyncOperation | None = None
    initiated_by: OperationInitiator | None = None
    info: tuple[Info, ...] = ()
    retry: RetryStrategy | None = None


class ManagedNamespaceMetadata(Value, frozen=True):
    """Labels and annotations of a namespace that CreateNamespace made."""

    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}


class ResourceResult(Value, frozen=True):
    """What became of one object (or one hook in one phase) of an operation."""

    group: str
    version: str
    kind: str
    namespace: str
    name: str
    status: str = ""
    message: str = ""
    hook_type: str = ""
    hook_phase: str = ""
    sync_phase: str = ""
    images: tuple[str, ...] = ()


class SyncOperationResult(Value, frozen=True):
    """What an operation has done so far."""

    revision: str
    resources: tuple[ResourceResult, ...] = ()
    source: ApplicationSource | None = None
    sources: tuple[ApplicationSource, ...] = ()
    revisions: tuple[str, ...] = ()
    managed_namespace_metadata: ManagedNamespaceMetadata | None = None

    @property
    def all_revisions(self) -> tuple[str, ...]:
        """The revisions it is bound to, one per source; none while a retry is to take the newest."""
        return self.revisions or ((self.revision,) if self.revision else ())


class OperationState(Value, frozen=True):
    """A running or finished operation."""

    operation: Operation
    phase: OperationPhase
    started_at: Time
    message: str = ""
    sync_result: SyncOperationResult | None = None
    finished_at: Time | None = None
    retry_count: int = 0
