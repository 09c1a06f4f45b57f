"""Argo CD's own folder of scripts, taken as it is, gives the statuses and words that its tests expect."""

import pathlib

import pytest

from syncline.adapters import customizations
from syncline.adapters.scripts.lua import Lua, ScriptFailed
from syncline.core.health import scripts
from syncline.model.script import Evaluated, Script
from tests.argocd.health_cases import FOLDER, health_cases
from tests.argocd.module import Module


@pytest.fixture
def folder(argocd: Module, tmp_path: pathlib.Path) -> pathlib.Path:
    for path in argocd.below(FOLDER):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(argocd.read(path))
    return tmp_path / FOLDER


def evaluated(lua: Lua, script: Script) -> Evaluated:
    try:
        value = lua.run("health", script.text, script.obj, {}, open_libraries=script.open_libraries)
    except ScriptFailed as error:
        return Evaluated(error=str(error))
    return Evaluated(value=value)


def test_the_folder_gives_every_published_status_and_message(argocd: Module, folder: pathlib.Path) -> None:
    read, lua = customizations.read(folder), Lua(seconds=5, memory=64 << 20)
    expected, found = {}, {}
    for case in health_cases(argocd):
        script = scripts.script(case.obj, (), read)
        health = scripts.read(evaluated(lua, script)) if script is not None else None
        expected[case.name] = (case.status, case.message)
        found[case.name] = (health.status.value, health.message) if health is not None else ("", "")
    assert len(found) > 1300
    assert {name: (found[name], expected[name]) for name in found if found[name] != expected[name]} == {}


def test_the_folder_has_actions_for_as_many_kinds_as_argo_cd(argocd: Module, folder: pathlib.Path) -> None:
    read = customizations.read(folder)
    with_actions = {name for name, one in read.exact.items() if one.actions is not None}
    assert with_actions == {"/".join(path.split("/")[1:3]) for path in argocd.find(FOLDER, "discovery.lua")}
