"""`syncline preview --context` beside a cluster: the change, the drift of before and the net effect, kept apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.e2e.program import Machine

APP = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example/team/platform, path: web}
  destination: {server: https://kubernetes.default.svc, namespace: shop}
  syncPolicy: {automated: {prune: true}}
"""
CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: NAME
  annotations: {argocd.argoproj.io/tracking-id: "web:/ConfigMap:shop/NAME"}
data: {colour: COLOUR, shape: round}
"""
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {password: first-word}\n"


def config(name: str, colour: str = "blue") -> str:
    return CONFIG.replace("NAME", name).replace("COLOUR", colour)


def checkout(machine: Machine, folder: Path) -> Path:
    """Return a checkout whose branch changes a colour, deletes one object and adds another."""
    (folder / "web").mkdir(parents=True)
    (folder / "app.yaml").write_text(APP)
    (folder / "web/settings.yaml").write_text(config("settings"))
    (folder / "web/gone.yaml").write_text(config("gone"))
    (folder / "web/login.yaml").write_text(SECRET)
    git = ("git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b.example")
    assert machine.run(*git, "init", "-q", "-b", "main").code == 0
    assert machine.run(*git, "remote", "add", "origin", "https://git.example/team/platform").code == 0
    assert machine.run(*git, "add", "-A").code == 0
    assert machine.run(*git, "commit", "-qm", "first").code == 0
    (folder / "web/settings.yaml").write_text(config("settings", "red"))
    (folder / "web/gone.yaml").unlink()
    (folder / "web/new.yaml").write_text(config("new"))
    return folder


def fields(changes: list[dict[str, Any]]) -> dict[str, tuple[Any, Any]]:
    found = (field for change in changes for field in change.get("fields", ()))
    return {field["path"]: (field.get("git"), field.get("live")) for field in found}


def test_what_is_live_stands_beside_the_change(machine: Machine, tmp_path: Path) -> None:
    root, path = checkout(machine, tmp_path / "platform"), tmp_path / "kubeconfig"
    with machine.running("sandbox", "--write-kubeconfig", path) as running:
        running.says("Kubernetes API at https://127")
        assert machine.kubectl(path, "create", "namespace", "shop").code == 0
        objects = "---\n".join((config("settings"), config("gone"), SECRET))
        assert machine.kubectl(path, "apply", "-n", "shop", "-f", "-", text=objects).code == 0
        # Somebody changes a field by hand that the branch leaves alone.
        edit = ("patch", "configmap", "settings", "-n", "shop", "--field-manager=kubectl-edit", "--type=merge")
        assert machine.kubectl(path, *edit, "-p", '{"data": {"shape": "square"}}').code == 0
        context = machine.kubectl(path, "config", "current-context").out.strip()
        live = ("--kubeconfig", path, "--context", context)
        told = machine.syncline("preview", root, *live, "-o", "json", "--fail-on", "never")
        shown = machine.syncline("preview", root, *live, "--fail-on", "never")
        wrong = machine.syncline("preview", root, "--kubeconfig", path, "--context", "another")
    assert (told.code, told.err) == (0, "")
    (app,) = json.loads(told.out)["live"]["apps"]
    assert fields(app["drift"]) == {"data.shape": ("round", "square")}
    assert fields(app["net"]) == {"data.colour": ("red", "blue"), "data.shape": ("round", "square")}
    assert {one["key"]["name"]: one["action"] for one in app["net"]} == {
        "settings": "change",
        "gone": "delete",
        "new": "create",
    }
    assert app["unread"] == ["Secret"]
    assert "first-word" not in told.out + shown.out
    assert "written by kubectl-edit at " in shown.out
    assert (wrong.code, len(wrong.err.splitlines()), "another" in wrong.err) == (2, 1, True)
