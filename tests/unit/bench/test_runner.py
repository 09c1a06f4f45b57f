"""The runner finds every measurement; nothing is measured here."""

import importlib
import inspect
import pathlib

import pytest

from bench import __main__ as runner
from bench import rows

FOLDER = pathlib.Path(runner.__file__).parent


def test_every_file_is_a_measurement_or_serves_them() -> None:
    files = {path.relative_to(FOLDER).with_suffix("").parts for path in FOLDER.rglob("*.py")}
    names = {".".join(parts) for parts in files if parts[-1] not in {"__init__", *runner.SERVING}}
    assert runner.modules() == sorted(names)


@pytest.mark.parametrize("name", runner.modules())
def test_every_measurement_offers_rows(name: str) -> None:
    module = importlib.import_module(f"bench.{name}")
    assert list(inspect.signature(module.rows).parameters) == []


@pytest.mark.parametrize(
    ("names", "picked"),
    [
        (["startup"], ["startup"]),
        (["apimachinery.patch", "startup"], ["apimachinery.patch", "startup"]),
        (["apimachinery"], [name for name in runner.modules() if name.startswith("apimachinery.")]),
        ([], runner.modules()),
    ],
)
def test_names_choose_modules_and_folders(names: list[str], picked: list[str]) -> None:
    assert runner.chosen(names) == picked


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"^there is no benchmark walk; there are: .*startup"):
        runner.chosen(["walk"])


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        (
            rows.Row(name="load", figure=300.0, unit="µs", raw=100.0, raw_is="copy", at_most=250),
            ["load", "300", "µs", "100", "3.00", "≤", "250", "NO", "copy"],
        ),
        (
            rows.Row(name="read", figure=2000.0, unit="/s", raw=4000.0, raw_is="bare", at_least=1000),
            ["read", "2,000", "/s", "4,000", "0.50", "≥", "1,000", "yes", "bare"],
        ),
        (rows.Row(name="watched", figure=1.5, unit="MB/s"), ["watched", "1.50", "MB/s"]),
    ],
)
def test_a_row_shows_the_raw_cost_the_ratio_and_whether_the_goal_is_met(row: rows.Row, cells: list[str]) -> None:
    head, line = rows.table([row]).splitlines()
    assert head.split() == ["name", "figure", "unit", "raw", "ratio", "goal", "ok", "raw", "is"]
    assert line.split() == cells
