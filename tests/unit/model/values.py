"""One value of every model type with every field set to something other than its default."""

from typing import Any

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.apimachinery.selectors import Requirement
from syncline.model.application import Condition, Destination
from syncline.model.claims import Claim, OtherApp, Standing
from syncline.model.comparison import (
    AcceptedDifference,
    ComparedObject,
    CompareStrategy,
    Comparison,
    Difference,
    DifferenceCause,
    IgnoreUse,
    StrategyChoice,
    UnusedRule,
    Verdict,
)
from syncline.model.condition import ConditionType
from syncline.model.decision import Decision, DecisionKind, Step, StepKind, Wait
from syncline.model.desired import ClusterReads, Desired, DesiredObject, Fetched, Input, Origin, Positions
from syncline.model.errors import Place
from syncline.model.finding import Confidence, Edit, Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.health import Health, HealthCode
from syncline.model.layers import ChartValue, HiddenValue, Layers, PatchedField
from syncline.model.look_again import LookAgain
from syncline.model.operation import Operation, OperationInitiator, OperationPhase, SyncOperation
from syncline.model.plan import ApplyMethod, HookDeletePolicy, Method, Phase, Plan, Task, TaskAction
from syncline.model.reason import Reason
from syncline.model.result import ResultCode, TaskResult
from syncline.model.settings.parts import (
    ApplicationSets,
    ControllerLimits,
    GlobalProject,
    KustomizeVersion,
    MatchMode,
    Permissions,
    Safety,
    Sharding,
    ShardingAlgorithm,
    SourceSettings,
    ToolSettings,
)
from syncline.model.settings.resources import (
    ActionDefinition,
    CompareOptions,
    Customizations,
    IgnoredFields,
    KnownTypeField,
    ResourceActions,
    ResourceFilter,
    ResourceOverride,
    RespectRbac,
    StatusFields,
)
from syncline.model.settings.settings import Compat, Profile, Settings, TrackingMethod
from syncline.model.snapshot import DryRun, KindFact, PodLog, ScriptedHealth, Snapshot, Trouble

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
                field_file="deploy/set.yaml",
            ),
        ),
    ),
    revisions=("abc",),
    source_types=("Directory",),
    files=("deploy/settings.yaml",),
    warnings=("deploy/notes.txt was left out",),
    digest="sha256:1",
    inputs=(Input(path="deploy", digest="sha256:2", ref="values"),),
    steady=False,
    cluster_reads=ClusterReads.VERSION,
    manifest_warnings=("deploy/a.yaml:3: key a is given twice",),
    fetched=(
        Fetched(repo_url="https://charts.example.com", revision="^1.2", found="1.2.3", chart="web", is_file=True),
    ),
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
                    cause=DifferenceCause.LIVE,
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
            choice=StrategyChoice(
                CompareStrategy.STRUCTURED, "no dry run was made", CompareStrategy.SERVER_SIDE, include_webhooks=True
            ),
            explained=(
                Difference(
                    path="spec.replicas",
                    cause=DifferenceCause.DEFAULTED,
                    desired=1,
                    live=1,
                    manager="kubectl-edit",
                    time=TIME,
                    place=PLACE,
                ),
            ),
            ignored=(IgnoreUse("spec.ignoreDifferences[0]", "/spec/replicas"),),
            accepted=(
                AcceptedDifference(
                    path="spec.host", reason="the operator sets it", expires="2026-12-31", owner="ada", expired=True
                ),
            ),
        ),
    ),
    conditions=(Condition("SharedResourceWarning", "shared with another app", TIME),),
    unused_rules=(UnusedRule("spec.ignoreDifferences[1]", "matches nothing", "/spec/x", Reason.HOOK),),
)

TASK = Task(
    key=MIGRATE,
    version="v1",
    phase=Phase.PRE_SYNC,
    wave=2,
    action=TaskAction.HOOK,
    reason=Reason.PULLED_FORWARD,
    hook_type="PreSync",
    delete_policies=(HookDeletePolicy.BEFORE_CREATION, HookDeletePolicy.SUCCEEDED),
    source_key=ObjectKey("batch", "Job", "shop", "migrate-"),
    prune_allowed=False,
    how=ApplyMethod(
        method=Method.CLIENT_SIDE,
        force=True,
        validate=False,
        migrate=False,
        keep_ignored=True,
        dry_run_skipped="its CRD is part of this sync",
    ),
    propagation="Orphan",
    refusal="not permitted",
    detail="deleting a claim takes data along",
    doubtful=True,
    contested=True,
    needs=(WEB,),
)

PLAN = Plan(tasks=(TASK,), prune=True, problems=("Job/migrate has a misspelt hook",), partial=True)

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
        waits=(
            Wait(
                key=MIGRATE,
                reason=Reason.WAITING_FOR_HOOK,
                message="1 of 2 pods",
                cause="Unschedulable",
                since=TIME,
                stuck=True,
            ),
        ),
        phase=OperationPhase.FAILED,
        look_again=LookAgain.after(2.5),
        releases="resources-finalizer.argocd.argoproj.io",
        leaves="post-delete-finalizer.argocd.argoproj.io/cleanup",
        trial=True,
    ),
    look_again=LookAgain.after(1.5),
)

EVIDENCE = Evidence(
    kind=EvidenceKind.EVENT, text="back-off pulling image", subject=WEB, path="spec.image", place=PLACE, time=TIME
)

FIX = Fix(text="Correct the tag.", command="git revert abc", edits=(Edit(place=PLACE, before="a:1", after="a:2"),))
FINDING = Finding(
    code="POD-201",
    name="image-pull",
    severity=Severity.ERROR,
    subject="apps/Deployment:shop/web",
    message="The image cannot be pulled.",
    evidence=(EVIDENCE,),
    confidence=Confidence.TEXT,
    fix=FIX,
    options=(FIX,),
    since=TIME,
    count=3,
    effect_of="Deployment/web",
)

HEALTH = Health(HealthCode.DEGRADED, "no pods", "ImagePullBackOff", (EVIDENCE,), TIME, gating=False)

IGNORED = IgnoredFields(
    json_pointers=("/spec/replicas",), jq_path_expressions=(".spec.size",), managed_fields_managers=("hpa",)
)

OVERRIDE = ResourceOverride(
    pattern="apps/Deployment",
    health_lua="return {}",
    use_open_libs=True,
    actions=ResourceActions(
        discovery_lua="return {}",
        definitions=(ActionDefinition(name="restart", action_lua="return obj"),),
        merge_builtin=True,
    ),
    ignore_differences=IGNORED,
    ignore_resource_updates=IGNORED,
    known_type_fields=(KnownTypeField("spec.pod", "core/v1/PodSpec"),),
)
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
    profile=Profile.OPENSHIFT_GITOPS,
    application_namespaces=("team-*",),
    hard_refresh_interval=8.0,
    self_heal_delay=9.0,
    sync_timeout=10.0,
    repo_error_grace=11.0,
    render_timeout=12.0,
    server_side_diff=True,
    jq_timeout=13.0,
    compare=CompareOptions(
        ignore_aggregated_roles=True, ignore_status=StatusFields.CRD, ignore_differences_on_updates=False
    ),
    overrides=(OVERRIDE,),
    resource_customizations="/etc/syncline/scripts",
    customizations=Customizations(exact={"apps/Deployment": OVERRIDE}, patterns=(OVERRIDE,)),
    resource_exclusions=(ResourceFilter(api_groups=("a.io",), kinds=("A",), clusters=("https://a",)),),
    resource_inclusions=(ResourceFilter(api_groups=("b.io",), kinds=("B",), clusters=("https://b",)),),
    ignore_resource_updates=False,
    respect_rbac=RespectRbac.STRICT,
    impersonation=True,
    impersonation_enforced=False,
    replace_allowed=False,
    in_cluster=False,
    exec_commands=("aws",),
    global_projects=(GlobalProject(project="all", requirements=(Requirement("team", "in", ("a",)),)),),
    persist_health=True,
    event_labels=("team",),
    event_labels_excluded=("cost",),
    masked_annotations=("token",),
    tools=ToolSettings(
        helm=False,
        kustomize=False,
        jsonnet=False,
        values_file_schemes=("s3",),
        kustomize_build_options="--enable-helm",
        kustomize_versions=(KustomizeVersion(name="v5", path="/bin/kustomize5", build_options="--helm"),),
    ),
    sources=SourceSettings(
        look_up_images=True,
        parallelism=1,
        max_directory_bytes=2,
        max_streamed_tar_bytes=3,
        max_streamed_bytes=4,
        max_helm_bytes=5,
        max_oci_bytes=6,
        helm_size_limited=False,
        oci_size_limited=False,
        oci_media_types=("a/b",),
        git_timeout=7.0,
        git_ls_remote_parallelism=8,
        git_submodules=False,
        git_builtin_config=False,
        hidden_directories=True,
        outside_symlinks=True,
        cache_seconds=9.0,
        exec_timeout=10.0,
        project_processor_seconds=30.0,
        plugin_tar_exclusions=(".git",),
        plugin_generate_paths=True,
    ),
    sharding=Sharding(algorithm=ShardingAlgorithm.ROUND_ROBIN, replicas=3, shard=2, heartbeat=5.0),
    safety=Safety(freeze="year end", prune_objects=20, prune_percent=10),
    limits=ControllerLimits(
        status_processors=1,
        operation_processors=2,
        hydration_processors=3,
        kubectl_parallelism=4,
        client_qps=5.0,
        client_burst=6,
        client_retries=7,
        client_retry_backoff=8.0,
        app_cache_seconds=9.0,
        list_page_size=10,
        list_parallelism=11,
        cluster_resync=12.0,
        watch_resync=13.0,
        cluster_retry=14.0,
        event_batch=15.0,
    ),
    application_sets=ApplicationSets(
        policy="create-only",
        policy_override=True,
        namespaces=("team-a",),
        requeue_after=1.0,
        reconciliations=2,
        progressive_syncs=True,
        new_file_globs=True,
        scm_providers=False,
        allowed_scm_providers=("https://git.example.com/",),
        preserved_annotations=("a",),
        preserved_labels=("b",),
        strict_token_refs=True,
        project_hosts=("team-a=https://git.example.com",),
        project_plugins=("maker",),
        max_status_resources=3,
        dry_run=True,
    ),
    permissions=Permissions(
        policy="g, ops, role:admin", default="role:readonly", scopes=("email",), match_mode=MatchMode.REGEX
    ),
)

LAYERS = Layers(
    values=(ChartValue(path=("image", "tag"), place=PLACE, value="1.5", hides=((PLACE, "1.4"),), named_at=(PLACE,)),),
    hidden=(HiddenValue(path=("tolerations",), place=PLACE, empty="tolerations: []", hides=PLACE, hidden=[{}]),),
    patched=(
        PatchedField(
            key=WEB, path="spec.replicas", place=PLACE, value="3", by="replicas: web", hides=PLACE, hidden="2"
        ),
    ),
)
SNAPSHOT = Snapshot(
    as_of=TIME,
    app={"metadata": {"name": "shop"}, "spec": {"destination": {}}},
    settings=SETTINGS,
    project={"metadata": {"name": "default"}},
    desired=DESIRED,
    layers=LAYERS,
    desired_stale=True,
    newest_revisions=("def",),
    live=(CONFIG_MAP,),
    kinds=(KindFact(GroupKind("apps", "Deployment"), namespaced=True, versions=("v1",)),),
    schemas=({"kind": "CustomResourceDefinition"},),
    events=({"kind": "Event", "message": "pulled"},),
    surroundings=({"kind": "StorageClass"},),
    scripted=(ScriptedHealth(ObjectKey("", "Pod", "shop", "web"), "7", HEALTH),),
    dry_runs=(DryRun(WEB, {"kind": "Deployment"}, "denied"),),
    complete=False,
    incomplete_groups=("metrics.k8s.io",),
    troubles=(Trouble(Reason.SOURCE_FAILED, "no such branch", ConditionType.UNKNOWN_ERROR),),
    unseen=("argocd/pay",),
    unread=(WEB,),
    unpermitted=(WEB,),
    strangers=("elsewhere",),
    destination=Destination("https://10.0.0.1", "shop", "prod"),
    others=(OtherApp("argocd", "pay", Standing.UNSEEN, "2030-01-01T00:00:00Z"),),
    claims=(Claim(WEB, "argocd/pay", PLACE),),
    logs=(PodLog(WEB, "main", ("ready",)),),
    unreadable=("Node",),
    untouched=True,
    orphaned=3,
)

ALL: tuple[Any, ...] = (
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
    HEALTH,
    SETTINGS,
    SNAPSHOT,
)
