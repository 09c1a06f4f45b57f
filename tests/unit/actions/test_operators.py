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


@pytest.mark.parametrize("kind", ["Tenant", "TenantResource", "GlobalTenantResource"])
def test_objects_of_capsule_are_cordoned_and_uncordoned(kind: str) -> None:
    value = obj(kind, "solar", api="capsule.clastix.io/v1beta2", spec={})
    cordoned = patched("cordon", value)
    assert cordoned["spec"] == {"cordoned": True}
    assert patched("uncordon", cordoned)["spec"] == {"cordoned": False}
    assert {name for name, can in offers(value).items() if can} >= {"cordon"}
    assert {name for name, can in offers(cordoned).items() if can} == {"uncordon"}


def test_replication_by_capsule_is_asked_for_by_an_annotation() -> None:
    value = obj("TenantResource", "solar", api="capsule.clastix.io/v1beta2", spec={})
    asked = patched("reconcile", value)
    assert asked["metadata"]["annotations"] == {"reconcile.projectcapsule.dev/requestedAt": NOW}


def test_pods_of_strimzi_are_rolled_by_an_annotation_that_its_operator_removes() -> None:
    value = obj("StrimziPodSet", "kafka", api="core.strimzi.io/v1beta2")
    rolling = patched("rolling-update", value)
    assert rolling["metadata"]["annotations"] == {"strimzi.io/manual-rolling-update": "true"}
    assert (offers(value), offers(rolling)) == ({"rolling-update": True}, {"rolling-update": False})


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
