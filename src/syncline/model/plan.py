"""The plan: ordered tasks, as plain data.

Made by `syncline.core.sync.plan`, walked by `syncline.core.sync.step`, executed by `syncline.controller.act`. Printable
and comparable; it refers to objects by key and holds no clients.
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


class Action(StrEnum):
    """What a task does."""

    APPLY = "apply"
    HOOK = "hook"
    PRUNE = "prune"


class HookDeletePolicy(StrEnum):
    """When a hook object is deleted."""

    BEFORE_CREATION = "BeforeHookCreation"
    SUCCEEDED = "HookSucceeded"
    FAILED = "HookFailed"


class Task(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One object in one phase. `source_key` is the desired object's key where the task's name is generated."""

    key: ObjectKey
    version: str
    phase: Phase
    wave: int
    action: Action
    reason: Reason = Reason.IN_ORDER
    hook_type: str = ""
    delete_policies: tuple[HookDeletePolicy, ...] = ()
    source_key: ObjectKey | None = None
    prune_allowed: bool = True

    @property
    def is_hook(self) -> bool:
        """Whether the task creates a hook object."""
        return self.action is Action.HOOK


class Plan(msgspec.Struct, frozen=True, omit_defaults=True):
    """Tasks in the order of execution."""

    tasks: tuple[Task, ...]
    prune: bool = False
    problems: tuple[str, ...] = ()

    @property
    def stages(self) -> int:
        """How many distinct phase-and-wave steps the plan has; one stage does not wait for health."""
        return len({(task.phase, task.wave) for task in self.tasks})
