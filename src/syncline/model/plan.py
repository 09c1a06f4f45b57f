"""The plan: ordered tasks, as plain data.

Made by `syncline.core.sync.plan`, walked by `syncline.core.sync.step`, executed by `syncline.controller.deliver.act`.
Printable and comparable; it refers to objects by key and holds no clients.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.model.reason import Reason


class Phase(StrEnum):
    """When in a sync a task runs."""

    PRE_SYNC = "PreSync"
    SYNC = "Sync"
    POST_SYNC = "PostSync"
    SYNC_FAIL = "SyncFail"

    @property
    def rank(self) -> int:
        """Order of phases."""
        return (Phase.PRE_SYNC, Phase.SYNC, Phase.POST_SYNC, Phase.SYNC_FAIL).index(self)


class TaskAction(StrEnum):
    """What a task does."""

    APPLY = "apply"
    HOOK = "hook"
    PRUNE = "prune"


class HookDeletePolicy(StrEnum):
    """When a hook object is deleted."""

    BEFORE_CREATION = "BeforeHookCreation"
    SUCCEEDED = "HookSucceeded"
    FAILED = "HookFailed"


class Method(StrEnum):
    """How an object gets into the cluster."""

    SERVER_SIDE = "server-side"
    CLIENT_SIDE = "client-side"
    REPLACE = "replace"
    CREATE = "create"


class ApplyMethod(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one object is applied. `force` recreates it where the server refuses the change."""

    method: Method = Method.SERVER_SIDE
    force: bool = False
    validate: bool = True
    migrate: bool = True
    """Whether fields that client-side apply left behind are taken over before the first server-side apply."""
    keep_ignored: bool = False
    """Whether live values of ignored fields are kept (RespectIgnoreDifferences)."""
    dry_run_skipped: str = ""
    """Why the object cannot be tried out beforehand; empty where it can."""


class Task(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One object in one phase. `source_key` is the desired object's key where the task's name is generated.

    A task with a `refusal` is known to fail before it is tried; one that is `doubtful` (its object could not be
    compared) is tried. Neither holds up the other objects of a partial plan. `needs` are CRDs of the same plan.
    `detail` says more about the reason, in words. A `contested` object is one that other apps have to do with too: it
    is read again right before it is written, to see whose it is.
    """

    key: ObjectKey
    version: str
    phase: Phase
    wave: int
    action: TaskAction
    reason: Reason = Reason.IN_ORDER
    hook_type: str = ""
    delete_policies: tuple[HookDeletePolicy, ...] = ()
    source_key: ObjectKey | None = None
    prune_allowed: bool = True
    how: ApplyMethod = ApplyMethod()
    propagation: str = "Foreground"
    refusal: str = ""
    detail: str = ""
    doubtful: bool = False
    contested: bool = False
    needs: tuple[ObjectKey, ...] = ()

    @property
    def is_hook(self) -> bool:
        """Whether the task creates a hook object."""
        return self.action is TaskAction.HOOK


class Plan(msgspec.Struct, frozen=True, omit_defaults=True):
    """Tasks in order. `problems` stop a plan before anything is done, unless it is `partial`."""

    tasks: tuple[Task, ...]
    prune: bool = False
    problems: tuple[str, ...] = ()
    partial: bool = False

    @property
    def stages(self) -> int:
        """How many distinct phase-and-wave steps the plan has; one stage does not wait for health."""
        return len({(task.phase, task.wave) for task in self.tasks})

    @property
    def in_execution(self) -> tuple[Task, ...]:
        """The tasks as they are carried out: in each wave prunes go first."""
        return tuple(
            sorted(self.tasks, key=lambda task: (task.phase.rank, task.wave, task.action is not TaskAction.PRUNE))
        )
