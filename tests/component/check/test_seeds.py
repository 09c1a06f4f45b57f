"""`syncline check` on the repositories of the stories: what was wrong is found by its code, and gone once fixed."""

import shutil
import subprocess
from pathlib import Path

import pytest

import syncline
from syncline.model.finding import Severity

SEEDS = Path(__file__).parents[2] / "fixtures/seeds"


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def checked(seed: str, state: str, folder: Path) -> syncline.Checked:
    checkout = folder / seed
    shutil.copytree(SEEDS / seed / state, checkout)
    git(checkout, "init", "-q")
    git(checkout, "remote", "add", "origin", f"https://git.example/{seed}.git")
    found = syncline.check(checkout)
    assert found.left_out == ()
    assert found.rendered == found.apps
    return found


def codes(found: syncline.Checked, severity: Severity) -> set[str]:
    return {one.code for one in found.of(severity)}


@pytest.mark.e2e  # dozens of charts and kustomizations each
@pytest.mark.parametrize(
    ("seed", "broken", "fixed"),
    [
        # Shared objects of three environments, emptied tolerations, a store in a namespace that nobody makes.
        ("ameide", {"OWN-001", "SRC-004", "SEC-003"}, set()),
        # A key and an option that nobody reads, two engines, what is in sync is not applied; the health check of
        # Applications passes on a stale verdict, templates miss keys, and waves of sets do not wait: nobody has fixed
        # those three.
        (
            "homelab",
            {"SET-001", "SET-002", "SET-006", "SET-004", "APS-003", "ORD-103"},
            {"SET-004", "APS-003", "ORD-103"},
        ),
        # One base that holds three components, and a ConfigMap that nobody gives a namespace.
        ("kubeflow", {"APP-004", "OWN-001", "APP-007"}, set()),
        # A value that the template does not find, an account without rights, a claim before its consumer; the
        # PipelineRun that OpenShift GitOps leaves out is still there.
        ("self-healing", {"SRC-006", "ORD-009", "SET-008", "ORD-005"}, {"SET-008", "ORD-005"}),
    ],
)
def test_what_was_wrong_in_a_story_is_found_and_gone_once_it_is_fixed(
    seed: str, broken: set[str], fixed: set[str], tmp_path: Path
) -> None:
    for state, wanted in (("broken", broken), ("fixed", fixed)):
        found = checked(seed, state, tmp_path / state)
        assert codes(found, Severity.ERROR) | codes(found, Severity.WARNING) == wanted


def test_objects_that_two_apps_of_the_kubeflow_story_deliver_are_found_by_pairs(tmp_path: Path) -> None:
    found = checked("kubeflow", "broken", tmp_path)
    assert [one.message.partition(":")[0] for one in found.of(Severity.ERROR) if one.code == "OWN-001"] == [
        "3 objects are delivered by argocd/kubeflow-common-services and by argocd/kubeflow-spark",
        "5 objects are delivered by argocd/kubeflow-common-services and by argocd/kubeflow-trainer",
        "Deployment/ml-pipeline is delivered by 2 apps",
    ]


@pytest.mark.e2e
@pytest.mark.parametrize(("state", "wanted"), [("broken", {"APP-002", "DIF-006"}), ("fixed", {"DIF-006"})])
def test_branches_that_were_left_behind_are_found_in_the_private_ai_story(
    state: str, wanted: set[str], tmp_path: Path
) -> None:
    origin, checkout = tmp_path / "origin", tmp_path / "private-ai"
    origin.mkdir()
    git(origin, "init", "-q", "-b", "main")
    for branch in ("stage1-complete", "feature/stage2-implementation", state):
        shutil.copytree(
            SEEDS / "private-ai" / (state if branch == state else f"branches/{branch}"), origin, dirs_exist_ok=True
        )
        git(origin, "add", "-A")
        git(origin, "commit", "-qm", branch, "--allow-empty")
        if branch != state:
            git(origin, "branch", branch)
    git(tmp_path, "clone", "-q", str(origin), str(checkout))
    git(checkout, "remote", "set-url", "origin", "https://git.example/private-ai.git")
    found = syncline.check(checkout)
    assert codes(found, Severity.ERROR) | codes(found, Severity.WARNING) == wanted
    stale = [one.subject for one in found.findings if one.code == "APP-002"]
    assert stale == (
        ["openshift-gitops/stage01-model-serving", "openshift-gitops/stage02-model-alignment"]
        if state == "broken"
        else []
    )
