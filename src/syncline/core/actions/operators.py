"""Actions of operators' kinds: Flux, External Secrets, KEDA, databases, Cluster API, Capsule, Strimzi."""

from __future__ import annotations

from syncline.apimachinery.keys import GroupKind, Object
from syncline.core.actions.edits import (
    ActionInput,
    counts,
    create,
    drop,
    drops,
    get,
    is_not,
    is_set,
    minute,
    owner,
    patch,
    put,
    sets,
    stamps,
)
from syncline.core.actions.offers import Offer, switch
from syncline.model.actions import ActionStep
from syncline.model.errors import InvalidSpec

_FLUX_RECONCILED = (
    GroupKind("helm.toolkit.fluxcd.io", "HelmRelease"),
    GroupKind("image.toolkit.fluxcd.io", "ImageRepository"),
    GroupKind("image.toolkit.fluxcd.io", "ImageUpdateAutomation"),
    GroupKind("kustomize.toolkit.fluxcd.io", "Kustomization"),
    GroupKind("notification.toolkit.fluxcd.io", "Receiver"),
    GroupKind("source.toolkit.fluxcd.io", "Bucket"),
    GroupKind("source.toolkit.fluxcd.io", "GitRepository"),
    GroupKind("source.toolkit.fluxcd.io", "HelmChart"),
    GroupKind("source.toolkit.fluxcd.io", "HelmRepository"),
    GroupKind("source.toolkit.fluxcd.io", "OCIRepository"),
)
_FLUX_SUSPENDED = (
    GroupKind("notification.toolkit.fluxcd.io", "Alert"),
    GroupKind("notification.toolkit.fluxcd.io", "Provider"),
)
_suspended = is_set("spec", "suspend")
_LOOP = ("metadata", "annotations", "cnpg.io/reconciliationLoop")
_loop_is_off = is_set(*_LOOP, to="disabled")
_SUSPEND = switch("suspend", "resume", "spec", "suspend")
_RECONCILE = Offer(
    "reconcile",
    stamps("metadata", "annotations", "reconcile.fluxcd.io/requestedAt"),
    usable=is_not(_suspended),
)
_FORCED = ("metadata", "annotations", "force-sync")
_KEDA, _KEDA_COUNT = "autoscaling.keda.sh/paused", "autoscaling.keda.sh/paused-replicas"
_KEDA_PATH, _COUNT_PATH = ("metadata", "annotations", _KEDA), ("metadata", "annotations", _KEDA_COUNT)
_scaling_paused = is_set(*_KEDA_PATH, to="true")


def _held(scaled: Object) -> bool:
    return _scaling_paused(scaled) or get(scaled, _COUNT_PATH) is not None


def _release(request: ActionInput) -> tuple[ActionStep, ...]:
    return patch(drop(drop(request.obj, _KEDA_PATH), _COUNT_PATH))


_KEDA_PAUSE = Offer("pause", sets(*_KEDA_PATH, to="true"), usable=is_not(_held))
_KEDA_RESUME = Offer("resume", _release, usable=_held)


def _promote(request: ActionInput) -> tuple[ActionStep, ...]:
    """Name another instance as the primary: the one given, or the healthy one after the primary of now."""
    healthy = get(request.obj, ("status", "instancesStatus", "healthy")) or []
    primary = get(request.obj, ("status", "currentPrimary"))
    chosen = request.parameters.get("instance", "any")
    if chosen == "any":
        after = healthy.index(primary) + 1 if primary in healthy else 0
        chosen = healthy[after % len(healthy)] if healthy else ""
    elif chosen.isdecimal():
        chosen = f"{get(request.obj, ('metadata', 'name'))}-{chosen}"
    if chosen not in healthy or chosen == primary:
        raise InvalidSpec(
            f"{chosen or 'no instance'} cannot become the primary",
            hint=f"healthy replicas: {', '.join(one for one in healthy if one != primary) or 'none'}",
        )
    named = put(request.obj, ("status", "targetPrimary"), chosen)
    named = put(named, ("status", "targetPrimaryTimestamp"), request.now)
    named = put(named, ("status", "phase"), "Switchover in progress")
    return patch(put(named, ("status", "phaseReason"), f"Switching over to {chosen}"))


def _has_replica(cluster: Object) -> bool:
    return len(get(cluster, ("status", "instancesStatus", "healthy")) or ()) > 1


_COPIED = ("cluster", "target", "method", "pluginConfiguration", "online", "onlineConfiguration")


def _create_backup(request: ActionInput) -> tuple[ActionStep, ...]:
    """Make a Backup as the schedule of a ScheduledBackup would."""
    schedule, spec = request.obj, request.obj.get("spec") or {}
    name = get(schedule, ("metadata", "name"))
    labels = {"cnpg.io/cluster": get(spec, ("cluster", "name")), "cnpg.io/scheduled-backup": name}
    metadata = {
        "name": f"{name}-{minute(request.now)}{request.now[17:19]}",
        "namespace": get(schedule, ("metadata", "namespace")),
        "labels": labels,
        "ownerReferences": [owner(schedule, blockOwnerDeletion=True, controller=True)],
    }
    wanted = {field: spec[field] for field in _COPIED if spec.get(field) is not None}
    return create({"apiVersion": "postgresql.cnpg.io/v1", "kind": "Backup", "metadata": metadata, "spec": wanted})


_MACHINES_PAUSED = ("metadata", "annotations", "cluster.x-k8s.io/paused")
_ROLLOUT = ("spec", "rolloutAfter")


def _paused_by_hand(control_plane: Object) -> bool:
    return get(control_plane, _MACHINES_PAUSED) is not None


def _replace_machines(request: ActionInput) -> tuple[ActionStep, ...]:
    """Roll the machines of a control plane, with the time as an annotation too."""
    stamped = put(request.obj, ("metadata", "annotations", "cluster.x-k8s.io/restartedAt"), request.now)
    return patch(put(stamped, _ROLLOUT, request.now))


_MACHINES: dict[GroupKind, tuple[Offer, ...]] = {
    GroupKind("cluster.x-k8s.io", "Cluster"): (
        Offer("pause", sets("spec", "paused", to=True), usable=is_not(is_set("spec", "paused"))),
        Offer("resume", drops("spec", "paused"), usable=is_set("spec", "paused")),
    ),
    GroupKind("cluster.x-k8s.io", "MachineDeployment"): (
        Offer("restart", stamps(*_ROLLOUT)),
        *switch("pause", "resume", "spec", "paused"),
    ),
    GroupKind("controlplane.cluster.x-k8s.io", "KubeadmControlPlane"): (
        Offer("restart", _replace_machines),
        Offer("pause", sets(*_MACHINES_PAUSED, to=""), usable=is_not(_paused_by_hand)),
        Offer("resume", drops(*_MACHINES_PAUSED), usable=_paused_by_hand),
    ),
}
_CORDONED = switch("cordon", "uncordon", "spec", "cordoned")
_REPLICATE = Offer(
    "reconcile",
    stamps("metadata", "annotations", "reconcile.projectcapsule.dev/requestedAt"),
    usable=is_not(is_set("spec", "cordoned")),
)
_ROLLED = ("metadata", "annotations", "strimzi.io/manual-rolling-update")


def _offers() -> dict[GroupKind, tuple[Offer, ...]]:
    flux: dict[GroupKind, tuple[Offer, ...]] = dict.fromkeys(_FLUX_RECONCILED, (_RECONCILE, *_SUSPEND))
    other: dict[GroupKind, tuple[Offer, ...]] = {
        **dict.fromkeys(_FLUX_SUSPENDED, _SUSPEND),
        GroupKind("external-secrets.io", "ExternalSecret"): (
            Offer("refresh", stamps(*_FORCED), usable=is_not(is_set("spec", "refreshInterval", to="0s"))),
        ),
        GroupKind("external-secrets.io", "PushSecret"): (Offer("push", stamps(*_FORCED)),),
        GroupKind("keda.sh", "ScaledObject"): (
            _KEDA_PAUSE,
            Offer(
                "paused-replicas",
                counts(*_COUNT_PATH, as_text=True),
                usable=is_not(_scaling_paused),
                parameters=("replicas",),
            ),
            _KEDA_RESUME,
        ),
        GroupKind("keda.sh", "ScaledJob"): (_KEDA_PAUSE, _KEDA_RESUME),
        GroupKind("postgresql.cnpg.io", "Cluster"): (
            Offer(
                "restart",
                stamps("metadata", "annotations", "kubectl.kubernetes.io/restartedAt"),
                display_name="Rollout restart Cluster",
            ),
            Offer(
                "reload",
                stamps("metadata", "annotations", "cnpg.io/reloadedAt"),
                display_name="Reload all Configuration",
            ),
            Offer(
                "promote",
                _promote,
                usable=_has_replica,
                parameters=("instance",),
                display_name="Promote Replica to Primary",
            ),
            Offer(
                "suspend",
                sets(*_LOOP, to="disabled"),
                offered=is_not(_loop_is_off),
                display_name="Suspend Reconciliation",
            ),
            Offer("resume", drops(*_LOOP), offered=_loop_is_off, display_name="Resume Reconciliation"),
            *_hibernation(),
        ),
        GroupKind("k8s.mariadb.com", "MariaDB"): (
            Offer("suspend", sets("spec", "suspend", to=True), offered=is_not(_suspended), display_name="Suspend"),
            Offer("resume", sets("spec", "suspend", to=False), offered=_suspended, display_name="Resume"),
        ),
        GroupKind("psmdb.percona.com", "PerconaServerMongoDB"): switch("pause", "unpause", "spec", "pause"),
        GroupKind("postgresql.cnpg.io", "ScheduledBackup"): (Offer("create-backup", _create_backup),),
        GroupKind("capsule.clastix.io", "Tenant"): _CORDONED,
        GroupKind("capsule.clastix.io", "TenantResource"): (*_CORDONED, _REPLICATE),
        GroupKind("capsule.clastix.io", "GlobalTenantResource"): (*_CORDONED, _REPLICATE),
        GroupKind("core.strimzi.io", "StrimziPodSet"): (
            Offer("rolling-update", sets(*_ROLLED, to="true"), usable=is_not(is_set(*_ROLLED, to="true"))),
        ),
    }
    return flux | _MACHINES | other


def _hibernation() -> tuple[Offer, Offer]:
    path = ("metadata", "annotations", "cnpg.io/hibernation")
    asleep = is_set(*path, to="on")
    return (
        Offer("hibernate", sets(*path, to="on"), offered=is_not(asleep), display_name="Hibernate Cluster"),
        Offer("rehydrate", sets(*path, to="off"), offered=asleep, display_name="Rehydrate Cluster"),
    )


OFFERS: dict[GroupKind, tuple[Offer, ...]] = _offers()
