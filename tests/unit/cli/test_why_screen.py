"""One screen: width and height are kept, the worst stays, and what does not fit is counted."""

from __future__ import annotations

from datetime import UTC, datetime

import click
import msgspec
import pytest

from syncline.cli.show import terminal
from syncline.cli.show.why_screen import screen
from syncline.core.diagnose.explain import Explanation
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
LONG = 'Back-off pulling image "registry.example/team/web:broken": ErrImagePull: rpc error: code = NotFound ' * 3


def unstyled(text: str) -> str:
    """Return the words of a screen without its colours."""
    return click.unstyle(terminal.coloured(text))


def finding(name: str, subject: str, severity: Severity = Severity.ERROR, code: str = "WKL-002") -> Finding:
    return Finding(
        code=code,
        name=name,
        severity=severity,
        subject=subject,
        message=f"{subject}: its image cannot be pulled, and nobody knows when that will change",
        evidence=(Evidence(kind=EvidenceKind.MESSAGE, text=LONG),),
        fix=Fix(text="push the image, or name one that exists"),
    )


def explained(*findings: Finding) -> Explanation:
    return Explanation(
        app="argocd/web",
        sync="Synced",
        health="Degraded",
        since="2026-01-01T11:59:19Z",
        revision="1234567890123456789012345678901234567890",
        findings=findings,
    )


@pytest.mark.parametrize("width", [80, 100, 120])
def test_forty_failing_objects_fit_on_one_screen(width: int) -> None:
    many = [finding("image-not-found", f"Deployment/web-{number}") for number in range(40)]
    other = finding("container-failing", "Deployment/api", code="WKL-008")
    lines = unstyled(screen(explained(*many, other), NOW, width=width, height=22)).splitlines()
    assert lines[0] == "web is Synced and Degraded since 41s, 1234567"
    assert len(lines) <= 22
    assert max(map(len, lines)) <= width
    assert any("[WKL-008 container-failing]" in line for line in lines), "one of each kind comes first"
    assert lines[-1].startswith("… 3")
    assert lines[-1].endswith("image-not-found (all with --verbose)")


def test_a_wait_is_left_out_where_its_cause_is_told() -> None:
    cause = finding("image-not-found", "Deployment/web")
    told = finding("waiting", "Deployment/web", Severity.INFO, "LIV-110")
    untold = finding("waiting", "Job/migrate", Severity.INFO, "LIV-110")
    text = unstyled(screen(explained(cause, told, untold), NOW, width=120, height=22))
    assert [line for line in text.splitlines() if "LIV-110" in line] == [
        "◔ Job/migrate: its image cannot be pulled, and nobody knows when that will change  [LIV-110 waiting]"
    ]


def test_verbose_leaves_nothing_out() -> None:
    many = [finding("image-not-found", f"Deployment/web-{number}") for number in range(40)]
    text = screen(explained(*many), NOW, width=120)
    assert text.count("[WKL-002 image-not-found]") == 40
    assert " …" not in text


def test_a_finding_that_was_made_several_times_says_how_often() -> None:
    thrice = msgspec.structs.replace(finding("waiting", "Deployment/web"), count=3)
    assert "(3 times)  [WKL-002 waiting]" in screen(explained(thrice), NOW, width=120)
    assert "times" not in screen(explained(finding("waiting", "Deployment/web")), NOW, width=120)
