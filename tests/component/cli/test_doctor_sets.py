"""`syncline doctor` names tokens of ApplicationSets that need a label, and requests that a project does not permit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(120)

API = "argoproj.io/v1alpha1"


def appset(name: str, project: str, secret: str) -> dict[str, Any]:
    ref = {"secretName": secret, "key": "token"}
    spec = {
        "project": project,
        "source": {"repoURL": "https://git.example/x", "path": "."},
        "destination": {"server": "https://kubernetes.default.svc", "namespace": "web"},
    }
    return {
        "apiVersion": API,
        "kind": "ApplicationSet",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "generators": [
                {"pullRequest": {"github": {"owner": "acme", "repo": "web", "tokenRef": ref}}},
                {"git": {"repoURL": "https://git.example/private", "revision": "main", "files": [{"path": "*"}]}},
            ],
            "template": {"metadata": {"name": "{{number}}"}, "spec": spec},
        },
    }


def test_doctor_lists_labels_that_are_missing_and_requests_that_are_refused(
    installation: Installation, tmp_path: Path
) -> None:
    team: dict[str, Any] = {
        "apiVersion": API,
        "kind": "AppProject",
        "metadata": {"name": "team-doctor", "namespace": "argocd"},
        "spec": {"sourceRepos": ["https://git.example/x"], "destinations": [{"server": "*", "namespace": "web"}]},
    }
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "plain", "namespace": "argocd"},
        "stringData": {"token": "canary-token"},
    }
    objects = [secret, team, appset("operators", "default", "plain"), appset("tenants", "team-doctor", "plain")]
    file = tmp_path / "objects.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    installation.kubectl("apply", "-f", str(file))
    try:
        answer = installation.run("doctor", "-o", "json")
        checks = {one["name"]: one for one in json.loads(answer.output)["checks"]}
        labels = checks["tokens without a label"]
        assert labels["found"] == "Secret argocd/plain (argocd/operators)"
        assert labels["fix"] == "kubectl label secret -n argocd plain argocd.argoproj.io/secret-type=scm-creds"
        told = checks["requests of sets"]["found"]
        assert "argocd/tenants: Secret argocd/plain is not available to the set" in told
        assert (
            "argocd/tenants: repository https://git.example/private is not permitted in project 'team-doctor'" in told
        )
        assert "argocd/operators" not in told
        assert "canary-token" not in answer.output
    finally:
        installation.kubectl("delete", "-f", str(file))
