"""Every described kind does what its cases say."""

from fnmatch import fnmatchcase
from importlib import resources
from typing import Any

import pytest

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import GroupKind, gvk_of
from syncline.core.health import knowledge
from syncline.core.health.assess import assess
from syncline.model.health import HealthCode

ROOT = resources.files("syncline.knowledge")
FOLDERS = [(group, kind) for group, kinds in knowledge.folders().items() for kind in kinds]


def cases(group: str, kind: str) -> dict[str, Any]:
    folder = ROOT.joinpath(group, kind, "cases")
    return {case.name: yaml.load(case.read_bytes(), source=f"{group}/{kind}/{case.name}") for case in folder.iterdir()}


@pytest.mark.parametrize(("group", "kind"), FOLDERS)
def test_a_kind_is_as_healthy_as_its_cases_say(group: str, kind: str) -> None:
    expected, found = {}, {}
    for name, case in cases(group, kind).items():
        health = assess(case["object"])
        assert health is not None, name
        expected[name] = {"reason": "", "message": ""} | case["expect"]
        found[name] = {"status": health.status.value, "reason": health.reason, "message": health.message}
    assert found == expected


@pytest.mark.parametrize(("group", "kind"), FOLDERS)
def test_a_kind_has_at_least_three_cases_one_of_them_healthy(group: str, kind: str) -> None:
    found = [case["expect"]["status"] for case in cases(group, kind).values()]
    assert len(found) >= 3
    assert "Healthy" in found


@pytest.mark.parametrize(("group", "kind"), FOLDERS)
def test_the_cases_of_a_folder_are_about_its_kind(group: str, kind: str) -> None:
    for name, case in cases(group, kind).items():
        gvk = gvk_of(case["object"])
        assert fnmatchcase(gvk.group, group.replace("_", "*")), name
        assert kind in (gvk.kind, "_"), name


@pytest.mark.parametrize(("group", "kind"), FOLDERS)
def test_an_object_without_a_status_is_never_degraded(group: str, kind: str) -> None:
    api = f"{group.replace('_', 'any')}/v1"
    health = assess({"apiVersion": api, "kind": kind.replace("_", "Any"), "metadata": {"name": "new"}})
    assert health is not None
    assert health.status in (HealthCode.HEALTHY, HealthCode.PROGRESSING, HealthCode.UNKNOWN)


ODD: list[Any] = [None, "text", 7, True, [], ["text", None, {}], {}, {"conditions": "none"}]


@pytest.mark.parametrize(("group", "kind"), FOLDERS)
def test_no_odd_status_makes_a_check_fail(group: str, kind: str) -> None:
    api = f"{group.replace('_', 'any')}/v1"
    for odd in ODD:
        conditions = {"conditions": odd, "observedGeneration": odd, "phase": odd, "parents": odd, "listeners": odd}
        for status in (odd, conditions, {"conditions": [{"type": odd, "status": odd, "reason": odd, "message": odd}]}):
            obj = {"apiVersion": api, "kind": kind.replace("_", "Any"), "metadata": {"generation": 1}, "status": status}
            assert assess(obj) is not None


def test_at_least_three_hundred_kinds_are_described() -> None:
    assert len(FOLDERS) >= 300


@pytest.mark.parametrize(
    ("group", "kind"),
    [("s3.aws.crossplane.io", "Bucket"), ("crossplane.io", "Anything"), ("ec2.aws.upbound.io", "VPC")],
)
def test_a_wildcard_covers_the_groups_below_it_only(group: str, kind: str) -> None:
    known = knowledge.check_for(GroupKind(group, kind)) is not None
    assert known is (group != "crossplane.io")


def test_an_exact_folder_wins_over_a_wildcard() -> None:
    provider = {
        "apiVersion": "pkg.crossplane.io/v1",
        "kind": "Provider",
        "status": {"conditions": [{"type": "Installed", "status": "False", "reason": "InactivePackageRevision"}]},
    }
    health = assess(provider)
    assert health is not None
    assert health.status is HealthCode.SUSPENDED


@pytest.mark.parametrize(
    "kind",
    [
        GroupKind("cert-manager.io", "../Issuer"),
        GroupKind("..", "knowledge"),
        GroupKind("cert-manager.io", ""),
        GroupKind("cert-manager.io", "cases"),
        GroupKind("", "_"),
    ],
)
def test_no_name_leads_out_of_the_described_kinds(kind: GroupKind) -> None:
    assert knowledge.check_for(kind) is None
