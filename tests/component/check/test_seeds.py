"""`syncline check` on the repositories of the stories: it finds what was wrong, and nothing once that is mended."""

import shutil
import subprocess
from pathlib import Path

import pytest

import syncline
from syncline.model.finding import Severity

SEEDS = Path(__file__).parents[2] / "fixtures/seeds"


def errors(seed: str, state: str, folder: Path) -> list[tuple[str, str]]:
    checkout = folder / seed
    shutil.copytree(SEEDS / seed / state, checkout)
    for arguments in (["init", "-q"], ["remote", "add", "origin", f"https://git.example/{seed}.git"]):
        subprocess.run(["git", *arguments], cwd=checkout, check=True)
    found = syncline.check(checkout)
    assert found.left_out == ()
    assert found.rendered == found.apps
    return [(one.code, one.message) for one in found.of(Severity.ERROR)]


def test_objects_that_two_apps_of_the_kubeflow_story_deliver_are_found_by_pairs(tmp_path: Path) -> None:
    found = errors("kubeflow", "broken", tmp_path)
    assert {code for code, _ in found} == {"OWN-001"}
    assert [message.partition(":")[0] for _, message in found] == [
        "3 objects are delivered by argocd/kubeflow-common-services and by argocd/kubeflow-spark",
        "5 objects are delivered by argocd/kubeflow-common-services and by argocd/kubeflow-trainer",
        "Deployment/ml-pipeline is delivered by 2 apps",
    ]


def test_nothing_is_found_once_the_kubeflow_story_is_over(tmp_path: Path) -> None:
    assert errors("kubeflow", "fixed", tmp_path) == []


@pytest.mark.e2e  # fourteen kustomizations each
@pytest.mark.parametrize(("state", "codes"), [("broken", {"SET-001"}), ("fixed", set())])
def test_an_option_that_nobody_reads_is_found_in_the_homelab_story(state: str, codes: set[str], tmp_path: Path) -> None:
    assert {code for code, _ in errors("homelab", state, tmp_path)} == codes
