"""Incidents that happened to others: how many causes are found, as docs/internals/incidents.md publishes them."""

import pathlib
import re

import pytest

from tests.support.incidents import MODELLED, Incident, Score, answered, incidents, score

ALL = incidents()
ALL_MODELLED = incidents(MODELLED)
PAGE = pathlib.Path(__file__).parents[3] / "docs/internals/incidents.md"
# What is not right yet; an incident that gets better has to be taken out here, and on the page.
NOT_RIGHT: dict[str, Score] = {}


@pytest.mark.parametrize("incident", ALL, ids=[one.name for one in ALL])
def test_the_cause_that_people_found_comes_first(incident: Incident) -> None:
    answer = answered(incident)
    told = [f"{one.thing}: {one.finding.message}" for one in answer.causes]
    assert score(incident, answer) is NOT_RIGHT.get(incident.name, Score.RIGHT), told


def test_every_incident_is_on_the_page_with_its_score_and_the_counts_are_those() -> None:
    rows = dict(re.findall(r"^\| \[([\w-]+)\]\(\S+\) \|.*\| ([\w ]+) \|$", PAGE.read_text(), re.MULTILINE))
    assert rows == {one.name: NOT_RIGHT.get(one.name, Score.RIGHT).value for one in ALL}
    [counts] = re.findall(r"now: (\d+) right, (\d+) wrong, (\d+) cannot tell", PAGE.read_text())
    found = list(rows.values())
    assert [int(one) for one in counts] == [found.count(one.value) for one in Score]


def test_every_report_is_public_and_none_is_used_twice() -> None:
    reports = [one.report for one in ALL]
    assert all(re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+", one) for one in reports)
    assert len(set(reports)) == len(reports) >= 30


@pytest.mark.parametrize("incident", ALL_MODELLED, ids=[one.name for one in ALL_MODELLED])
def test_a_modelled_fault_is_the_only_cause_and_explains_every_alert(incident: Incident) -> None:
    answer = answered(incident)
    told = [f"{one.thing}: {one.finding.message}" for one in answer.causes]
    assert score(incident, answer) is Score.RIGHT, told
    assert len(told) == 1, told
    assert answer.unexplained == ()


def test_every_modelled_fault_is_on_the_page() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \|", PAGE.read_text(), re.MULTILINE)
    assert rows == [one.name for one in ALL_MODELLED]
