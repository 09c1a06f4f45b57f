"""Which advisories concern a version: the bounds are those that the projects published."""

from datetime import date

import pytest

from syncline.core import advisories

HELM = {
    "GHSA-557j-xg8c-q2mm": (("3.17.3", "3.18.0", "3.18.3"), ("3.17.4", "3.18.4", "4.0.0")),
    "GHSA-9h84-qmv7-982p": (("3.17.3", "3.17.4", "3.18.4"), ("3.18.5", "3.18.6", "4.0.0")),
    "GHSA-f9f8-9pmf-xv68": (("3.17.3", "3.18.4"), ("3.18.5",)),
    "GHSA-hr2v-4r36-88hr": (("3.17.3", "3.20.1", "4.0.0", "4.1.3"), ("3.20.2", "3.21.0", "4.1.4", "4.2.0")),
    "GHSA-vmx8-mqv2-9gmg": (("4.0.0", "4.1.3"), ("3.17.3", "4.1.4")),
    "GHSA-5xqw-8hwv-wg92": (("3.17.2",), ("3.17.3",)),
}


@pytest.mark.parametrize(("advisory", "versions"), HELM.items())
def test_an_advisory_concerns_the_versions_it_names_and_no_others(
    advisory: str, versions: tuple[tuple[str, ...], tuple[str, ...]]
) -> None:
    affected, fixed = versions
    for version in affected:
        assert advisory in {one.id for one in advisories.known("helm", version)}, version
    for version in fixed:
        assert advisory not in {one.id for one in advisories.known("helm", version)}, version


def test_the_wheel_is_concerned_and_a_release_of_each_line_is_not() -> None:
    assert len(advisories.known("helm", "3.17.3")) == 4
    assert [advisories.known("helm", version) for version in ("3.22.0", "4.2.4", "4.3", "v4.3.1")] == [[], [], [], []]
    assert advisories.known("kubectl", "1.37.1") == []


@pytest.mark.parametrize(
    ("program", "version", "safe"),
    [("helm", "3.17.3", "3.20.2"), ("helm", "4.0.0", "4.1.4"), ("helm", "4.3.1", ""), ("git", "2.39.5", "2.43.7")],
)
def test_the_version_to_install_is_the_oldest_that_nothing_concerns(program: str, version: str, safe: str) -> None:
    assert advisories.safe_from(program, version) == safe


@pytest.mark.parametrize(("months", "stale"), [(5, False), (6, True), (20, True)])
def test_a_table_that_nobody_reviewed_for_half_a_year_is_stale(months: int, stale: bool) -> None:
    reviewed = advisories.REVIEWED
    year, month = divmod(reviewed.year * 12 + reviewed.month - 1 + months, 12)
    assert advisories.is_stale(date(year, month + 1, reviewed.day)) is stale


def test_the_day_before_half_a_year_is_over_it_is_not_stale() -> None:
    assert advisories.REVIEWED.day > 1, "choose another day for this test"
    assert not advisories.is_stale(date(2027, 5, advisories.REVIEWED.day - 1))


def test_every_advisory_says_what_it_is_about_and_how_far_it_reaches() -> None:
    assert len({one.id for one in advisories.ADVISORIES}) == len(advisories.ADVISORIES)
    for one in advisories.ADVISORIES:
        assert one.about
        assert one.here
        assert all(advisories.numbers(span.first) < advisories.numbers(span.fixed) for span in one.affected)
