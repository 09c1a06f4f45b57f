"""What a story is held to: a cause too many, one too few, a wrong line or a wrong promise is told."""

import pytest

from syncline.apimachinery.keys import ObjectKey
from syncline.cli.scenario import comparing
from syncline.model.diagnosis import Diagnosis, RootCause, Thing
from syncline.model.errors import Place
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity
from syncline.scenarios.story import Cause, Rules, Seen, Wait

STORE = Cause(
    name="store", told="x", code="SEC-003", subject="Store/a", at="values.yaml:3", says=("no such host",), apps=2
)
ROLE = Cause(name="role", told="y", code="LIV-202", subject="account")


def root(cause: Cause, *apps: str, line: int = 3, text: str = "lookup a: no such host") -> RootCause:
    evidence = Evidence(kind=EvidenceKind.FILE, text=text, place=Place("values.yaml", line, 5))
    finding = Finding(
        code=cause.code, name="n", severity=Severity.ERROR, subject=cause.subject, message="m", evidence=(evidence,)
    )
    thing = Thing(key=ObjectKey("", "Pod", "", cause.name))
    return RootCause(id=cause.name, rank=1, thing=thing, finding=finding, affected=apps)


def diagnosis(*causes: RootCause, good: int = 5) -> Diagnosis:
    return Diagnosis(as_of="", origin="", total=9, good=good, causes=causes)


def test_nothing_is_told_where_causes_are_as_the_story_says() -> None:
    assert not list(comparing.causes((STORE,), diagnosis(root(STORE, "a", "b"))))


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (diagnosis(), "the cause SEC-003 at Store/a"),
        (diagnosis(root(STORE, "a", "b"), root(ROLE, "c")), "no cause LIV-202 at account"),
        (diagnosis(root(STORE, "a", "b", line=4)), "to lead to values.yaml:3, found values.yaml:4"),
        (diagnosis(root(STORE, "a", "b", text="refused")), 'to say "no such host"'),
        (diagnosis(root(STORE, "a")), "to hold up 2 apps, found 1"),
    ],
)
def test_every_difference_between_causes_is_told(found: Diagnosis, words: str) -> None:
    (told,) = comparing.causes((STORE,), found)
    assert words in told


def test_a_promise_counts_apps_that_nothing_else_holds_up() -> None:
    found = diagnosis(root(STORE, "a", "b"), root(ROLE, "b", "c"))
    assert comparing.promised(found, [STORE]) == 6
    assert comparing.promised(found, [STORE, ROLE]) == 8
    assert comparing.promised(found, []) == 5


def test_rows_of_a_table_are_compared_app_by_app() -> None:
    found = {"web": "Synced Healthy", "api": "OutOfSync Missing"}
    assert not list(comparing.rows({"w*": "Synced Healthy"}, found))
    assert list(comparing.rows({"*": "Synced Healthy"}, found)) == ["api Synced Healthy, found OutOfSync Missing"]
    assert list(comparing.rows({"cart": "Synced Healthy"}, found)) == ["an app cart, found none"]


def test_counts_of_a_table_are_compared_by_health() -> None:
    from collections import Counter

    found = Counter({("Synced", "Healthy"): 3, ("OutOfSync", "Degraded"): 1})
    assert not list(comparing.statuses(Seen(good=3, others={"Degraded": 1}, out_of_sync=1), found))
    wrong = list(comparing.statuses(Seen(good=4, others={}, out_of_sync=2), found))
    assert wrong == ["0 Degraded, found 1", "4 OK, found 3", "at least 2 OutOfSync, found 1"]


@pytest.mark.parametrize(
    ("holds", "begun", "told"), [(True, "05", 0), (True, "03", 1), (False, "03", 0), (False, "05", 1)]
)
def test_a_wave_that_does_not_wait_is_told(holds: bool, begun: str, told: int) -> None:
    first = {"metadata": {"name": "a"}, "status": {"health": {"lastTransitionTime": "2030-01-01T00:00:04Z"}}}
    second = {"metadata": {"name": "b", "creationTimestamp": f"2030-01-01T00:00:{begun}Z"}}
    wait = Wait(before=("a",), after=("b",), holds=holds)
    assert len(list(comparing.waits((wait,), Rules.ARGOCD, [first, second]))) == told
