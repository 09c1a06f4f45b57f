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
    OWNED_ELSEWHERE = "OwnedElsewhere"
    TAKEN_OVER = "TakenOver"

    # What to do with an Application
    SPEC_INVALID = "SpecInvalid"
    SOURCE_FAILED = "SourceFailed"
    RENDER_BACKOFF = "RenderBackoff"
    WAITING_FOR_RENDER = "WaitingForRender"
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
    WAITING_FOR_ADOPTION = "WaitingForAdoption"
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
    Reason.EQUAL: "The live object matches Git.",
    Reason.FIELDS_DIFFER: "Fields that Git sets have different values in the cluster.",
    Reason.NOT_LIVE: "The object is in Git but not in the cluster.",
    Reason.NOT_DESIRED: "The object is in the cluster but no longer in Git.",
    Reason.UNCOMPARABLE: "The object could not be compared; other objects keep their verdicts.",
    Reason.TRACKING_DIFFERS: "The live object is not marked as belonging to this app.",
    Reason.ACCEPTED_DRIFT: "A difference was accepted, with a reason; it does not count.",
    Reason.ACCEPTANCE_EXPIRED: "The acceptance of a difference has expired, so it counts again.",
    Reason.UNUSED_IGNORE_RULE: "An ignore rule of the Application matches nothing; remove or correct it.",
    Reason.HOOK: "Hooks run during a sync and are not compared.",
    Reason.OWNED_ELSEWHERE: "The object belongs to another app, which alone writes it.",
    Reason.TAKEN_OVER: "The object was another app's, which is gone or no longer desires it; this app is next.",
    Reason.SPEC_INVALID: "The Application spec is invalid.",
    Reason.SOURCE_FAILED: "The source could not be fetched or rendered.",
    Reason.RENDER_BACKOFF: "The render ran into a limit; it is retried later, or at once on a commit or hard refresh.",
    Reason.WAITING_FOR_RENDER: "The render waits for its turn: other renders of this project, or of others, go first.",
    Reason.CLUSTER_UNREACHABLE: "The destination cluster did not answer.",
    Reason.PAUSED: "The Application is annotated to be skipped.",
    Reason.DELETING: "The Application is being deleted.",
    Reason.NOT_AUTOMATED: "Automated sync is off; sync manually.",
    Reason.ALREADY_SYNCED: "Nothing differs.",
    Reason.CANNOT_COMPARE: "Something could not be compared, so nothing is changed.",
    Reason.ONLY_PRUNING_NEEDED: "Only extra objects are left, and pruning is off.",
    Reason.WOULD_WIPE_OUT: "Syncing would delete every object of the app; allowEmpty would permit it.",
    Reason.FAILED_BEFORE: "The last sync of this revision failed; push a new commit or sync manually to try again.",
    Reason.ALREADY_ATTEMPTED: "This revision was already synced and self-heal is off.",
    Reason.SELF_HEAL_BACKOFF: "Self-heal is backing off between attempts.",
    Reason.SELF_HEAL: "The cluster has drifted from a revision that was already synced.",
    Reason.NEW_REVISION: "Git has changes that are not synced yet.",
    Reason.REQUESTED: "The sync was requested.",
    Reason.OPERATION_RUNNING: "A sync is in progress.",
    Reason.SYNC_WINDOW: "A sync window does not allow this app to sync now.",
    Reason.FROZEN: "All writes, or the writes of this app, are frozen; nothing is changed until the freeze is lifted.",
    Reason.CAUSE_CLEARED: "The cause of the last failed sync of this revision is gone, so Syncline retries it.",
    Reason.IN_ORDER: "Ordered by phase, wave, kind and name.",
    Reason.PULLED_FORWARD: "Moved before the first object that needs it.",
    Reason.PRUNE_NOT_REQUESTED: "The sync was requested without pruning.",
    Reason.PRUNE_FORBIDDEN: "The object has a sync option that forbids pruning it.",
    Reason.PRUNE_UNSAFE: "The live or desired state is not fully known, so nothing is deleted.",
    Reason.DESIRED_ELSEWHERE: "Another app now desires the object, so it is handed over instead of deleted.",
    Reason.KIND_UNKNOWN: "Neither the cluster nor this sync provides the kind of the object.",
    Reason.NOT_PERMITTED: "The project does not permit the object.",
    Reason.NAME_MISSING: "An object with generateName can be created but not applied.",
    Reason.WAITING_FOR_HEALTH: "The next wave starts when these objects are healthy.",
    Reason.WAITING_FOR_HOOK: "The next step starts when these hooks have completed.",
    Reason.WAITING_FOR_DELETION: "The next step starts when these objects are gone.",
    Reason.WAITING_FOR_CONFIRMATION: "Deleting these objects must be confirmed first.",
    Reason.WAITING_FOR_OTHERS: "Other apps must be checked first: they may desire what is about to be deleted.",
    Reason.WAITING_FOR_ADOPTION: "Objects of an app that this installation does not know are taken over once approved.",
    Reason.WAITING_FOR_RETRY: "A failed attempt is retried after a delay.",
    Reason.WAITING_FOR_KIND: "Custom resources are applied once the cluster serves their kind.",
    Reason.TIMED_OUT: "The operation exceeded the sync timeout.",
    Reason.TERMINATED: "The operation was terminated.",
    Reason.TASK_FAILED: "At least one object could not be synced.",
    Reason.ALL_DONE: "All tasks have completed.",
}
