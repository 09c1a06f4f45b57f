"""One screen: width and height are kept, the worst stays, and what does not fit is counted."""

from __future__ import annotations

from datetime import UTC, datetime

import click
import msgspec
import pytest

from syncline.cli.show import terminal
from syncline.cli.show.why_screen import screen
from syncline.core.diagnose.explain import Explanation
from syncline.model.errors import Place
from syncline.model.finding import Edit, Evidence, EvidenceKind, Finding, Fix, Severity

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
    assert lines[0] == "web is Synced and has been Degraded for 41s, 1234567"
    assert len(lines) <= 22
    assert max(map(len, lines)) <= width
    assert any("[WKL-008 container-failing]" in line for line in lines), "one of each kind comes first"
    assert lines[-1].startswith("… 3")
    assert lines[-1].endswith("image-not-found (all with --verbose)")


def test_effects_come_last_and_name_their_cause() -> None:
    effect = msgspec.structs.replace(finding("waiting", "Job/migrate"), effect_of="Deployment/web", fix=None)
    lines = unstyled(screen(explained(effect, finding("image-not-found", "Deployment/web")), NOW, width=200, height=22))
    assert lines.splitlines()[-1] == (
        "↳ Job/migrate: its image cannot be pulled, and nobody knows when that will change, because of Deployment/web"
        "  [WKL-002 waiting]"
    )


def test_edits_and_commands_stand_on_lines_of_their_own_whatever_their_length() -> None:
    edit = Edit(place=Place("apps/web/data.yaml", 7), before="fast-ssd", after="standard")
    fix = Fix(edits=(edit,), command=f"kubectl delete pvc {'x' * 100}", text="it has no data")
    told = msgspec.structs.replace(
        finding("class", "PersistentVolumeClaim/data"), fix=fix, options=(Fix(text="create it"),)
    )
    lines = unstyled(screen(explained(told), NOW, width=80, height=22)).splitlines()
    assert lines[-4:] == [
        "    fix   apps/web/data.yaml:7: fast-ssd → standard",
        f"    then  kubectl delete pvc {'x' * 100}",
        "          it has no data",
        "    or    create it",
    ]


def test_verbose_leaves_nothing_out() -> None:
    many = [finding("image-not-found", f"Deployment/web-{number}") for number in range(40)]
    text = screen(explained(*many), NOW, width=120)
    assert text.count("[WKL-002 image-not-found]") == 40
    assert " …" not in text


def test_a_finding_that_was_made_several_times_says_how_often() -> None:
    thrice = msgspec.structs.replace(finding("waiting", "Deployment/web"), count=3)
    assert "(3 times)  [WKL-002 waiting]" in unstyled(screen(explained(thrice), NOW, width=120))
    assert "times" not in unstyled(screen(explained(finding("waiting", "Deployment/web")), NOW, width=120))


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("height", [22, 60])
def test_sixty_findings_fill_the_screen_and_the_rest_is_counted(width: int, height: int) -> None:
    kinds = [f"kind-of-finding-{number}" for number in range(12)]
    many = [finding(kinds[number % 12], f"Deployment/web-{number}", code=f"WKL-{number % 12}") for number in range(60)]
    lines = unstyled(screen(explained(*many), NOW, width=width, height=height)).splitlines()
    assert max(map(len, lines)) <= width
    assert height - 4 <= len(lines) <= height, "a screen is filled before anything is folded"
    words = " ".join(" ".join(lines).split())
    folded = int(words.partition("… ")[2].partition(" more: ")[0])
    told = [line for line in lines if line.startswith("✖")]
    assert len(told) + folded == 60
    assert words.count("nobody knows when that will change") == len(told), "messages are never cut"
    assert [kind for kind in kinds if kind not in words] == [], "every kind is told or counted"


def test_one_finding_is_told_in_full_however_small_the_screen_is() -> None:
    lines = unstyled(screen(explained(finding("image-not-found", "Deployment/web")), NOW, width=80, height=8))
    words = " ".join(lines.split())
    assert "nobody knows when that will change [WKL-002 image-not-found]" in words
    assert "fix push the image, or name one that exists" in words
