"""`admin health`: files in, one row per object out."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from syncline.cli.admin.health import health

HEALTHY = {
    "apiVersion": "cert-manager.io/v1",
    "kind": "Issuer",
    "metadata": {"name": "ca", "namespace": "shop"},
    "status": {"conditions": [{"type": "Ready", "status": "True"}]},
}
MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "shop"}}
LOST = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "data", "namespace": "shop"},
    "status": {"phase": "Lost"},
}
WIDGET = {
    "apiVersion": "example.com/v1",
    "kind": "Widget",
    "metadata": {"name": "w", "namespace": "shop"},
    "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "NoKey"}]},
}


def written(folder: Path, *objects: Any, name: str = "objects.yaml") -> str:
    path = folder / name
    path.write_text("---\n".join(json.dumps(obj) + "\n" for obj in objects), encoding="utf-8")
    return str(path)


def run(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(health, list(arguments), input=stdin, standalone_mode=False)


def row(key: str, status: str | None, message: str = "", reason: str = "", evidence: str = "") -> dict[str, Any]:
    return {"key": key, "status": status, "message": message, "reason": reason, "evidence": evidence}


ISSUER_ROW = row("cert-manager.io/Issuer:shop/ca", "Healthy", evidence="status.conditions[0]")


def test_json_lists_every_object_in_the_order_given_and_null_where_no_check_exists(tmp_path: Path) -> None:
    result = run(written(tmp_path, MAP, HEALTHY, WIDGET), "-o", "json")
    assert json.loads(result.output) == [
        row("/ConfigMap:shop/settings", None),
        ISSUER_ROW,
        row("example.com/Widget:shop/w", None, "Ready=False NoKey", "NoKey", "status.conditions[0]"),
    ]
    assert result.return_value == 0


def test_lists_are_expanded_and_several_files_are_read_as_one(tmp_path: Path) -> None:
    inner = {"apiVersion": "v1", "kind": "List", "items": [MAP, {"apiVersion": "v1", "kind": "List", "items": [LOST]}]}
    untyped = {"apiVersion": "v1", "kind": "ConfigMapList", "items": [{"metadata": {"name": "b", "namespace": "shop"}}]}
    files = [written(tmp_path, inner, name="a.yaml"), written(tmp_path, untyped, name="b.json")]
    keys = [one["key"] for one in json.loads(run(*files, "-o", "json").output)]
    assert keys == ["/ConfigMap:shop/settings", "/PersistentVolumeClaim:shop/data", "/ConfigMap:shop/b"]


def test_standard_input_is_read_for_a_dash() -> None:
    assert json.loads(run("-", "-o", "json", stdin=json.dumps(HEALTHY)).output) == [ISSUER_ROW]


def test_the_text_starts_with_counts_and_shows_the_worst_first(tmp_path: Path) -> None:
    result = run(written(tmp_path, HEALTHY, MAP, LOST, WIDGET))
    assert result.output.splitlines() == [
        "4 objects · 1 Degraded · 1 Healthy · 2 without a check",
        "HEALTH    OBJECT                            REASON  MESSAGE",
        "Degraded  /PersistentVolumeClaim:shop/data  Lost    the volume behind the claim is lost",
        "Healthy   cert-manager.io/Issuer:shop/ca",
        "-         /ConfigMap:shop/settings",
        "-         example.com/Widget:shop/w         NoKey   Ready=False NoKey",
    ]


@pytest.mark.parametrize(("objects", "code"), [([HEALTHY], 0), ([MAP], 0), ([WIDGET], 0), ([HEALTHY, LOST], 1)])
def test_the_exit_code_is_one_when_something_is_degraded(tmp_path: Path, objects: list[Any], code: int) -> None:
    assert run(written(tmp_path, *objects)).return_value == code


def test_evidence_on_another_object_names_that_object(tmp_path: Path) -> None:
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop", "uid": "d"},
        "spec": {"replicas": 1},
        "status": {"replicas": 1, "updatedReplicas": 1},
    }
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "d"}
    replicas = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": "web-1", "namespace": "shop", "uid": "r", "ownerReferences": [owner]},
        "status": {
            "conditions": [
                {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "exceeded quota"}
            ]
        },
    }
    rows = json.loads(run(written(tmp_path, deployment, replicas), "-o", "json").output)
    assert rows[0] == row(
        "apps/Deployment:shop/web",
        "Progressing",
        "web-1: FailedCreate: exceeded quota",
        "FailedCreate",
        "apps/ReplicaSet:shop/web-1 status.conditions[0]",
    )


def test_something_that_is_no_object_is_refused_with_its_place(tmp_path: Path) -> None:
    result = run(written(tmp_path, HEALTHY, {"metadata": {}}))
    assert isinstance(result.exception, Exception)
    assert str(result.exception) == f"{tmp_path}/objects.yaml:3: this is not a Kubernetes object (it has no kind)"


def with_script(lua: str) -> dict[str, Any]:
    data = {"resource.customizations.health.example.com_Widget": lua}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-cm"}, "data": data}


@pytest.mark.parametrize(
    ("script", "status", "message", "code"),
    [
        ('return {status = "Degraded", message = "no " .. obj.metadata.name}', "Degraded", "no w", 1),
        ('return {status = "Healthy"}', "Healthy", "", 0),
        ("return {}", None, "", 0),
    ],
)
def test_health_checks_of_the_settings_count_first(
    tmp_path: Path, script: str, status: str | None, message: str, code: int
) -> None:
    settings = written(tmp_path, with_script(script), name="cm.yaml")
    result = run(written(tmp_path, HEALTHY, WIDGET), "--argocd-cm-path", settings, "-o", "json")
    rows = json.loads(result.output)
    assert (rows[0], rows[1]["status"], rows[1]["message"]) == (ISSUER_ROW, status, message)
    assert result.return_value == code


def test_a_health_check_that_fails_is_unknown_with_its_own_words(tmp_path: Path) -> None:
    settings = written(tmp_path, with_script('error("no such widget")'), name="cm.yaml")
    result = run(written(tmp_path, WIDGET), "--argocd-cm-path", settings, "-o", "json")
    (found,) = json.loads(result.output)
    assert (found["status"], found["reason"], result.return_value) == ("Unknown", "ScriptFailed", 2)
    assert "no such widget" in found["message"]


def test_an_object_on_its_way_out_is_progressing_whatever_a_script_says(tmp_path: Path) -> None:
    settings = with_script('return {status = "Healthy"}')
    leaving = {**WIDGET, "metadata": {"name": "w", "namespace": "shop", "deletionTimestamp": "2026-03-01T08:30:00Z"}}
    files = [written(tmp_path, leaving), "--argocd-cm-path", written(tmp_path, settings, name="cm.yaml")]
    assert json.loads(run(*files, "-o", "json").output) == [
        row("example.com/Widget:shop/w", "Progressing", "Pending deletion", "Deleting", "metadata.deletionTimestamp")
    ]


def test_a_settings_file_without_settings_is_refused(tmp_path: Path) -> None:
    result = run(written(tmp_path, HEALTHY), "--argocd-cm-path", written(tmp_path, WIDGET, name="cm.yaml"))
    assert str(result.exception) == (
        f"{tmp_path}/cm.yaml contains no settings"
        " (give the file with the ConfigMap argocd-cm, the ArgoCD resource or the values of the chart)"
    )
