"""What a story expects of `check`, before the merge and after a repair."""

import pytest

from syncline.api.check import Checked
from syncline.cli.scenario.comparing import before_the_merge, still_there
from syncline.model.errors import Place
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity
from syncline.scenarios.story import Cause


def checked(*places: Place) -> Checked:
    found = tuple(
        Finding(
            code="SRC-004",
            name="empty-override",
            severity=Severity.ERROR,
            subject="a",
            message="m",
            evidence=(Evidence(kind=EvidenceKind.FILE, text="x", place=place),),
        )
        for place in places
    )
    return Checked(findings=found, apps=1, rendered=1, sets=0, roots=1, projects=0, objects=1)


@pytest.mark.parametrize(
    ("check_at", "places", "missing", "left"),
    [
        ("", [Place("a.yaml", 2)], False, True),
        ("", [], True, False),
        ("a.yaml:2", [Place("a.yaml", 2)], False, True),
        ("a.yaml:2", [Place("b.yaml", 2)], True, False),
        # After a repair lines move: the file counts.
        ("a.yaml:2", [Place("a.yaml", 7)], True, True),
    ],
)
def test_what_check_should_find_is_missed_and_what_is_repaired_must_be_gone(
    check_at: str, places: list[Place], missing: bool, left: bool
) -> None:
    cause = Cause(name="overrides", told="a list is empty", check="SRC-004", check_at=check_at)
    found = checked(*places)
    assert bool(list(before_the_merge([cause], found))) is missing
    assert bool(list(still_there([cause], found))) is left


def test_a_cause_that_check_cannot_see_is_expected_nowhere() -> None:
    cause = Cause(name="sealed", told="Vault is sealed")
    assert [*before_the_merge([cause], checked()), *still_there([cause], checked(Place("a.yaml", 2)))] == []
