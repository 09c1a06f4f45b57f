"""Why: a closed list of reasons, each with a sentence that explains it.

Every verdict, decision and wait carries one; they stand at the start of messages, in JSON and in tables. A reason is
never renamed, since scripts match on it.
"""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Why something is, was done, is waited for or was left alone."""

    # Comparison of one object
    EQUAL = "Equal"
    FIELDS_DIFFER = "FieldsDiffer"
    NOT_LIVE = "NotLive"
    NOT_DESIRED = "NotDesired"
    UNCOMPARABLE = "Uncomparable"
    TRACKING_DIFFERS = "TrackingDiffers"
    ACCEPTED_DRIFT = "AcceptedDrift"
    ACCEPTANCE_EXPIRED = "AcceptanceExpired"
    UNUSED_IGNORE_RULE = "UnusedIgnoreRule"
    HOOK = "Hook"

    # What to do with an Application
    SPEC_INVALID = "SpecInvalid"
    SOURCE_FAILED = "SourceFailed"
    CLUSTER_UNREACHABLE = "ClusterUnreachable"
    PAUSED = "Paused"
    DELETING = "Deleting"
    NOT_AUTOMATED = "NotAutomated"
    ALREADY_SYNCED = "AlreadySynced"
    CANNOT_COMPARE = "CannotCompare"
    ONLY_PRUNING_NEEDED = "OnlyPruningNeeded"
    WOULD_WIPE_OUT = "WouldWipeOut"
    FAILED_BEFORE = "FailedBefore"
    ALREADY_ATTEMPTED = "AlreadyAttempted"
    SELF_HEAL_BACKOFF = "SelfHealBackoff"
    SELF_HEAL = "SelfHeal"
    NEW_REVISION = "NewRevision"
    REQUESTED = "Requested"
    OPERATION_RUNNING = "OperationRunning"
    SYNC_WINDOW = "SyncWindow"
    FROZEN = "Frozen"
    CAUSE_CLEARED = "CauseCleared"

    # What an operation does or waits for
    IN_ORDER = "InOrder"
    PULLED_FORWARD = "PulledForward"
    PRUNE_NOT_REQUESTED = "PruneNotRequested"
    PRUNE_FORBIDDEN = "PruneForbidden"
    PRUNE_UNSAFE = "PruneUnsafe"
    DESIRED_ELSEWHERE = "DesiredElsewhere"
    KIND_UNKNOWN = "KindUnknown"
    NOT_PERMITTED = "NotPermitted"
    NAME_MISSING = "NameMissing"
    WAITING_FOR_HEALTH = "WaitingForHealth"
    WAITING_FOR_HOOK = "WaitingForHook"
    WAITING_FOR_DELETION = "WaitingForDeletion"
    WAITING_FOR_CONFIRMATION = "WaitingForConfirmation"
    WAITING_FOR_OTHERS = "WaitingForOthers"
    WAITING_FOR_RETRY = "WaitingForRetry"
    WAITING_FOR_KIND = "WaitingForKind"
    TIMED_OUT = "TimedOut"
    TERMINATED = "Terminated"
    TASK_FAILED = "TaskFailed"
    ALL_DONE = "AllDone"

    @property
    def explanation(self) -> str:
        """One sentence for people."""
        return _EXPLANATIONS[self]


_EXPLANATIONS: dict[Reason, str] = {
    Reason.EQUAL: "What is live equals what Git says.",
    Reason.FIELDS_DIFFER: "Fields that Git sets have other values in the cluster.",
    Reason.NOT_LIVE: "Git has the object, the cluster has not.",
    Reason.NOT_DESIRED: "The cluster has an object of this app that Git no longer has.",
    Reason.UNCOMPARABLE: "The object could not be compared; other objects keep their verdicts.",
    Reason.TRACKING_DIFFERS: "The live object is not marked as belonging to this app.",
    Reason.ACCEPTED_DRIFT: "Somebody agreed to live with a difference, for a reason; it does not count.",
    Reason.ACCEPTANCE_EXPIRED: "A difference was accepted until a time that has come, so it counts again.",
    Reason.UNUSED_IGNORE_RULE: "An ignore rule of the Application points at nothing; remove it or correct it.",
    Reason.HOOK: "Hooks run during a sync and are not compared.",
    Reason.SPEC_INVALID: "The Application cannot be worked with as written.",
    Reason.SOURCE_FAILED: "The desired objects could not be had from the source.",
    Reason.CLUSTER_UNREACHABLE: "The destination cluster did not answer.",
    Reason.PAUSED: "The Application is marked to be skipped.",
    Reason.DELETING: "The Application is being deleted.",
    Reason.NOT_AUTOMATED: "Automatic sync is off; sync by hand.",
    Reason.ALREADY_SYNCED: "Nothing differs.",
    Reason.CANNOT_COMPARE: "Something could not be compared, so nothing is changed.",
    Reason.ONLY_PRUNING_NEEDED: "Only extra objects are left, and pruning is off.",
    Reason.WOULD_WIPE_OUT: "Syncing would delete every object of the app; allowEmpty would permit it.",
    Reason.FAILED_BEFORE: "The last sync of this very revision failed; a new commit or a manual sync tries again.",
    Reason.ALREADY_ATTEMPTED: "This revision was synced already and self-heal is off.",
    Reason.SELF_HEAL_BACKOFF: "Self-heal waits a little longer after each attempt.",
    Reason.SELF_HEAL: "The cluster drifted from a revision that was synced before.",
    Reason.NEW_REVISION: "Git has something that was not synced yet.",
    Reason.REQUESTED: "Somebody asked for this sync.",
    Reason.OPERATION_RUNNING: "A sync is under way.",
    Reason.SYNC_WINDOW: "A sync window does not let this app sync now.",
    Reason.FROZEN: "Somebody froze all writes, or those of this app; nothing is changed until that ends.",
    Reason.CAUSE_CLEARED: "What made the last sync of this revision fail is gone, so it is tried again.",
    Reason.IN_ORDER: "Ordered by phase, wave, kind and name.",
    Reason.PULLED_FORWARD: "Moved before the first object that needs it.",
    Reason.PRUNE_NOT_REQUESTED: "The sync was asked for without pruning.",
    Reason.PRUNE_FORBIDDEN: "The object says it must not be pruned.",
    Reason.PRUNE_UNSAFE: "What is live or desired is not known in full, so nothing is deleted.",
    Reason.DESIRED_ELSEWHERE: "Another app desires the object, so it changes hands and is not deleted.",
    Reason.KIND_UNKNOWN: "Neither the cluster nor this sync provides the object's kind.",
    Reason.NOT_PERMITTED: "The project does not permit the object.",
    Reason.NAME_MISSING: "An object without a name can be created, but not applied.",
    Reason.WAITING_FOR_HEALTH: "The next wave starts when these objects are healthy.",
    Reason.WAITING_FOR_HOOK: "The next step starts when these hooks are done.",
    Reason.WAITING_FOR_DELETION: "The next step starts when these objects are gone.",
    Reason.WAITING_FOR_CONFIRMATION: "Somebody has to approve deleting these objects first.",
    Reason.WAITING_FOR_OTHERS: "Other apps have to be looked at first: they may desire what is about to be deleted.",
    Reason.WAITING_FOR_RETRY: "A failed attempt is tried again after a pause.",
    Reason.WAITING_FOR_KIND: "Objects of a custom kind follow when the cluster serves it.",
    Reason.TIMED_OUT: "The operation took longer than the sync timeout permits.",
    Reason.TERMINATED: "Somebody ended the operation.",
    Reason.TASK_FAILED: "At least one object could not be synced.",
    Reason.ALL_DONE: "Every task is done.",
}
