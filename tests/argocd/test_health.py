"""Argo CD's own health tests, and its own scripts, judge our rules."""

from importlib import resources

import pytest

from syncline.adapters.scripts.lua import Lua, ScriptFailed
from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object
from syncline.core.health import knowledge
from syncline.core.health.assess import assess
from tests.argocd import differences
from tests.argocd.health_cases import FOLDER, health_cases
from tests.argocd.module import Module

OURS = resources.files("syncline.knowledge")


def status(obj: Object) -> str:
    health = assess(obj)
    return health.status.value if health is not None else "no check"


def test_every_published_case_has_the_same_status_here(argocd: Module) -> None:
    found = {
        case.name.removesuffix(".yaml"): (case.status, status(case.obj))
        for case in health_cases(argocd)
        # Argo CD asks no script about an object that is on its way out.
        if not case.leaving
    }
    assert len(found) > 1300
    other = {name: pair for name, pair in found.items() if pair[0] != pair[1]}
    allowed = differences.cases(differences.PUBLISHED)
    assert {name: pair for name, pair in other.items() if name not in allowed} == {}
    assert allowed - set(other) == set(), "these do not differ any more"


def test_an_object_on_its_way_out_is_progressing_as_in_argo_cds_order_of_checks(argocd: Module) -> None:
    leaving = [case for case in health_cases(argocd) if case.leaving]
    assert leaving
    assert {case.name: status(case.obj) for case in leaving} == {case.name: "Progressing" for case in leaving}


def verdict(lua: Lua, script: str, obj: Object) -> str | None:
    """Return the status that a script gives; None where it fails or gives none."""
    try:
        value = lua.run("health", script, obj, {}, open_libraries=True)
    except ScriptFailed:
        return None
    return value.get("status") if isinstance(value, dict) else None


def test_our_own_cases_have_the_status_that_argo_cds_scripts_give(argocd: Module) -> None:
    lua = Lua(seconds=5, memory=64 << 20)
    judged, other = 0, {}
    for path in argocd.find(FOLDER, "health.lua"):
        group, kind = path.split("/")[1:3]
        script = argocd.read(path).decode()
        if kind not in knowledge.folders().get(group, ()):
            continue
        for case in OURS.joinpath(group, kind, "cases").iterdir():
            obj = yaml.load(case.read_bytes())["object"]
            theirs = verdict(lua, script, obj)
            judged += theirs is not None
            if theirs is not None and theirs != status(obj):
                other[f"{group}/{kind}/{case.name.removesuffix('.yaml')}"] = (theirs, status(obj))
    assert judged > 1000
    allowed = differences.cases(differences.OWN)
    assert {name: pair for name, pair in other.items() if name not in allowed} == {}
    assert allowed - set(other) == set(), "these do not differ any more"


@pytest.mark.parametrize("reason", sorted({*differences.PUBLISHED, *differences.OWN}))
def test_every_difference_is_told_in_the_document(reason: str) -> None:
    assert reason in differences.document()
