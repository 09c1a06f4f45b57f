"""Conditions and templates of notifications come out as Argo CD's own program says, from the same files."""

import json
import pathlib
import subprocess

import pytest
import yaml

from tests.argocd.build import Programs
from tests.support import expressions, notifications
from tests.support.expressions import APP

KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters: [{name: none, cluster: {server: "http://127.0.0.1:1"}}]
contexts: [{name: none, context: {cluster: none, namespace: argocd}}]
current-context: none
"""


def ask(
    programs: Programs, folder: pathlib.Path, data: dict[str, str], *words: str
) -> subprocess.CompletedProcess[str]:
    """Run `argocd admin notifications` on files; it reaches no cluster."""
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "argocd-notifications-cm"},
        "data": data,
    }
    files = {"cm.yaml": json.dumps(config_map), "app.yaml": json.dumps(APP), "kubeconfig": KUBECONFIG}
    for name, text in files.items():
        (folder / name).write_text(text)
    command = [str(programs.argocd), "admin", "notifications", *words]
    options = ["--config-map", "cm.yaml", "--secret", ":empty", "--kubeconfig", "kubeconfig"]
    return subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def results(programs: Programs, folder: pathlib.Path, texts: list[str]) -> list[str]:
    trigger = json.dumps([{"when": text, "send": ["x"]} for text in texts])
    done = ask(programs, folder, {"trigger.t": trigger}, "trigger", "run", "t", "./app.yaml")
    lines = done.stdout.splitlines()
    assert lines[:1] == [next((line for line in lines if line.startswith("CONDITION")), "no table")], done.stderr
    return [line.rsplit(maxsplit=1)[-1] for line in lines[1:]]


def test_conditions_hold_for_argo_cd_too(programs: Programs, tmp_path: pathlib.Path) -> None:
    found = dict(zip(expressions.HOLD, results(programs, tmp_path, expressions.HOLD), strict=True))
    assert {text for text, word in found.items() if word != "true"} == set()


def test_conditions_do_not_hold_for_argo_cd_either(programs: Programs, tmp_path: pathlib.Path) -> None:
    texts = [text for text in (*expressions.DO_NOT_HOLD, *expressions.FAIL) if text]
    found = dict(zip(texts, results(programs, tmp_path, texts), strict=True))
    assert {text for text, word in found.items() if word != "false"} == set()


@pytest.mark.parametrize("text", expressions.INVALID)
def test_argo_cd_refuses_them_too(programs: Programs, tmp_path: pathlib.Path, text: str) -> None:
    done = ask(programs, tmp_path, {"trigger.t": json.dumps([{"when": text}])}, "trigger", "run", "t", "./app.yaml")
    assert "failed to get api" in done.stderr


@pytest.mark.parametrize("name", notifications.TEMPLATES)
def test_templates_give_the_same_texts(programs: Programs, tmp_path: pathlib.Path, name: str) -> None:
    data = {"template.t": json.dumps({"message": notifications.TEMPLATES[name][0]}), "context": notifications.CONTEXT}
    done = ask(programs, tmp_path, data, "template", "notify", "t", "./app.yaml")
    assert (yaml.safe_load(done.stdout) or {}).get("message") == notifications.TEMPLATES[name][1], done.stderr
