"""Rules that an installation adds to projects by their labels."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.apimachinery.selectors import Requirement
from syncline.core.policy import global_projects
from syncline.model.settings.parts import GlobalProject

NIGHTS = {"kind": "deny", "schedule": "0 22 * * *", "duration": "8h", "applications": ["*"]}
NOONS = {**NIGHTS, "schedule": "0 12 * * *", "duration": "1h"}


def project(name: str, labels: dict[str, str] | None = None, **spec: Any) -> Object:
    return {"metadata": {"name": name, "labels": labels or {}}, "spec": spec}


PROJECTS = {
    "nights": project("nights", syncWindows=[NIGHTS], namespaceResourceBlacklist=[{"group": "", "kind": "Secret"}]),
    "empty": project("empty"),
}
PROD = Requirement("env", "in", ("prod",))


def merged(obj: Object, *rules: GlobalProject) -> dict[str, Any]:
    spec: dict[str, Any] = global_projects.merged(obj, rules, PROJECTS.get)["spec"]
    return spec


def test_the_lists_of_a_global_project_come_behind_those_of_a_project_it_holds_for() -> None:
    shop = project("shop", {"env": "prod"}, syncWindows=[NOONS], sourceRepos=["*"])
    assert merged(shop, GlobalProject(project="nights", requirements=(PROD,))) == {
        "sourceRepos": ["*"],
        "syncWindows": [NOONS, NIGHTS],
        "namespaceResourceBlacklist": [{"group": "", "kind": "Secret"}],
    }


@pytest.mark.parametrize(
    ("labels", "rules", "holds"),
    [
        ({"env": "prod"}, (GlobalProject(project="nights", requirements=(PROD,)),), True),
        ({"env": "dev"}, (GlobalProject(project="nights", requirements=(PROD,)),), False),
        ({}, (GlobalProject(project="nights"),), True),
        ({}, (GlobalProject(project="gone"),), False),
        ({}, (), False),
        ({}, (GlobalProject(project="gone"), GlobalProject(project="nights")), True),
    ],
)
def test_a_global_project_holds_for_projects_whose_labels_meet_all_its_requirements(
    labels: dict[str, str], rules: tuple[GlobalProject, ...], holds: bool
) -> None:
    assert ("syncWindows" in merged(project("shop", labels), *rules)) is holds


def test_a_list_that_neither_project_has_stays_absent() -> None:
    assert "namespaceResourceWhitelist" not in merged(project("shop"), GlobalProject(project="empty"))


def test_a_global_project_is_not_added_to_itself() -> None:
    assert merged(PROJECTS["nights"], GlobalProject(project="nights"))["syncWindows"] == [NIGHTS]


@pytest.mark.parametrize(
    ("field", "found"),
    [
        ("spec.syncWindows", ("shop", "spec.syncWindows")),
        ("spec.syncWindows[0]", ("shop", "spec.syncWindows[0]")),
        ("spec.syncWindows[1]", ("nights", "spec.syncWindows[0]")),
        ("spec.namespaceResourceBlacklist[0]", ("nights", "spec.namespaceResourceBlacklist[0]")),
    ],
)
def test_an_entry_that_decides_is_found_in_the_project_that_has_it(field: str, found: tuple[str, str]) -> None:
    shop = project("shop", {"env": "prod"}, syncWindows=[NOONS], sourceRepos=["*"])
    rules = (GlobalProject(project="nights", requirements=(PROD,)),)
    obj, there = global_projects.holder(shop, field, rules, PROJECTS.get)
    assert (obj["metadata"]["name"], there) == found
