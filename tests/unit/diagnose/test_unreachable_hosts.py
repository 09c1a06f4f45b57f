"""Repositories that do not answer: one cause for each host, of Git and of charts; what is wrong in Git stays so."""

import pytest

from syncline.core.diagnose.graph.diagnose import diagnose
from tests.support.sick_fleet import Fleet

LOADING = (
    "Failed to load target state: failed to generate manifest for source 1 of 1: rpc error: code = Unknown desc = "
)
UNRESOLVED = "https://charts.example.com/{} did not answer: its host name cannot be resolved"


def told(*messages: str) -> list[tuple[str, str, int]]:
    """Return the causes of apps that cannot be compared, with these words."""
    fleet = Fleet()
    for number, message in enumerate(messages):
        fleet.app(f"app-{number}")
        fleet.deploy(f"app-{number}", app=f"app-{number}")
        fleet.compare_error(f"app-{number}", f"{LOADING}{message}")
    causes = diagnose(fleet.snapshot()).causes
    return [(cause.finding.code, str(cause.thing), len(cause.affected)) for cause in causes]


def test_charts_of_one_host_that_does_not_answer_have_one_cause() -> None:
    messages = [UNRESOLVED.format(path) for path in ("bitnami/index.yaml", "bitnami/index.yaml", "stable/web-1.2.tgz")]
    assert told(*messages) == [("SRC-201", "repository charts.example.com", 3)]


def test_another_host_is_another_cause() -> None:
    other = "https://git.example.org/index.yaml did not answer: the connection was refused"
    found = told(UNRESOLVED.format("index.yaml"), other)
    assert found == [("SRC-201", "repository charts.example.com", 1), ("SRC-201", "repository git.example.org", 1)]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("charts/web/Chart.yaml:7: chart dependencies are missing: https://charts.example.com/stable", "SRC-001"),
        ("chart web not found in https://charts.example.com/index.yaml", "APP-003"),
    ],
)
def test_what_a_host_answers_is_for_git_to_correct(message: str, code: str) -> None:
    assert [found[0] for found in told(message)] == [code]
