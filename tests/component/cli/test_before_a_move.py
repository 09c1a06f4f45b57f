"""`shadow record`, `shadow report` and `doctor` name what tenants' rules would refuse, on a running installation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(120)
API = "argoproj.io/v1alpha1"


def project(name: str, *destinations: dict[str, str]) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "argocd"}
    spec = {"sourceRepos": ["*"], "destinations": list(destinations)}
    return {"apiVersion": API, "kind": "AppProject", "metadata": metadata, "spec": spec}


def appset(name: str, *generators: Any) -> dict[str, Any]:
    source = {"repoURL": "https://git.example/a", "path": "x"}
    spec = {"project": "team-a", "source": source, "destination": {"name": "in-cluster", "namespace": "a-web"}}
    return {
        "apiVersion": API,
        "kind": "ApplicationSet",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "generators": list(generators),
            "template": {"metadata": {"name": "{{name}}"}, "spec": spec},
        },
    }


def test_what_would_be_refused_is_recorded_and_reported(installation: Installation, tmp_path: Path) -> None:
    over = {"project": "default", "destination": {}, "source": {"repoURL": ""}}
    installation.apply(project("team-a", {"server": "*", "namespace": "a-*"}))
    installation.apply(appset("leaving", {"list": {"elements": [], "template": {"metadata": {}, "spec": over}}}))
    installation.apply(appset("staying", {"list": {"elements": []}}))
    file = tmp_path / "recording.jsonl"
    recorded = installation.run("shadow", "record", "--once", "--file", str(file))
    assert recorded.code == 0, recorded.errors
    answer = installation.run_apart("shadow", "report", str(file))
    assert answer.code == 1
    assert "ApplicationSet argocd/leaving: spec.generators[0].list.template.spec.project is default" in answer.output
    assert "staying" not in answer.output
    told = json.loads(installation.run_apart("shadow", "report", str(file), "-o", "json").output)
    assert [one["name"] for one in told["refused"]] == ["argocd/leaving"]


def test_doctor_names_admin_equivalent_projects_and_its_fix_works(installation: Installation) -> None:
    installation.apply(project("wide", {"server": "*", "namespace": "*"}))
    first = installation.run("doctor")
    assert first.code == 0, "a project with all rights is a warning"
    assert "wide may deliver Application, ApplicationSet, AppProject" in first.output
    for name in ("default", "wide"):
        fixed = installation.run("proj", "add-destination", name, "*", "!argocd")
        assert fixed.code == 0, fixed.errors
    (line,) = [line for line in installation.run("doctor").output.splitlines() if "admin-equivalent" in line]
    assert line.rstrip().endswith("none")
