"""Version constraints: which versions each allows, as the Go library that Argo CD and Helm use says (3.5.0)."""

import random
import time

import pytest

from syncline.model.sources import semver

VERSIONS = (
    "0.0.0 0.0.3 0.0.4 0.1.0 0.2.0 0.2.3 1.0.0 1.2.0 "
    "1.2.3 1.2.5 1.3.0 1.3.0-rc.1 1.2.0-beta 1.2.0-0 1.2.4-rc.1 2.0.0 "
    "2.0.0-alpha 2.1.0-beta v2.1 10.0.0 10.1.2-rc.2 1.2.3+build"
)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("*", "0.0.0 0.0.3 0.0.4 0.1.0 0.2.0 0.2.3 1.0.0 1.2.0 1.2.3 1.2.5 1.3.0 2.0.0 v2.1 10.0.0 1.2.3+build"),
        ("x", "0.0.0 0.0.3 0.0.4 0.1.0 0.2.0 0.2.3 1.0.0 1.2.0 1.2.3 1.2.5 1.3.0 2.0.0 v2.1 10.0.0 1.2.3+build"),
        ("1.x", "1.0.0 1.2.0 1.2.3 1.2.5 1.3.0 1.2.3+build"),
        ("1.X.2", "1.0.0 1.2.0 1.2.3 1.2.5 1.3.0 1.2.3+build"),
        ("^1.2", "1.2.0 1.2.3 1.2.5 1.3.0 1.2.3+build"),
        ("^1", "1.0.0 1.2.0 1.2.3 1.2.5 1.3.0 1.2.3+build"),
        ("~1", "1.0.0 1.2.0 1.2.3 1.2.5 1.3.0 1.2.3+build"),
        ("~1.2", "1.2.0 1.2.3 1.2.5 1.2.3+build"),
        ("~1.2.3", "1.2.3 1.2.5 1.2.3+build"),
        ("^0.2", "0.2.0 0.2.3"),
        ("^0.0.3", "0.0.3"),
        ("^0", "0.0.0 0.0.3 0.0.4 0.1.0 0.2.0 0.2.3"),
        ("^0.x", "0.0.0 0.0.3 0.0.4 0.1.0 0.2.0 0.2.3"),
        ("~0", "0.0.0 0.0.3 0.0.4 0.1.0 0.2.0 0.2.3"),
        ("~0.0.0", "0.0.0 0.0.3 0.0.4 0.1.0 0.2.0 0.2.3 1.0.0 1.2.0 1.2.3 1.2.5 1.3.0 2.0.0 v2.1 10.0.0 1.2.3+build"),
        ("1", "1.0.0 1.2.0 1.2.3 1.2.5 1.3.0 1.2.3+build"),
        ("1.2", "1.2.0 1.2.3 1.2.5 1.2.3+build"),
        ("=1.2", "1.2.0 1.2.3 1.2.5 1.2.3+build"),
        (">=1.0 <2.0", "1.0.0 1.2.0 1.2.3 1.2.5 1.3.0 1.2.3+build"),
        (
            ">=1.0.0-0, <2",
            "1.0.0 1.2.0 1.2.3 1.2.5 1.3.0 1.3.0-rc.1 1.2.0-beta 1.2.0-0 1.2.4-rc.1 2.0.0-alpha 1.2.3+build",
        ),
        ("1.2 - 2.0", "1.2.0 1.2.3 1.2.5 1.3.0 2.0.0 1.2.3+build"),
        ("1.2.0 - 2", "1.2.0 1.2.3 1.2.5 1.3.0 2.0.0 v2.1 1.2.3+build"),
        ("<1.0||>=2 <3", "0.0.0 0.0.3 0.0.4 0.1.0 0.2.0 0.2.3 2.0.0 v2.1"),
        ("!=10.x", "0.0.0 0.0.3 0.0.4 0.1.0 0.2.0 0.2.3 1.0.0 1.2.0 1.2.3 1.2.5 1.3.0 2.0.0 v2.1 1.2.3+build"),
        ("!=1.2.x", "0.0.0 0.0.3 0.0.4 0.1.0 0.2.0 0.2.3 1.0.0 1.3.0 2.0.0 v2.1 10.0.0"),
        ("!=1", "0.0.0 0.0.3 0.0.4 0.1.0 0.2.0 0.2.3 2.0.0 v2.1 10.0.0"),
        ("!=1.2.5", "0.0.0 0.0.3 0.0.4 0.1.0 0.2.0 0.2.3 1.0.0 1.2.0 1.2.3 1.3.0 2.0.0 v2.1 10.0.0 1.2.3+build"),
        (">1", "2.0.0 v2.1 10.0.0"),
        (">1.2", "1.3.0 2.0.0 v2.1 10.0.0"),
        (">=1", "1.0.0 1.2.0 1.2.3 1.2.5 1.3.0 2.0.0 v2.1 10.0.0 1.2.3+build"),
        ("<=1", "0.0.0 0.0.3 0.0.4 0.1.0 0.2.0 0.2.3 1.0.0 1.2.0 1.2.3 1.2.5 1.3.0 1.2.3+build"),
        ("<=1.2", "0.0.0 0.0.3 0.0.4 0.1.0 0.2.0 0.2.3 1.0.0 1.2.0 1.2.3 1.2.5 1.2.3+build"),
        ("<1.2", "0.0.0 0.0.3 0.0.4 0.1.0 0.2.0 0.2.3 1.0.0"),
        (">=1.3.0-0 <1.4", "1.3.0 1.3.0-rc.1"),
        ("^1.2.0-beta", "1.2.0 1.2.3 1.2.5 1.3.0 1.3.0-rc.1 1.2.0-beta 1.2.4-rc.1 1.2.3+build"),
        ("~1.2.0-0", "1.2.0 1.2.3 1.2.5 1.2.0-beta 1.2.0-0 1.2.4-rc.1 1.2.3+build"),
        (
            ">=1.0.0-0",
            (
                "1.0.0 1.2.0 1.2.3 1.2.5 1.3.0 1.3.0-rc.1 1.2.0-beta 1.2.0-0 "
                "1.2.4-rc.1 2.0.0 2.0.0-alpha 2.1.0-beta v2.1 10.0.0 10.1.2-rc.2 1.2.3+build"
            ),
        ),
        (
            "<2.0.0-0",
            (
                "0.0.0 0.0.3 0.0.4 0.1.0 0.2.0 0.2.3 1.0.0 1.2.0 "
                "1.2.3 1.2.5 1.3.0 1.3.0-rc.1 1.2.0-beta 1.2.0-0 1.2.4-rc.1 1.2.3+build"
            ),
        ),
        (">=1.2 , <2 || ^10", "1.2.0 1.2.3 1.2.5 1.3.0 10.0.0 1.2.3+build"),
        ("v1.2", "1.2.0 1.2.3 1.2.5 1.2.3+build"),
        ("^v1.2", "1.2.0 1.2.3 1.2.5 1.3.0 1.2.3+build"),
        ("=>1.2", "1.2.0 1.2.3 1.2.5 1.3.0 2.0.0 v2.1 10.0.0 1.2.3+build"),
        ("=<1.2", "0.0.0 0.0.3 0.0.4 0.1.0 0.2.0 0.2.3 1.0.0 1.2.0 1.2.3 1.2.5 1.2.3+build"),
        ("~>1.2", "1.2.0 1.2.3 1.2.5 1.2.3+build"),
        ("> 1.2", "1.3.0 2.0.0 v2.1 10.0.0"),
        ("1.x-0", "1.0.0 1.2.0 1.2.3 1.2.5 1.3.0 1.3.0-rc.1 1.2.0-beta 1.2.0-0 1.2.4-rc.1 1.2.3+build"),
        (">*", "0.0.3 0.0.4 0.1.0 0.2.0 0.2.3 1.0.0 1.2.0 1.2.3 1.2.5 1.3.0 2.0.0 v2.1 10.0.0 1.2.3+build"),
        ("!=*", "0.0.3 0.0.4 0.1.0 0.2.0 0.2.3 1.0.0 1.2.0 1.2.3 1.2.5 1.3.0 2.0.0 v2.1 10.0.0 1.2.3+build"),
        ("1.2,2", ""),
        ("^1.2.3-rc.1 || 2", "1.2.3 1.2.5 1.3.0 1.3.0-rc.1 1.2.4-rc.1 2.0.0 v2.1 1.2.3+build"),
    ],
)
def test_a_constraint_allows_what_the_library_allows(text: str, allowed: str) -> None:
    constraint = semver.constraints(text)
    assert constraint is not None
    versions = [version for name in VERSIONS.split() if (version := semver.parse(name))]
    assert " ".join(version.text for version in versions if semver.allows(constraint, version)) == allowed


@pytest.mark.parametrize(
    "text", ["", "junk", "main", "1.2.3.4", ">=", "1..2", "^1.2 ||", "latest", "release/1.x", "1.2.3.*", "==1.2"]
)
def test_a_text_that_is_no_constraint_is_none(text: str) -> None:
    assert semver.constraints(text) is None
    assert not semver.is_constraint(text)


@pytest.mark.parametrize(("text", "constraint"), [("1", False), ("v1.2", False), ("1.2.3-rc.1", False), ("1.x", True)])
def test_a_version_is_a_pin_and_no_constraint(text: str, constraint: bool) -> None:
    assert semver.is_constraint(text) is constraint


def test_versions_are_ordered_as_the_standard_says() -> None:
    stages = ["alpha", "alpha.1", "alpha.beta", "beta", "beta.2", "beta.11", "rc.1"]
    ordered = [*(f"1.0.0-{stage}" for stage in stages), "1.0.0"]
    shuffled = list(ordered)
    random.Random(7).shuffle(shuffled)
    versions = [version for text in shuffled if (version := semver.parse(text))]
    assert [version.text for version in sorted(versions)] == ordered


@pytest.mark.parametrize(
    ("text", "names", "newest"),
    [
        ("*", ["1.9.0", "1.10.0", "junk"], "1.10.0"),
        ("^2", ["1.9.0"], None),
        ("1.x", ["v1.2", "1.1.9"], "v1.2"),
        ("*", [], None),
        ("main", ["1.0.0"], None),
    ],
)
def test_the_newest_name_that_fits_is_returned_as_it_was_written(
    text: str, names: list[str], newest: str | None
) -> None:
    assert semver.newest(text, names) == newest


@pytest.mark.parametrize("text", ["1" * 5000, "1." * 3000, "^" * 5000, "1.0.0-" + "a." * 3000, ">=1 " * 2000])
def test_a_hostile_text_costs_little(text: str) -> None:
    begun = time.process_time()
    assert (semver.constraints(text), semver.parse(text)) == (None, None)
    assert time.process_time() - begun < 1
