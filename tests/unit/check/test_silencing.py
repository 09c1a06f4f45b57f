"""Comments that silence findings: where they count, and that they need a rule and a reason."""

from __future__ import annotations

import pytest

from syncline.core.diagnose.findings.silencing import silenced
from syncline.model.errors import Place
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity


def finding(line: int = 2, code: str = "SRC-004") -> Finding:
    place = Evidence(kind=EvidenceKind.FILE, text="x", place=Place("a.yaml", line))
    return Finding(
        code=code, name="empty-override", severity=Severity.ERROR, subject="a", message="m", evidence=(place,)
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a: 1\nb: []  # syncline: ignore[SRC-004] wanted here\n", id="on the line"),
        pytest.param("# syncline: ignore[SRC-004] wanted here\nb: []\n", id="on the line above"),
        pytest.param("a: 1\nb: []  # syncline: ignore[empty-override] wanted here\n", id="by name"),
        pytest.param("a: 1\nb: []  # syncline: ignore[SRC-001, SRC-004] wanted here\n", id="among others"),
    ],
)
def test_a_comment_with_a_reason_silences_its_line_and_the_next(text: str) -> None:
    found = silenced([finding()], {"a.yaml": text.encode()})
    assert (found.kept, len(found.silenced), found.problems) == ((), 1, ())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: 1\nb: []  # syncline: ignore[SRC-004]\n", "a.yaml:2: say why SRC-004 is ignored"),
        ("a: 1\nb: []  # syncline: ignore because I say so\n", "a.yaml:2: name the rules to be silent about"),
        ("a: 1\nb: []\nc: 1  # syncline: ignore[SRC-004] elsewhere\n", "a.yaml:3: nothing to be silent about"),
        ("a: 1\nb: []  # syncline: ignore[SRC-001] another rule\n", "a.yaml:2: nothing to be silent about"),
    ],
)
def test_a_comment_that_says_too_little_or_stands_elsewhere_silences_nothing(text: str, problem: str) -> None:
    found = silenced([finding()], {"a.yaml": text.encode()})
    assert len(found.kept) == 1
    assert [one.startswith(problem) for one in found.problems] == [True]
