"""One value of every model type with every field set to something other than its default."""

import msgspec

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.model.application import Condition
from syncline.model.comparison import Cause, ComparedObject, Comparison, Difference, Verdict
from syncline.model.decision import Decision, DecisionKind, Step, StepKind, Wait
from syncline.model.desired import Desired, DesiredObject, Origin, Positions
from syncline.model.errors import Place
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, RootCause, Severity
from syncline.model.health import Health, HealthCode
from syncline.model.operation import Operation, OperationInitiator, OperationPhase, SyncOperation
from syncline.model.plan import Action, HookDeletePolicy, Phase, Plan, Task
from syncline.model.reason import Reason
from syncline.model.result import ResultCode, TaskResult
from syncline.model.settings import Compat, Settings, TrackingMethod
from syncline.model.snapshot import KindFact, Snapshot, Trouble

TIME = "2026-03-01T08:30:00Z"
WEB = ObjectKey("apps", "Deployment", "shop", "web")
MIGRATE = ObjectKey("batch", "Job", "shop", "migrate")
PLACE = Place("deploy/web.yaml", 12, 5)

CONFIG_MAP = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "settings", "namespace": "shop"},
    "data": {"a": "1", "empty": None},
}

DESIRED = Desired(
    objects=(
        DesiredObject(
            CONFIG_MAP,
            Origin(
                repo_url="https://git.example.com/shop.git",
                revision="abc",
                file="deploy/settings.yaml",
                line=3,
                positions=Positions(paths=("data", "data.a"), lines=(7, 8)),
            ),
        ),
    ),
    revisions=("abc",),
    source_types=("Directory",),
    files=("deploy/settings.yaml",),
    warnings=("deploy/notes.txt was left out",),
    digest="sha256:1",
)

COMPARISON = Comparison(
    verdict=Verdict.OUT_OF_SYNC,
    rows=(
        ComparedObject(
            key=WEB,
            version="v1",
            verdict=Verdict.OUT_OF_SYNC,
            reasons=(Reason.FIELDS_DIFFER, Reason.TRACKING_DIFFERS),
            differences=(
                Difference(
                    path="spec.replicas",
                    cause=Cause.LIVE,
                    desired=2,
                    live=3,
                    manager="kubectl-edit",
                    time=TIME,
                    place=PLACE,
                ),
            ),
            desired=False,
            live=False,
            hook=True,
            wave=-1,
            message="edited by hand",
            place=PLACE,
        ),
    ),
    conditions=(Condition("SharedResourceWarning", "shared with another app", TIME),),
)

TASK = Task(
    key=MIGRATE,
    version="v1",
    phase=Phase.PRE_SYNC,
    wave=2,
    action=Action.HOOK,
    reason=Reason.PULLED_FORWARD,
    hook_type="PreSync",
    delete_policies=(HookDeletePolicy.BEFORE_CREATION, HookDeletePolicy.SUCCEEDED),
    source_key=ObjectKey("batch", "Job", "shop", "migrate-"),
    prune_allowed=False,
)

PLAN = Plan(tasks=(TASK,), prune=True, problems=("Job/migrate has a misspelt hook",))

RESULT = TaskResult(
    key=MIGRATE,
    version="v1",
    phase=Phase.PRE_SYNC,
    code=ResultCode.SYNCED,
    message="created",
    hook_type="PreSync",
    hook_phase=OperationPhase.SUCCEEDED,
    images=("shop:1.2",),
)

DECISION = Decision(
    kind=DecisionKind.PROCEED,
    reason=Reason.OPERATION_RUNNING,
    detail="wave 2",
    operation=Operation(sync=SyncOperation(revision="abc"), initiated_by=OperationInitiator(automated=True)),
    step=Step(
        kind=StepKind.WAIT,
        reason=Reason.WAITING_FOR_HOOK,
        message="waiting for Job/migrate",
        settled=(RESULT,),
        delete_hooks=(TASK,),
        release_hooks=(TASK,),
        prune=(TASK,),
        apply=(TASK,),
        waits=(Wait(key=MIGRATE, reason=Reason.WAITING_FOR_HOOK, message="1 of 2 pods"),),
        phase=OperationPhase.FAILED,
        wake_after=2.5,
    ),
    wake_after=1.5,
)

EVIDENCE = Evidence(
    kind=EvidenceKind.EVENT, text="back-off pulling image", subject=WEB, path="spec.image", place=PLACE, time=TIME
)

FINDING = Finding(
    code="POD-201",
    name="image-pull",
    severity=Severity.ERROR,
    subject="apps/Deployment:shop/web",
    message="The image cannot be pulled.",
    evidence=(EVIDENCE,),
    confidence=Confidence.TEXT,
    fix=Fix(text="Correct the tag.", command="git revert abc", patch="- image: a:1"),
    since=TIME,
)

ROOT_CAUSE = RootCause(
    finding=FINDING, affected=("shop/web",), chain=("image-pull", "degraded"), repair_order=1, ruled_out=("quota",)
)

HEALTH = Health(HealthCode.DEGRADED, "no pods", "ImagePullBackOff", (EVIDENCE,), TIME)

SETTINGS = Settings(
    namespace="delivery",
    tracking=TrackingMethod.LABEL,
    instance_label="example.com/app",
    installation_id="eu",
    exclusions=("Event",),
    field_manager="other",
    refresh_interval=1.0,
    refresh_jitter=2.0,
    wave_delay=3.0,
    self_heal_backoff=4.0,
    self_heal_factor=5.0,
    self_heal_cap=6.0,
    history_limit=7,
    compat=Compat.ARGOCD,
)

SNAPSHOT = Snapshot(
    as_of=TIME,
    app={"metadata": {"name": "shop"}, "spec": {"destination": {}}},
    settings=SETTINGS,
    project={"metadata": {"name": "default"}},
    desired=DESIRED,
    desired_stale=True,
    newest_revisions=("def",),
    live=(CONFIG_MAP,),
    kinds=(KindFact(GroupKind("apps", "Deployment"), namespaced=True, version="v1"),),
    schemas=({"kind": "CustomResourceDefinition"},),
    events=({"kind": "Event", "message": "pulled"},),
    complete=False,
    incomplete_groups=("metrics.k8s.io",),
    troubles=(Trouble(Reason.SOURCE_FAILED, "no such branch", "UnknownError"),),
    schema_version=2,
)

ALL: tuple[msgspec.Struct, ...] = (
    WEB,
    PLACE,
    DESIRED,
    COMPARISON,
    TASK,
    PLAN,
    RESULT,
    DECISION,
    EVIDENCE,
    FINDING,
    ROOT_CAUSE,
    HEALTH,
    SETTINGS,
    SNAPSHOT,
)
