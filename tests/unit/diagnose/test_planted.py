"""Faults planted in a healthy fleet: exactly those are named, alone and together, with Events and without."""

import random
from typing import Any

import msgspec
import pytest

from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model.diagnosis import Diagnosis
from tests.support import planted
from tests.support.planted import FAULTS, NEED_EVENTS, SHOW_WITHOUT_APPS, Fault, Planted
from tests.support.sick_fleet import HOURS_AGO, JUST_NOW, NODES, Fleet

APPS = ("cart", "search", "mail", "billing", "report", "login", "stock", "media")
NAMES = {fault: fault.__name__ for fault in FAULTS}


def healthy(apps: tuple[str, ...] = APPS) -> Fleet:
    fleet = Fleet()
    for app in apps:
        fleet.app(app)
        fleet.deploy(app, app=app)
    return fleet


def named(found: Diagnosis) -> list[Planted]:
    return sorted((cause.finding.code, str(cause.thing)) for cause in found.causes)


def test_a_healthy_fleet_has_no_causes() -> None:
    found = diagnose(healthy().snapshot())
    assert (found.good, found.causes, found.unexplained) == (len(APPS), (), ())


def test_a_healthy_dump_without_applications_has_no_causes() -> None:
    found = diagnose(healthy().snapshot(with_apps=False))
    assert (found.causes, found.unexplained) == ((), ())
    assert found.good == found.total > 2 * len(APPS)


@pytest.mark.parametrize("fault", FAULTS, ids=NAMES.get)
def test_one_fault_is_named_and_nothing_else(fault: Fault) -> None:
    fleet = healthy()
    expected = fault(fleet, "mail")
    found = diagnose(fleet.snapshot(with_apps=fault not in SHOW_WITHOUT_APPS))
    assert named(found) == [expected]
    assert found.unexplained == ()
    assert found.causes[0].affected
    assert found.repairs[-1].good_after == found.total
    assert found.causes[0].finding.fix is not None


@pytest.mark.parametrize("fault", [one for one in FAULTS if one not in NEED_EVENTS], ids=NAMES.get)
def test_one_fault_is_named_from_state_alone(fault: Fault) -> None:
    fleet = healthy()
    expected = fault(fleet, "mail")
    found = diagnose(fleet.snapshot(without_events=True, with_apps=fault not in SHOW_WITHOUT_APPS))
    assert named(found) == [expected]


@pytest.mark.parametrize("seed", range(40))
def test_several_faults_at_once_are_all_named_and_stay_apart(seed: int) -> None:
    chance = random.Random(seed)
    apps = [f"app{chance.randrange(10**6):x}" for _ in range(8)]
    fleet = healthy(tuple(apps))
    chosen = chance.sample([one for one in FAULTS if one not in SHOW_WITHOUT_APPS | NEED_EVENTS], 3)
    expected = sorted(fault(fleet, app) for fault, app in zip(chosen, apps, strict=False))
    found = diagnose(fleet.snapshot(without_events=bool(seed % 2)))
    assert named(found) == expected, [fault.__name__ for fault in chosen]
    assert found.unexplained == ()


@pytest.mark.parametrize("seed", range(60))
def test_every_symptom_is_behind_a_cause_or_untold_or_starting(seed: int) -> None:
    chance = random.Random(seed)
    fleet = healthy()
    for fault, app in zip(chance.sample(FAULTS, len(APPS)), APPS, strict=True):
        if chance.random() < 0.6:
            fault(fleet, app)
    for app in APPS:
        status = fleet.get("Application", app, "argocd", "argoproj.io")["status"]
        if chance.random() < 0.3:
            status["sync"]["status"] = chance.choice(["OutOfSync", "Unknown", ""])
        if chance.random() < 0.3:
            status["operationState"] |= {
                "phase": chance.choice(["Running", "Failed", "Succeeded", "Error"]),
                "startedAt": chance.choice([HOURS_AGO, JUST_NOW]),
                "finishedAt": chance.choice([HOURS_AGO, JUST_NOW]),
            }
    fleet.settle()
    fleet.hidden = set(chance.sample(LEFT_OUT, chance.randrange(3)))
    found = diagnose(fleet.snapshot(without_events=chance.random() < 0.5))
    behind = {name for cause in found.causes for name in cause.affected}
    assert len(behind | set(found.untold) | set(found.starting)) == sum(found.counts.values())
    assert not set(found.starting) & (behind | set(found.untold))
    assert found.repairs == () or found.repairs[-1].good_after <= found.total - len(found.untold)


def test_the_order_of_objects_does_not_matter() -> None:
    answers = set()
    for seed in range(3):
        fleet = healthy()
        planted.missing_secret(fleet, "mail")
        planted.selector(fleet, "cart")
        planted.image_tag(fleet, "stock")
        items = list(fleet.objects.items())
        random.Random(seed).shuffle(items)
        fleet.objects = dict(items)
        found = diagnose(fleet.snapshot())
        answers.add(tuple((cause.id, cause.finding.message, cause.affected) for cause in found.causes))
    assert len(answers) == 1


LEFT_OUT = ("Node", "ConfigMap", "ReplicaSet", "ServiceAccount", "StorageClass", "Namespace", "Service", "Deployment")


@pytest.mark.parametrize("kind", LEFT_OUT)
@pytest.mark.parametrize("fault", [planted.image_tag, planted.bad_config, planted.missing_secret, planted.immutable])
def test_a_kind_that_may_not_be_read_makes_nothing_absent(fault: Fault, kind: str) -> None:
    fleet = healthy()
    expected = fault(fleet, "mail")
    fleet.settle()
    fleet.hidden = {kind}
    found = diagnose(fleet.snapshot())
    if kind == "Deployment" and fault is planted.bad_config:
        expected = ("WKL-008", "ReplicaSet/mail-5d7f in shop")
    assert named(found) == [expected]
    assert kind in found.unread


def test_what_an_unscheduled_pod_will_miss_next_is_named_behind_what_holds_it_now() -> None:
    fleet = healthy()
    planted.missing_config(fleet, "mail")
    planted.selector(fleet, "mail")
    found = diagnose(fleet.snapshot())
    assert named(found) == [("SEC-004", "ConfigMap/mail-config in shop"), ("WKL-001", "nodes disk=ssd-mail")]
    by_code = {cause.finding.code: cause for cause in found.causes}
    [behind] = by_code["WKL-001"].next_in_line
    assert behind.startswith(by_code["SEC-004"].id)
    assert [one.good_after for one in found.repairs] == [len(APPS) - 1, len(APPS)]


def test_an_app_that_two_causes_hold_up_recovers_with_the_second() -> None:
    fleet = healthy()
    planted.image_tag(fleet, "mail")
    planted.immutable(fleet, "mail")
    planted.immutable(fleet, "cart")
    found = diagnose(fleet.snapshot())
    assert [one.good_after for one in found.repairs] == [len(APPS) - 1, len(APPS) - 1, len(APPS)]


def test_pods_that_the_same_thing_keeps_from_the_nodes_have_one_cause() -> None:
    fleet = healthy()
    for app in ("cart", "mail", "stock"):
        for spec in fleet.change(app):
            spec["nodeSelector"] = {"pool": "gpu"}
        fleet.unscheduled(app, "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.")
    found = diagnose(fleet.snapshot())
    assert named(found) == [("WKL-001", "nodes pool=gpu")]
    assert found.causes[0].affected == ("argocd/cart", "argocd/mail", "argocd/stock")


def test_pods_that_tolerate_the_taint_of_no_pool_have_one_cause() -> None:
    fleet = healthy()
    for node, value in zip(NODES, ("dev", "staging", "prod"), strict=True):
        taint = {"key": "env", "value": value, "effect": "NoSchedule"}
        fleet.get("Node", node, "")["spec"]["taints"] = [taint]
    for app in ("cart", "mail"):
        fleet.unscheduled(app, "0/3 nodes are available: 3 node(s) had untolerated taint.")
    found = diagnose(fleet.snapshot())
    assert named(found) == [("WKL-001", "nodes env=dev:NoSchedule, env=prod:NoSchedule, env=staging:NoSchedule")]
    assert len(found.causes[0].affected) == 2


def test_a_rule_that_breaks_is_said_and_costs_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(_cluster: object, _pod: object) -> list[object]:
        raise RuntimeError("a secret")

    fleet = healthy()
    expected = planted.image_tag(fleet, "cart")
    planted.selector(fleet, "mail")
    monkeypatch.setattr("syncline.core.diagnose.graph.workloads.placing.blocked", breaks)
    found = diagnose(fleet.snapshot())
    assert expected in named(found)
    assert {one.code for one in found.unexplained} == {"INT-001"}
    assert not any("a secret" in one.message for one in found.unexplained)


def test_an_app_on_a_cluster_that_was_not_read_is_named_as_such() -> None:
    fleet = healthy()
    obj = fleet.get("Application", "mail", "argocd", "argoproj.io")
    obj["spec"]["destination"] = {"name": "far"}
    planted.image_tag(fleet, "mail")
    found = diagnose(fleet.snapshot())
    assert "cluster far: not read" in found.unread
    assert found.causes == ()
    assert [one.subject for one in found.unexplained] == ["Application/mail in argocd"]


ODD: tuple[object, ...] = (None, "odd", 7, [], {}, ["odd"], {"odd": "odd"}, True)


def spoil(value: object, chance: random.Random, depth: int = 0) -> object:
    """Return a copy of an object in which some fields, below the names that make it one, have another form."""
    if depth > 2 and chance.random() < 0.04:
        return chance.choice(ODD)
    if isinstance(value, dict):
        return {name: spoil(inner, chance, depth + (name != "metadata")) for name, inner in value.items()}
    return [spoil(inner, chance, depth + 1) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("seed", range(30))
def test_objects_that_have_not_their_form_never_end_a_diagnosis(seed: int) -> None:
    chance = random.Random(seed)
    fleet = healthy()
    for fault, app in zip(chance.sample(FAULTS, len(APPS)), APPS, strict=True):
        fault(fleet, app)
    snapshot = fleet.snapshot()
    cluster = snapshot.clusters[0]
    objects: Any = tuple(spoil(obj, chance, 1) for obj in cluster.objects)
    spoiled = msgspec.structs.replace(cluster, objects=objects)
    found = diagnose(msgspec.structs.replace(snapshot, clusters=(spoiled,)))
    assert found.total == len(APPS)


@pytest.mark.parametrize(("said", "code"), [("fast-mail", "WKL-101"), ("other", "WKL-202")])
def test_where_there_are_no_storage_classes_at_all_the_cluster_has_to_say_so(said: str, code: str) -> None:
    fleet = healthy()
    planted.storage_class(fleet, "mail")
    for key in [key for key in fleet.objects if key.kind == "StorageClass"]:
        del fleet.objects[key]
    claim = fleet.get("PersistentVolumeClaim", "mail-data")
    fleet.event(claim, "ProvisioningFailed", f'storageclass.storage.k8s.io "{said}" not found')
    assert [cause.finding.code for cause in diagnose(fleet.snapshot()).causes] == [code]
