"""`syncline admin settings resource-overrides` on files."""

import json
import pathlib

import pytest
from click.testing import CliRunner, Result

from syncline import wiring
from syncline.adapters.scripts.evaluator import ScriptEvaluator
from syncline.cli.admin_settings import settings
from syncline.model.errors import InvalidSpec

CM = """
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm}
data:
  resource.customizations.health.example.com_Widget: |
    if obj.status.ready then return {status = "Healthy", message = "all " .. obj.spec.size} end
    return {status = "Progressing", message = "not ready"}
  resource.customizations.actions.example.com_Widget: |
    discovery.lua: |
      return {pause = {disabled = obj.spec.paused == true}, grow = {params = {{name = "by"}}}}
    definitions:
    - name: grow
      action.lua: |
        obj.spec.size = obj.spec.size + tonumber(actionParams.by)
        return obj
  resource.customizations.ignoreDifferences.example.com_Widget: |
    jqPathExpressions: ['.spec | .size', '.spec.parts[].id']
  resource.customizations.ignoreDifferences.all: |
    jsonPointers: [/status, /spec/absent]
"""
WIDGET = """
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: shop}
spec: {size: 3, paused: true, tags: {}, parts: [{id: 1, name: a}]}
status: {ready: true}
"""


@pytest.fixture
def files(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.setattr(wiring, "evaluator", ScriptEvaluator, raising=False)
    (tmp_path / "cm.yaml").write_text(CM)
    (tmp_path / "widget.yaml").write_text(WIDGET)
    return tmp_path


def run(files: pathlib.Path, command: str, *more: str, file: str = "widget.yaml") -> Result:
    cm = ["--argocd-cm-path", str(files / "cm.yaml")]
    result = CliRunner().invoke(settings, ["resource-overrides", command, str(files / file), *more, *cm])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_health_prints_status_and_message(files: pathlib.Path) -> None:
    assert run(files, "health").output == "STATUS: Healthy\nMESSAGE: all 3\n"


def test_health_of_many_objects_is_told_by_key(files: pathlib.Path) -> None:
    other = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: d, namespace: shop}\nstatus: {phase: Lost}\n"
    nothing = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\n"
    (files / "all.yaml").write_text(f"{WIDGET}---\n{other}---\n{nothing}")
    rows = json.loads(run(files, "health", "-o", "json", file="all.yaml").output)
    assert [(row["key"], row["status"]) for row in rows] == [
        ("example.com/Widget:shop/w", "Healthy"),
        ("/PersistentVolumeClaim:shop/d", "Degraded"),
        ("/ConfigMap:shop/c", None),
    ]


def test_ignored_fields_are_listed(files: pathlib.Path) -> None:
    rows = json.loads(run(files, "ignore-differences", "-o", "json").output)
    assert [(row["key"], sorted(row["ignored"]), row["errors"]) for row in rows] == [
        ("example.com/Widget:shop/w", ["spec.parts[0].id", "spec.size", "status"], [])
    ]


def test_actions_are_listed_with_whether_they_are_enabled(files: pathlib.Path) -> None:
    assert run(files, "list-actions").output == "NAME   ENABLED\ngrow   true\npause  false\n"


def test_an_action_prints_the_object_it_makes(files: pathlib.Path) -> None:
    (obj,) = json.loads(run(files, "run-action", "grow", "--param", "by=4", "-o", "json").output)
    assert obj["spec"] == {"size": 7, "paused": True, "tags": {}, "parts": [{"id": 1, "name": "a"}]}


def test_an_unknown_action_is_refused_with_those_there_are(files: pathlib.Path) -> None:
    with pytest.raises(InvalidSpec) as caught:
        run(files, "run-action", "shrink")
    assert str(caught.value) == "no action shrink is defined for example.com/Widget:shop/w (there are: grow)"
