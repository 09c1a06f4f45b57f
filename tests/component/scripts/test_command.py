"""`syncline admin settings resource-overrides` on files."""

import json
import pathlib

import pytest
from click.testing import CliRunner, Result

from syncline.cli.admin.settings import settings
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
def files(tmp_path: pathlib.Path) -> pathlib.Path:
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
    assert str(caught.value) == "no action shrink is defined for example.com/Widget:shop/w (known: grow)"


OWNED = """
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  managedFields:
  - {manager: autoscaler, operation: Update, apiVersion: apps/v1, fieldsType: FieldsV1,
     fieldsV1: {"f:spec": {"f:replicas": {}}}}
spec: {replicas: 3}
status: {replicas: 3}
"""


@pytest.mark.parametrize(
    ("options", "expected"),
    [("", ["status"]), ("ignoreResourceStatusField: crd", []), ("ignoreResourceStatusField: none", [])],
)
def test_what_trusted_managers_own_is_listed_apart_and_status_is_ignored_unless_settings_say_otherwise(
    files: pathlib.Path, options: str, expected: list[str]
) -> None:
    rule = "resource.customizations.ignoreDifferences.apps_Deployment: 'managedFieldsManagers: [autoscaler, other]'"
    compare = f"  resource.compareoptions: '{options}'\n" if options else ""
    (files / "cm.yaml").write_text(
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: argocd-cm}}\ndata:\n  {rule}\n{compare}"
    )
    (files / "web.yaml").write_text(OWNED)
    (row,) = json.loads(run(files, "ignore-differences", "-o", "json", file="web.yaml").output)
    assert (row["ignored"], row["trusted"]) == (expected, [{"path": "spec.replicas", "manager": "autoscaler"}])
    assert (
        "ignored where autoscaler changed it: spec.replicas" in run(files, "ignore-differences", file="web.yaml").output
    )


def test_an_action_on_a_secret_shows_no_value_and_no_word_of_a_script_that_failed(files: pathlib.Path) -> None:
    actions = """
    definitions:
    - name: label
      action.lua: |
        obj.metadata.labels = {seen = "yes"}
        return obj
    - name: tell
      action.lua: error(obj.data.password)
"""
    (files / "cm.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm}\ndata:\n"
        f"  resource.customizations.actions.Secret: |{actions}"
    )
    (files / "keys.yaml").write_text(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: keys, namespace: shop}\ndata: {password: aHVudGVyMg==}\n"
    )
    shown = run(files, "run-action", "label", file="keys.yaml").output
    assert "seen: " in shown
    assert "aHVudGVyMg" not in shown
    with pytest.raises(InvalidSpec) as caught:
        run(files, "run-action", "tell", file="keys.yaml")
    assert "aHVudGVyMg" not in str(caught.value)


CRON = """
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: shop, uid: u1}
spec: {suspend: true, jobTemplate: {spec: {template: {spec: {containers: []}}}}}
"""
OWN = """
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm}
data:
  resource.customizations.actions.batch_CronJob: |
    mergeBuiltinActions: %s
    discovery.lua: |
      return {mark = {}, resume = {disabled = true}}
    definitions:
    - name: mark
      action.lua: |
        obj.metadata.labels = {marked = "yes"}
        return obj
"""


def test_built_in_actions_are_listed_for_kinds_without_actions_in_the_settings(files: pathlib.Path) -> None:
    (files / "cron.yaml").write_text(CRON)
    assert (
        run(files, "list-actions", file="cron.yaml").output
        == "NAME        ENABLED\ncreate-job  true\nresume      true\n"
    )


@pytest.mark.parametrize(
    ("merge", "names"),
    [("false", {"mark": True, "resume": False}), ("true", {"create-job": True, "mark": True, "resume": False})],
)
def test_actions_of_the_settings_stand_alone_unless_they_ask_for_the_built_in_ones(
    files: pathlib.Path, merge: str, names: dict[str, bool]
) -> None:
    (files / "cron.yaml").write_text(CRON)
    (files / "cm.yaml").write_text(OWN % merge)
    (row,) = json.loads(run(files, "list-actions", "-o", "json", file="cron.yaml").output)
    assert {one["name"]: not one.get("disabled", False) for one in row["actions"]} == names


def test_a_built_in_action_prints_the_objects_it_would_write(files: pathlib.Path) -> None:
    (files / "cron.yaml").write_text(CRON)
    (made,) = json.loads(run(files, "run-action", "create-job", "-o", "json", file="cron.yaml").output)
    assert (made["kind"], made["metadata"]["ownerReferences"][0]["uid"]) == ("Job", "u1")
    assert made["metadata"]["name"].startswith("nightly-2")
    (resumed,) = json.loads(run(files, "run-action", "resume", "-o", "json", file="cron.yaml").output)
    assert resumed["spec"]["suspend"] is False


def test_objects_of_files_with_the_same_uid_and_version_are_judged_each_by_its_own_content(
    files: pathlib.Path,
) -> None:
    from syncline.cli.admin.health import health

    for name, ready in (("old", "false"), ("new", "true")):
        text = WIDGET.replace("namespace: shop", "namespace: shop, uid: u1, resourceVersion: '7'")
        (files / f"{name}.yaml").write_text(text.replace("ready: true", f"ready: {ready}"))
    arguments = [str(files / "old.yaml"), str(files / "new.yaml"), "--argocd-cm-path", str(files / "cm.yaml")]
    result = CliRunner().invoke(health, [*arguments, "-o", "json"])
    assert [one["status"] for one in json.loads(result.output)] == ["Progressing", "Healthy"]
