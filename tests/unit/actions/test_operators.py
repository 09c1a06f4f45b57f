"""Built-in actions of operators' kinds."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.actions import builtin, operators
from syncline.model.actions import ActionOperation, ActionStep
from syncline.model.errors import InvalidSpec
from tests.support.objects import obj
from tests.unit.actions.test_workloads import NOW, offers, patched

FLUX = [builtin_kind for builtin_kind in sorted(operators.OFFERS) if builtin_kind.group.endswith("fluxcd.io")]


@pytest.mark.parametrize("kind", FLUX)
def test_flux_objects_are_suspended_resumed_and_asked_to_reconcile_while_not_suspended(kind: Any) -> None:
    value = obj(kind.kind, "x", api=f"{kind.group}/v1", spec={})
    suspended = {**value, "spec": {"suspend": True}}
    assert patched("suspend", value) == suspended
    assert patched("resume", suspended) == {**value, "spec": {"suspend": False}}
    rest = {name: can for name, can in offers(suspended).items() if name != "reconcile"}
    assert rest == {"resume": True, "suspend": False}
    if "reconcile" in offers(value):
        assert (offers(value)["reconcile"], offers(suspended)["reconcile"]) == (True, False)
        stamped = patched("reconcile", value)["metadata"]["annotations"]
        assert stamped == {"reconcile.fluxcd.io/requestedAt": NOW}


@pytest.mark.parametrize(("kind", "name"), [("ExternalSecret", "refresh"), ("PushSecret", "push")])
def test_external_secrets_are_fetched_or_pushed_again_by_an_annotation(kind: str, name: str) -> None:
    value = obj(kind, "db", api="external-secrets.io/v1", annotations={"a": "b"}, spec={})
    assert patched(name, value)["metadata"]["annotations"] == {"a": "b", "force-sync": NOW}
    assert offers(value) == {name: True}


def test_an_external_secret_that_is_never_refreshed_has_refresh_greyed_out() -> None:
    value = obj("ExternalSecret", "db", api="external-secrets.io/v1", spec={"refreshInterval": "0s"})
    assert offers(value) == {"refresh": False}


def scaled(**annotations: str) -> Object:
    found = {f"autoscaling.keda.sh/{name.replace('_', '-')}": value for name, value in annotations.items()}
    return obj("ScaledObject", "web", api="keda.sh/v1alpha1", annotations=found)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (scaled(), {"pause": True, "paused-replicas": True, "resume": False}),
        (scaled(paused="true"), {"pause": False, "paused-replicas": False, "resume": True}),
        (scaled(paused_replicas="3"), {"pause": False, "paused-replicas": True, "resume": True}),
    ],
)
def test_keda_scaling_is_paused_as_it_is_or_at_a_number(value: Object, expected: dict[str, bool]) -> None:
    assert offers(value) == expected
    assert patched("pause", scaled()) == scaled(paused="true")
    assert patched("paused-replicas", scaled(), replicas="4") == scaled(paused_replicas="4")
    assert patched("resume", scaled(paused="true", paused_replicas="4")) == scaled()


def cluster(annotations: dict[str, str] | None = None, **status: Any) -> Object:
    return obj("Cluster", "pg", api="postgresql.cnpg.io/v1", annotations=annotations or {}, status=status)


THREE: dict[str, Any] = {"instancesStatus": {"healthy": ["pg-1", "pg-2", "pg-3"]}}


@pytest.mark.parametrize(
    ("annotations", "status", "expected"),
    [
        ({}, {}, {"hibernate": True, "promote": False, "reload": True, "restart": True, "suspend": True}),
        ({}, THREE, {"hibernate": True, "promote": True, "reload": True, "restart": True, "suspend": True}),
        (
            {"cnpg.io/reconciliationLoop": "disabled", "cnpg.io/hibernation": "on"},
            {},
            {"promote": False, "rehydrate": True, "reload": True, "restart": True, "resume": True},
        ),
    ],
)
def test_a_postgres_cluster_offers_the_way_back_from_where_it_is(
    annotations: dict[str, str], status: dict[str, Any], expected: dict[str, bool]
) -> None:
    assert offers(cluster(annotations, **status)) == expected


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("reload", {}, {"cnpg.io/reloadedAt": NOW}),
        ("restart", {}, {"kubectl.kubernetes.io/restartedAt": NOW}),
        ("suspend", {}, {"cnpg.io/reconciliationLoop": "disabled"}),
        ("resume", {"cnpg.io/reconciliationLoop": "disabled"}, {}),
        ("hibernate", {}, {"cnpg.io/hibernation": "on"}),
        ("rehydrate", {"cnpg.io/hibernation": "on"}, {"cnpg.io/hibernation": "off"}),
    ],
)
def test_a_postgres_cluster_is_steered_by_annotations(name: str, before: dict[str, str], after: dict[str, str]) -> None:
    assert patched(name, cluster(before)) == cluster(after)


@pytest.mark.parametrize(
    ("primary", "parameters", "chosen"),
    [
        ("pg-1", {}, "pg-2"),
        ("pg-3", {"instance": "any"}, "pg-1"),
        ("pg-1", {"instance": "pg-3"}, "pg-3"),
        ("pg-1", {"instance": "3"}, "pg-3"),
    ],
)
def test_promote_takes_the_instance_named_or_the_next_healthy_one(
    primary: str, parameters: dict[str, str], chosen: str
) -> None:
    status = patched("promote", cluster({}, **THREE, currentPrimary=primary), **parameters)["status"]
    assert (status["targetPrimary"], status["targetPrimaryTimestamp"]) == (chosen, NOW)


@pytest.mark.parametrize(("instance", "says"), [("pg-1", "pg-1 cannot"), ("pg-9", "pg-9 cannot")])
def test_promote_refuses_the_primary_and_what_is_not_healthy(instance: str, says: str) -> None:
    with pytest.raises(InvalidSpec, match=f"{says} become the primary .healthy replicas: pg-2, pg-3"):
        patched("promote", cluster({}, **THREE, currentPrimary="pg-1"), instance=instance)


def test_create_backup_makes_what_the_schedule_would() -> None:
    value = obj(
        "ScheduledBackup",
        "daily",
        api="postgresql.cnpg.io/v1",
        spec={"schedule": "0 0 0 * * *", "cluster": {"name": "pg"}, "method": "plugin", "online": None},
    )
    value["metadata"]["uid"] = "u1"
    owner = {
        "apiVersion": "postgresql.cnpg.io/v1",
        "kind": "ScheduledBackup",
        "name": "daily",
        "uid": "u1",
        "blockOwnerDeletion": True,
        "controller": True,
    }
    made = {
        "apiVersion": "postgresql.cnpg.io/v1",
        "kind": "Backup",
        "metadata": {
            "name": "daily-20260301083005",
            "namespace": "shop",
            "labels": {"cnpg.io/cluster": "pg", "cnpg.io/scheduled-backup": "daily"},
            "ownerReferences": [owner],
        },
        "spec": {"cluster": {"name": "pg"}, "method": "plugin"},
    }
    assert builtin.run("create-backup", value, now=NOW) == (ActionStep(ActionOperation.CREATE, made),)


ROLLOUT = "numaplane.numaproj.io/v1alpha1"


@pytest.mark.parametrize(
    ("kind", "api", "path"),
    [
        ("Pipeline", "numaflow.numaproj.io/v1alpha1", ()),
        ("MonoVertex", "numaflow.numaproj.io/v1alpha1", ()),
        ("MonoVertexRollout", ROLLOUT, ("monoVertex", "spec")),
        ("PipelineRollout", ROLLOUT, ("pipeline", "spec")),
    ],
)
def test_numaflow_objects_are_paused_and_run_on_by_their_wanted_phase(
    kind: str, api: str, path: tuple[str, ...]
) -> None:
    def value(phase: str) -> Object:
        spec: dict[str, Any] = {"lifecycle": {"desiredPhase": phase}}
        for step in reversed(path):
            spec = {step: spec}
        return obj(kind, "flow", api=api, spec=spec)

    running, paused = value("Running"), value("Paused")
    assert patched("pause", running) == paused
    assert patched("unpause", paused) == running
    fast, slow = patched("unpause-fast", paused), patched("unpause-gradual", paused)
    if path:
        assert (fast["spec"].pop("strategy"), slow["spec"].pop("strategy")) == (
            {"pauseResume": {"fastResume": True}},
            {"pauseResume": {"fastResume": False}},
        )
    else:
        name = "numaflow.numaproj.io/resume-strategy"
        assert fast["metadata"].pop("annotations") == {name: "fast"}
        assert slow["metadata"].pop("annotations") == {name: "slow"}
    assert (fast, slow) == (running, running)
    assert (offers(running)["pause"], offers(running)["unpause"]) == (True, False)
    assert (offers(paused)["pause"], offers(paused)["unpause"]) == (False, True)


def test_a_numaplane_rollout_is_forced_only_while_it_waits_in_an_upgrade() -> None:
    value = obj("ISBServiceRollout", "isb", api=ROLLOUT, spec={})
    waiting = {**value, "status": {"upgradeInProgress": "Progressive", "phase": "Pending"}}
    forced = patched("enable-force-promote", waiting)
    assert forced["spec"] == {"strategy": {"progressive": {"forcePromote": True}}}
    assert offers(value) == {"disable-force-promote": False, "enable-force-promote": False}
    assert offers(waiting) == {"disable-force-promote": False, "enable-force-promote": True}
    assert offers(forced) == {"disable-force-promote": True, "enable-force-promote": False}


MACHINES = "cluster.x-k8s.io/v1beta1"
PLANE = "controlplane.cluster.x-k8s.io/v1beta1"
PAUSED = {"cluster.x-k8s.io/paused": ""}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("pause", obj("Cluster", "c", api=MACHINES), obj("Cluster", "c", api=MACHINES, spec={"paused": True})),
        (
            "resume",
            obj("Cluster", "c", api=MACHINES, spec={"paused": True}),
            obj("Cluster", "c", api=MACHINES, spec={}),
        ),
        (
            "restart",
            obj("MachineDeployment", "m", api=MACHINES),
            obj("MachineDeployment", "m", api=MACHINES, spec={"rolloutAfter": NOW}),
        ),
        (
            "restart",
            obj("KubeadmControlPlane", "k", api=PLANE),
            obj(
                "KubeadmControlPlane",
                "k",
                api=PLANE,
                annotations={"cluster.x-k8s.io/restartedAt": NOW},
                spec={"rolloutAfter": NOW},
            ),
        ),
        (
            "pause",
            obj("KubeadmControlPlane", "k", api=PLANE),
            obj("KubeadmControlPlane", "k", api=PLANE, annotations=PAUSED),
        ),
        (
            "resume",
            obj("KubeadmControlPlane", "k", api=PLANE, annotations=PAUSED),
            obj("KubeadmControlPlane", "k", api=PLANE, annotations={}),
        ),
        (
            "suspend",
            obj("MariaDB", "d", api="k8s.mariadb.com/v1alpha1"),
            obj("MariaDB", "d", api="k8s.mariadb.com/v1alpha1", spec={"suspend": True}),
        ),
        (
            "unpause",
            obj("PerconaServerMongoDB", "d", api="psmdb.percona.com/v1", spec={"pause": True}),
            obj("PerconaServerMongoDB", "d", api="psmdb.percona.com/v1", spec={"pause": False}),
        ),
    ],
)
def test_machines_and_databases_are_rolled_paused_and_resumed(name: str, before: Object, after: Object) -> None:
    assert patched(name, before) == after
    assert offers(before)[name]


def test_a_paused_control_plane_offers_only_the_way_back() -> None:
    paused = obj("KubeadmControlPlane", "k", api=PLANE, annotations=PAUSED)
    assert offers(paused) == {"pause": False, "restart": True, "resume": True}
