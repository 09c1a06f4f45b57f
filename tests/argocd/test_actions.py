"""Argo CD's own action tests, and its own scripts, judge our actions."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from syncline.adapters.scripts.lua import Lua, ScriptFailed
from syncline.apimachinery.keys import Object
from syncline.core.actions import builtin
from syncline.model import actions as model
from syncline.model.errors import InvalidSpec
from tests.argocd.action_cases import offered_cases, run_cases
from tests.argocd.differences import document
from tests.argocd.health_cases import FOLDER
from tests.argocd.module import Module

NOW = "2026-03-01T08:30:00Z"
TIME = re.compile(r"(By Argo CD at: )?\d{4}-\d\d-\d\dT[\d:]+Z?")
MADE = re.compile(r"-\d{10,12}$")
FINALIZERS = "finalizers of a CronWorkflow's workflowMetadata are written where Kubernetes reads them"


@pytest.fixture(scope="module")
def lua() -> Lua:
    return Lua(seconds=5, memory=64 << 20)


def scripts(module: Module, kind: str) -> str:
    return f"{FOLDER}/{kind}/actions"


Row = dict[str, Any]


def rows(actions: tuple[model.Action, ...]) -> dict[str, Row]:
    """Return actions by name, without their icons: ours have none."""
    return {
        one.name: {"disabled": one.disabled, "called": one.display_name, "takes": one.parameters} for one in actions
    }


def test_every_published_object_offers_the_same_actions_here(argocd: Module) -> None:
    cases = list(offered_cases(argocd))
    assert len(cases) > 90
    theirs = {
        case.name: {
            name: {
                "disabled": one.get("disabled") or False,
                "called": one.get("displayName") or "",
                "takes": tuple(parameter["name"] for parameter in one.get("params") or ()),
            }
            for name, one in case.actions.items()
        }
        for case in cases
    }
    assert {case.name: rows(builtin.offered(case.obj)) for case in cases} == theirs


def objects(module: Module, kind: str) -> Iterator[tuple[str, Object]]:
    """Yield all objects of a kind in the data of its action tests, inputs and outputs alike."""
    for path in module.below(f"{scripts(module, kind)}/testdata"):
        value = module.load(path)
        if isinstance(value, dict) and value.get("kind") == kind.split("/")[1]:
            yield path, value


def test_every_object_of_the_action_tests_offers_what_argo_cds_script_says(argocd: Module, lua: Lua) -> None:
    judged, other = 0, {}
    for path in argocd.find(FOLDER, "discovery.lua"):
        kind = "/".join(path.split("/")[1:3])
        for name, obj in objects(argocd, kind):
            try:
                value = lua.run("discovery", argocd.read(path).decode(), obj, {}, open_libraries=True)
            except ScriptFailed:
                continue
            judged += 1
            theirs, ours = rows(model.offered(value)), rows(builtin.offered(obj))
            if theirs != ours:
                other[name] = {action: (theirs.get(action), ours.get(action)) for action in {*theirs, *ours}}
    assert judged > 140
    assert other == {}


def pruned(value: Any) -> Any:
    """Return a value without times, names by the minute, and what is empty: none of it tells actions apart."""
    if isinstance(value, dict):
        kept = {key: pruned(one) for key, one in value.items()}
        return {key: one for key, one in kept.items() if one is not None and one != {} and one != []}
    if isinstance(value, list):
        return [pruned(one) for one in value]
    if isinstance(value, str):
        return TIME.sub("then", MADE.sub("-then", value)).replace("through Syncline", "through Argo CD")
    return value


def within(part: Any, whole: Any) -> bool:
    """Whether all that one value says is said by the other too, as Argo CD's tests compare."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and within(value, whole[key]) for key, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) == len(whole) and all(map(within, part, whole))
    return bool(part == whole)


def judged_by_file(kind: str, expected: Object) -> Object:
    """Return what counts of an expected object: of a Deployment no status, as in Argo CD's tests."""
    if kind != "Deployment":
        return expected
    rest = {key: value for key, value in expected.items() if key != "status"}
    dropped = ("creationTimestamp", "generation")
    metadata = {key: value for key, value in expected["metadata"].items() if key not in dropped}
    return {**rest, "metadata": metadata}


def ours(action: str, obj: Object, parameters: dict[str, str]) -> list[Object] | str:
    """Return the objects that our action writes, or `refused`."""
    try:
        return [step.obj for step in builtin.run(action, obj, now=NOW, parameters=parameters)]
    except InvalidSpec:
        return "refused"


DIFFERENT = {"argoproj.io/CronWorkflow": FINALIZERS}


def test_every_difference_is_told_in_the_document() -> None:
    assert all(reason in document() for reason in DIFFERENT.values())


def moved(obj: Object) -> Object:
    """Return a Workflow of Argo CD's script with its finalizers where Kubernetes reads them."""
    finalizers = obj.get("finalizers")
    rest = {key: value for key, value in obj.items() if key != "finalizers"}
    return {**rest, "metadata": {**obj["metadata"], "finalizers": finalizers}} if finalizers else rest


def test_every_published_action_writes_the_same_here(argocd: Module) -> None:
    cases = list(run_cases(argocd))
    assert len(cases) > 110
    other = []
    for case in cases:
        written = ours(case.action, case.obj, case.parameters)
        if case.error or isinstance(written, str):
            other += [case.name] if not (case.error and written == "refused") else []
            continue
        differs = case.name.split()[0] in DIFFERENT
        expected = [judged_by_file(one["kind"], moved(one) if differs else one) for one in case.written]
        if len(written) != len(expected) or not all(map(within, map(pruned, expected), map(pruned, written))):
            other.append(case.name)
    assert other == []


def test_every_published_action_writes_what_argo_cds_script_returns(argocd: Module, lua: Lua) -> None:
    other = {}
    for case in run_cases(argocd):
        kind = case.name.split()[0]
        script = argocd.read(f"{scripts(argocd, kind)}/{case.action}/action.lua").decode()
        try:
            value = lua.run("action", script, case.obj, case.parameters, open_libraries=True)
        except ScriptFailed:
            theirs: list[Object] | str = "refused"
        else:
            theirs = [moved(step.obj) if kind in DIFFERENT else step.obj for step in model.steps(value)]
        written = ours(case.action, case.obj, case.parameters)
        if pruned(theirs) != pruned(written):
            other[case.name] = (pruned(theirs), pruned(written))
    assert other == {}
