"""Budgets that block a drain for ever are causes; those that wait for pods, or block nothing, are not."""

from typing import Any

import pytest

from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model.diagnosis import Diagnosis
from tests.support.sick_fleet import NODES, Fleet, condition, made


def fleet_with(
    spec: dict[str, Any], *, expected: int, desired: int, healthy: int, allowed: int = 0, replicas: int = 1
) -> Fleet:
    fleet = Fleet()
    fleet.app("web")
    fleet.deploy("web", app="web", replicas=replicas)
    status = {
        "expectedPods": expected,
        "desiredHealthy": desired,
        "currentHealthy": healthy,
        "disruptionsAllowed": allowed,
        "conditions": [condition("DisruptionAllowed", "True" if allowed else "False", "InsufficientPods", "")],
    }
    whole = {"selector": {"matchLabels": {"app": "web"}}, **spec}
    fleet.add(made("policy/v1", "PodDisruptionBudget", "shop", "web", spec=whole, status=status), "web")
    return fleet


def drain(fleet: Fleet, taint: str = "node.kubernetes.io/unschedulable") -> Fleet:
    """Have every node emptied by somebody."""
    for node in NODES:
        fleet.get("Node", node, "")["spec"]["taints"] = [{"key": taint, "effect": "NoSchedule"}]
    return fleet


def codes(found: Diagnosis) -> list[str]:
    return [cause.finding.code for cause in found.causes]


def one_of_one() -> Fleet:
    return fleet_with({"minAvailable": 1}, expected=1, desired=1, healthy=1)


@pytest.mark.parametrize(
    "taint",
    ["node.kubernetes.io/unschedulable", "karpenter.sh/disrupted", "ToBeDeletedByClusterAutoscaler"],
)
def test_a_budget_that_keeps_the_only_pod_is_the_cause(taint: str) -> None:
    found = diagnose(drain(one_of_one(), taint).snapshot())
    [cause] = found.causes
    assert cause.finding.code == "WKL-112"
    assert cause.affected == ("argocd/web",)
    assert "minAvailable is 1 with 1 pod" in cause.finding.message
    assert found.counts == {"green but blocks a drain": 1}


def test_the_ways_out_are_options_of_a_decision() -> None:
    [cause] = diagnose(drain(one_of_one()).snapshot()).causes
    finding = cause.finding
    assert finding.fix is not None
    assert finding.fix.text.startswith("decide: ")
    assert not finding.fix.edits
    assert [bool(one.command) for one in finding.options] == [False, False, True]


@pytest.mark.parametrize("spec", [{"maxUnavailable": 0}, {"minAvailable": "100%"}])
def test_every_way_to_say_that_all_must_stay_counts(spec: dict[str, Any]) -> None:
    fleet = drain(fleet_with(spec, expected=2, desired=2, healthy=2, replicas=2))
    assert codes(diagnose(fleet.snapshot())) == ["WKL-112"]


def test_without_a_drain_it_is_no_cause() -> None:
    assert codes(diagnose(one_of_one().snapshot())) == []


def test_a_budget_that_lets_one_go_is_no_cause() -> None:
    fleet = fleet_with({"minAvailable": 1}, expected=2, desired=1, healthy=2, allowed=1, replicas=2)
    assert codes(diagnose(drain(fleet).snapshot())) == []


def test_a_budget_that_waits_for_a_pod_to_be_ready_is_no_cause() -> None:
    fleet = fleet_with({"minAvailable": 1}, expected=2, desired=1, healthy=1, replicas=2)
    assert codes(diagnose(drain(fleet).snapshot())) == []


def test_pods_on_other_nodes_are_not_kept() -> None:
    fleet = one_of_one()
    used = {obj["spec"]["nodeName"] for key, obj in fleet.objects.items() if key.kind == "Pod"}
    for node in set(NODES) - used:
        fleet.get("Node", node, "")["spec"]["unschedulable"] = True
    assert codes(diagnose(fleet.snapshot())) == []


def test_pods_of_a_daemon_set_stay_in_every_drain() -> None:
    fleet = drain(one_of_one())
    for key, obj in fleet.objects.items():
        if key.kind == "Pod":
            obj["metadata"]["ownerReferences"] = [
                {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "x", "uid": "u"}
            ]
    assert "WKL-112" not in codes(diagnose(fleet.snapshot()))
