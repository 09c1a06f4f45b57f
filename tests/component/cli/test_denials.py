"""Commands that render on this machine in the name of a project fetch nothing that the project forbids."""

import pytest

from tests.support.installation import Installation
from tests.support.listener import listening

PROJECT = """\
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: shut, namespace: argocd}
spec:
  sourceRepos: [https://git.example/*]
  destinations: [{server: "*", namespace: "*"}]
"""
APP = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: denied, namespace: argocd}
spec:
  project: shut
  source: {repoURL: "REPO", path: web}
  destination: {server: https://kubernetes.default.svc, namespace: default}
"""


@pytest.mark.parametrize(
    "command", [("app", "manifests"), ("app", "diff"), ("app", "get"), ("why", "--output", "json")]
)
def test_a_forbidden_source_is_named_and_not_contacted(
    installation: Installation, command: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("denied") / "objects.yaml"
    with listening() as listener:
        file.write_text(f"{PROJECT}---\n{APP.replace('REPO', listener.url('x.git'))}")
        installation.kubectl("apply", "--filename", str(file))
        answer = installation.run(*command, "denied")
        assert "is not permitted in project 'shut'" in answer.output + answer.errors
        assert listener.connections == 0
