"""Commands that render on this machine in the name of a project fetch nothing that the project forbids."""

import re
import shlex

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


TEAM = """\
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata:
  name: team
  namespace: argocd
spec:
  sourceRepos:
    # The team's own.
    - "*"
    - "!https://git.example/secret"
  destinations:
    - server: https://kubernetes.default.svc
      namespace: team-*
"""
HERE = ("--dest-server", "https://kubernetes.default.svc")


@pytest.fixture(scope="module")
def team(installation: Installation) -> Installation:
    """An installation with a project that an Application delivers from Git, and an Application of that project."""
    installation.write("projects/team.yaml", TEAM)
    installation.commit("a project")
    repo = ("--repo", str(installation.repository))
    for command in (
        ("create", "root", *repo, "--path", "projects", *HERE, "--dest-namespace", "argocd"),
        ("sync", "root", "--timeout", "60"),
        ("create", "shop", *repo, "--path", "web", "--project", "team", *HERE, "--dest-namespace", "team-a"),
    ):
        answer = installation.run("app", *command)
        assert answer.code == 0, answer.errors
    return installation


LACKING = "projects/team.yaml:11, which Application root delivers: change it there"
DENYING = "projects/team.yaml:10, which Application root delivers: change it there"
PATCH = '{"spec": {"destination": {"namespace": "kube-system"}}}'


@pytest.mark.parametrize(
    ("command", "words", "place"),
    [
        (
            ("create", "other", "--repo", "https://git.example/secret", "--path", "x", "--project", "team", *HERE),
            (
                "InvalidSpecError: application repo https://git.example/secret is not permitted in project 'team'"
                " (!https://git.example/secret of spec.sourceRepos denies it; to remove it:"
                " syncline proj remove-source team '!https://git.example/secret')"
            ),
            DENYING,
        ),
        (
            ("set", "shop", "--dest-namespace", "kube-system"),
            (
                "application spec for shop is invalid: InvalidSpecError: application destination server"
                " 'https://kubernetes.default.svc' and namespace 'kube-system' do not match any of the allowed"
                " destinations in project 'team' (no entry of spec.destinations allows it; to add it:"
                " syncline proj add-destination team https://kubernetes.default.svc kube-system)"
            ),
            LACKING,
        ),
        (("set", "shop", "--dest-namespace", "x", "--no-validate"), "and namespace 'x' do not match any", LACKING),
        (("patch", "shop", "--type", "merge", "--patch", PATCH), "and namespace 'kube-system' do not match", LACKING),
        (
            ("add-source", "shop", "--repo", "https://git.example/secret", "--path", "x"),
            "application repo https://git.example/secret is not permitted in project 'team'",
            DENYING,
        ),
        (("set", "shop", "--project", "taem"), "project taem which does not exist (did you mean team?)", ""),
        (
            ("set", "shop", "--dest-server", "https://elsewhere"),
            "application destination spec for shop is invalid: error getting cluster by server",
            "",
        ),
    ],
)
def test_what_a_project_denies_is_not_stored_and_the_deciding_line_is_named(
    team: Installation, command: tuple[str, ...], words: str, place: str
) -> None:
    before = team.kubectl("get", "applications.argoproj.io", "-n", "argocd", "-o", "jsonpath={.items[*].spec}")
    answer = team.run("app", *command)
    assert answer.code == 2
    assert words in answer.errors
    assert place in answer.errors
    after = team.kubectl("get", "applications.argoproj.io", "-n", "argocd", "-o", "jsonpath={.items[*].spec}")
    assert after == before


def test_the_command_that_is_told_allows_it(team: Installation) -> None:
    for refused in (
        ("app", "create", "new", "--repo", "https://git.example/secret", "--path", "x", "--project", "own", *HERE),
        ("app", "create", "new", "--repo", "https://git.example/a", "--path", "x", "--project", "own", *HERE),
    ):
        team.run("proj", "create", "own", "--upsert", "-s", "!https://git.example/secret", "-d", "*,!")
        errors = ""
        for _attempt in range(3):
            answer = team.run(*refused)
            if answer.code == 0:
                break
            assert answer.errors != errors, "the command that was told changed nothing"
            errors = answer.errors
            for told in re.findall(r"syncline (proj [^)]*)", errors):
                for one in told.split(" && syncline "):
                    assert team.run(*shlex.split(one)).code == 0, one
        assert answer.code == 0
        assert team.run("app", "delete", "new", "-y", "--cascade=false").code == 0
