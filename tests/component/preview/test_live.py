"""`syncline preview` beside what is live: the pull request, the drift of before and the net effect, each for itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from syncline.apimachinery import yaml
from tests.component.preview.test_preview import HERE, git, run

APP = f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: web, namespace: argocd}}
spec:
  project: default
  source: {{repoURL: {HERE}, path: web}}
  destination: {{server: https://kubernetes.default.svc, namespace: shop}}
  syncPolicy: {{automated: {{prune: true}}}}
"""
CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata: {{name: settings}}
data: {{colour: {colour}, size: {size}, shape: {shape}}}
"""
GONE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: gone}\n"
NEW = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n"
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {{name: login}}\nstringData: {{password: {word}}}\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "platform"
    (folder / "web").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "remote", "add", "origin", HERE)
    (folder / "app.yaml").write_text(APP)
    (folder / "web/settings.yaml").write_text(CONFIG.format(colour="blue", size="small", shape="round"))
    (folder / "web/gone.yaml").write_text(GONE)
    (folder / "web/login.yaml").write_text(SECRET.format(word="first-word"))
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    git(folder, "checkout", "-qb", "change")
    # Of three fields the pull request changes two; somebody has changed one of those and the third on the cluster.
    (folder / "web/settings.yaml").write_text(CONFIG.format(colour="red", size="large", shape="round"))
    (folder / "web/gone.yaml").unlink()
    (folder / "web/new.yaml").write_text(NEW)
    (folder / "web/login.yaml").write_text(SECRET.format(word="second-word"))
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "second")
    return folder


def live(colour: str, size: str, shape: str) -> list[dict[str, Any]]:
    settings = yaml.load(CONFIG.format(colour=colour, size=size, shape=shape).encode())
    objects = [settings, yaml.load(GONE.encode())]
    for one in objects:
        tracking = f"web:/ConfigMap:shop/{one['metadata']['name']}"
        one["metadata"] |= {"namespace": "shop", "annotations": {"argocd.argoproj.io/tracking-id": tracking}}
    settings["metadata"]["managedFields"] = [
        {
            "manager": "kubectl-edit",
            "operation": "Update",
            "apiVersion": "v1",
            "time": "2026-05-04T03:02:01Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:data": {"f:size": {}, "f:shape": {}}},
        }
    ]
    return objects


def dumped(folder: Path, objects: list[dict[str, Any]]) -> Path:
    dump = folder / "dump"
    dump.mkdir()
    (dump / "all.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return dump


def beside(checkout: Path, dump: Path) -> dict[str, Any]:
    code, text = run(checkout, "--from", str(dump), "-o", "json", "--fail-on", "never")
    assert code == 0
    (app,) = json.loads(text)["live"]["apps"]
    return dict(app)


def fields(changes: list[dict[str, Any]]) -> dict[str, tuple[Any, Any, str]]:
    return {
        field["path"]: (field.get("git"), field.get("live"), field.get("note", ""))
        for change in changes
        for field in change.get("fields", ())
    }


def actions(changes: list[dict[str, Any]]) -> dict[str, str]:
    return {change["key"]["name"]: change["action"] for change in changes}


def test_change_drift_and_net_effect_are_kept_apart(checkout: Path, tmp_path: Path) -> None:
    # colour: live as the base; size: already as the head; shape: changed by hand, and nothing of the pull request.
    app = beside(checkout, dumped(tmp_path, live("blue", "large", "square")))
    assert fields(app["drift"]) == {
        "data.size": ("small", "large", "this change writes down what is live"),
        "data.shape": ("round", "square", "reverted by the next sync"),
    }
    assert fields(app["net"]) == {
        "data.colour": ("red", "blue", "of this change"),
        "data.shape": ("round", "square", "reverted by the next sync"),
    }
    assert actions(app["net"]) == {"settings": "change", "gone": "delete", "new": "create"}
    assert actions(app["drift"]) == {"settings": "change"}
    assert {one["note"] for one in app["net"] if "note" in one} == {"of this change"}
    assert app["unread"] == ["Secret"]


def test_a_field_that_all_three_say_otherwise_is_overwritten(checkout: Path, tmp_path: Path) -> None:
    app = beside(checkout, dumped(tmp_path, live("green", "small", "round")))
    words = "this change overwrites what is live"
    assert fields(app["drift"]) == {"data.colour": ("blue", "green", words)}
    assert fields(app["net"]) == {
        "data.colour": ("red", "green", words),
        "data.size": ("large", "small", "of this change"),
    }


def test_an_object_that_is_gone_already_is_drift_that_the_change_writes_down(checkout: Path, tmp_path: Path) -> None:
    settings, _gone = live("blue", "small", "round")
    app = beside(checkout, dumped(tmp_path, [settings]))
    assert [(one["key"]["name"], one["note"]) for one in app["drift"]] == [
        ("gone", "this change writes down what is live")
    ]
    assert actions(app["net"]) == {"settings": "change", "new": "create"}


def test_nothing_has_drifted_where_the_cluster_is_as_the_base(checkout: Path, tmp_path: Path) -> None:
    app = beside(checkout, dumped(tmp_path, live("blue", "small", "round")))
    assert app.get("drift", []) == []
    assert set(fields(app["net"])) == {"data.colour", "data.size"}


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json"])
def test_every_form_has_both_parts_and_no_secret(form: str, checkout: Path, tmp_path: Path) -> None:
    dump = dumped(tmp_path, live("blue", "large", "square"))
    _, text = run(checkout, "--from", str(dump), "-o", form)
    assert "drift" in text.lower()
    assert "square" in text
    assert "kubectl-edit" in text or form == "markdown"
    assert "first-word" not in text
    assert "second-word" not in text
    assert "not compared" in text or form == "json"


def test_an_app_of_another_cluster_is_not_compared(checkout: Path, tmp_path: Path) -> None:
    other = APP.replace("name: web", "name: far").replace("https://kubernetes.default.svc", "https://far.example:6443")
    (checkout / "far.yaml").write_text(other)
    code, text = run(checkout, "--from", str(dumped(tmp_path, live("blue", "large", "square"))), "-o", "json")
    apps = {one["name"]: one for one in json.loads(text)["live"]["apps"]}
    assert code in (0, 1)
    assert "is not its cluster (https://far.example:6443)" in apps["argocd/far"]["unknown"]
    assert "unknown" not in apps["argocd/web"]


def test_two_sources_are_one_too_many(checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(checkout, "--from", str(tmp_path), "--context", "prod")[0] == 2
    assert "name one of them" in capsys.readouterr().err
