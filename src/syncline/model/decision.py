"""What to do with one Application now, and why. "Nothing" is a decision with a reason too.

Made by `syncline.core.decide` from a snapshot, carried out by `syncline.controller.deliver.act`, shown by `why`.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.model.look_again import ON_CHANGE, LookAgain
from syncline.model.operation import Operation, OperationPhase
from syncline.model.plan import Task
from syncline.model.reason import Reason
from syncline.model.result import TaskResult


class Wait(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that is waited for: which object, why, what it says itself, since when.

    `stuck` says that it made no progress for longer than things of its kind (`cause`) need; it is a label, no verdict.
    """

    key: ObjectKey
    reason: Reason
    message: str = ""
    cause: str = ""
    since: str = ""
    stuck: bool = False

    def __str__(self) -> str:
        return f"{self.key.kind}/{self.key.name}" + (f": {self.message}" if self.message else "")


class StepKind(StrEnum):
    """The next thing an operation does."""

    ACT = "act"
    WAIT = "wait"
    FINISH = "finish"


class Step(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The next move of a running operation.

    `settled` are results that changed by looking at the cluster alone. An acting step runs `delete_hooks`, then
    `prune`, then `apply`, in this order; a finishing step deletes `delete_hooks` and ends the operation in `phase`.
    """

    kind: StepKind
    reason: Reason
    message: str = ""
    settled: tuple[TaskResult, ...] = ()
    delete_hooks: tuple[Task, ...] = ()
    release_hooks: tuple[Task, ...] = ()
    prune: tuple[Task, ...] = ()
    apply: tuple[Task, ...] = ()
    waits: tuple[Wait, ...] = ()
    trial: bool = False
    """Whether `apply` and `prune` are only tried out: the server is asked, nothing is written."""
    phase: OperationPhase = OperationPhase.RUNNING
    look_again: LookAgain = ON_CHANGE
    releases: str = ""
    """Which finalizers of a deleted Application a finishing step lets go, by how they start."""
    leaves: str = ""
    """The one of those that stays: the stage is over, and only cleaning up is left."""


class DecisionKind(StrEnum):
    """What the controller does next with an Application."""

    REST = "rest"
    START = "start"
    PROCEED = "proceed"
    TEAR_DOWN = "tear down"


class Decision(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Rest, start an operation, or take the next step of the one that is running."""

    kind: DecisionKind
    reason: Reason
    detail: str = ""
    operation: Operation | None = None
    step: Step | None = None
    look_again: LookAgain = ON_CHANGE
