"""The driver of rules: sorted, the same every time, equal findings once, and broken rules that cost nobody else."""

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from syncline.core.diagnose.engine import run
from syncline.core.diagnose.rule import Check, Rule
from syncline.model.finding import Finding, Severity


class Basket(NamedTuple):
    """A subject of these tests: fruit."""

    fruit: tuple[str, ...]

    def __str__(self) -> str:
        return "the basket"


class Crate(NamedTuple):
    """Another kind of subject."""

    fruit: tuple[str, ...]


def rule(code: str, severity: Severity = Severity.ERROR, **rest: Any) -> Rule:
    return Rule(code=code, name=code.lower(), severity=severity, summary="", fix="", looks_at=(), **rest)


def named(basket: Basket) -> Iterator[tuple[str, str]]:
    return ((name, name) for name in basket.fruit)


def finds(about: Rule, *fruit: str, severity: Severity | None = None) -> Check[Basket]:
    """Return a check that finds certain fruit."""

    @about.on_each(Basket, named)
    def check(_basket: Basket, name: str) -> Iterator[Finding]:
        if name in fruit:
            yield about.finding(name, f"there is a {name}", severity=severity)

    return check


def test_findings_are_sorted_by_severity_then_rule_then_subject() -> None:
    checks = [
        finds(rule("A-1", Severity.INFO), "fig"),
        finds(rule("B-1", Severity.WARNING), "fig", "apple"),
        finds(rule("A-2"), "fig"),
        finds(rule("A-0", Severity.WARNING), "fig"),
    ]
    found = run(checks, Basket(("fig", "apple")))
    assert [(one.code, one.subject) for one in found] == [
        ("A-2", "fig"),
        ("B-1", "apple"),
        ("B-1", "fig"),
        ("A-0", "fig"),
        ("A-1", "fig"),
    ]


def test_the_order_of_the_parts_makes_no_difference() -> None:
    fruit = ["apple", "fig", "pear", "plum", "fig"]
    checks = [finds(rule("A-1"), "fig", "plum"), finds(rule("A-2"), "apple", "plum")]
    expected = run(checks, Basket(tuple(fruit)))
    for seed in range(10):
        random.Random(seed).shuffle(fruit)
        assert run(checks, Basket(tuple(fruit))) == expected


def test_equal_findings_are_one_with_a_count() -> None:
    found = run([finds(rule("A-1"), "fig", "plum")], Basket(("fig", "plum", "fig", "fig")))
    assert [(one.subject, one.count) for one in found] == [("fig", 3), ("plum", 1)]


def test_two_checks_of_one_rule_that_find_the_same_are_one_finding() -> None:
    about = rule("A-1")
    found = run([finds(about, "fig"), finds(about, "fig")], Basket(("fig",)))
    assert [one.count for one in found] == [2]


def broken(about: Rule) -> Check[Basket]:
    """Return a check that finds plums, and breaks on figs."""

    @about.on_each(Basket, named)
    def check(_basket: Basket, name: str) -> Iterator[Finding]:
        if name == "fig":
            raise KeyError("hunter2")
        yield about.finding(name, f"there is a {name}")

    return check


def test_a_rule_that_breaks_on_one_part_is_a_finding_and_costs_no_other_part_its_answer() -> None:
    found = run([broken(rule("A-1")), finds(rule("A-2"), "fig")], Basket(("plum", "fig", "apple")))
    assert [(one.code, one.subject) for one in found] == [
        ("A-1", "apple"),
        ("A-1", "plum"),
        ("A-2", "fig"),
        ("INT-001", "fig"),
    ]
    assert found[-1].message.startswith("A-1 a-1 could not be checked on fig: KeyError at ")


def test_what_an_error_says_is_not_repeated_since_it_may_quote_a_secret() -> None:
    found = run([broken(rule("A-1"))], Basket(("fig",)))
    assert "hunter2" not in repr(found)


def test_what_a_rule_found_before_it_broke_is_kept() -> None:
    about = rule("A-1")

    @about.on(Basket)
    def check(basket: Basket) -> Iterator[Finding]:
        yield about.finding("plum", "there is a plum")
        raise RuntimeError(basket.fruit)

    found = run([check], Basket(("fig",)))
    assert [(one.code, one.subject) for one in found] == [("A-1", "plum"), ("INT-001", "the basket")]


def test_a_subject_whose_parts_cannot_be_listed_is_a_finding() -> None:
    about = rule("A-1")

    def parts(basket: Basket) -> list[tuple[str, str]]:
        raise RecursionError(basket)

    @about.on_each(Basket, parts)
    def check(_basket: Basket, _name: str) -> Iterator[Finding]:
        yield from ()

    found = run([check, finds(rule("A-2"), "fig")], Basket(("fig",)))
    assert [(one.code, one.subject) for one in found] == [("A-2", "fig"), ("INT-001", "the basket")]


def test_a_check_that_is_no_generator_may_break_as_well() -> None:
    about = rule("A-1")

    @about.on_each(Basket, named)
    def check(_basket: Basket, name: str) -> list[Finding]:
        return [about.finding(name, "", severity=Severity.INFO if name == "fig" else None)]

    found = run([check], Basket(("fig", "plum")))
    assert [(one.code, one.subject) for one in found] == [("A-1", "plum"), ("INT-001", "fig")]


def test_a_rule_may_not_report_in_the_name_of_another() -> None:
    mine, other = rule("A-1"), rule("A-2")

    @mine.on(Basket)
    def check(_basket: Basket) -> Iterator[Finding]:
        yield other.finding("fig", "there is a fig")

    assert [one.code for one in run([check], Basket(()))] == ["INT-001"]


def test_a_finding_has_code_name_and_severity_of_its_rule() -> None:
    finding = rule("A-1", Severity.WARNING).finding("fig", "there is a fig")
    assert (finding.code, finding.name, finding.severity) == ("A-1", "a-1", Severity.WARNING)


def test_a_severity_must_be_declared_by_the_rule() -> None:
    about = rule("A-1", Severity.WARNING, other_severities=frozenset({Severity.INFO}))
    assert about.finding("fig", "", severity=Severity.INFO).severity is Severity.INFO
    with pytest.raises(ValueError, match="A-1 does not declare the severity error"):
        about.finding("fig", "", severity=Severity.ERROR)


def test_a_last_resort_speaks_only_where_no_other_rule_does() -> None:
    last = rule("A-1", last_resort=True)
    found = run([finds(last, "fig", "plum"), finds(rule("A-2", Severity.INFO), "fig")], Basket(("fig", "plum")))
    assert [(one.code, one.subject) for one in found] == [("A-1", "plum"), ("A-2", "fig")]


def test_a_rule_may_look_at_several_kinds_of_subject() -> None:
    about = rule("A-1")

    @about.on(Crate)
    def check(crate: Crate) -> Iterator[Finding]:
        yield about.finding(crate.fruit[0], "in a crate")

    assert [one.message for one in run([check], Crate(("fig",)))] == ["in a crate"]
    assert [one.message for one in run([finds(about, "fig")], Basket(("fig",)))] == ["there is a fig"]
