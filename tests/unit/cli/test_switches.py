"""Switches as `argocd` takes them: with a value, true or false."""

from __future__ import annotations

import click
import pytest

from syncline.cli.lazy import with_plain_switches


@click.command()
@click.option("--prune", is_flag=True)
@click.option("--cascade/--no-cascade", default=True)
@click.option("--name")
@click.option("--local", is_flag=False, flag_value=".")
@click.option("-v", "--verbose", count=True)
def command() -> None:
    """Do nothing."""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["--prune=true"], ["--prune"]),
        (["--prune=True", "x"], ["--prune", "x"]),
        (["--prune=false", "x"], ["x"]),
        (["--cascade=false"], ["--no-cascade"]),
        (["--cascade=0"], ["--no-cascade"]),
        (["--cascade=1"], ["--cascade"]),
        (["--name=true"], ["--name=true"]),
        (["--local=true"], ["--local=true"]),
        (["--other=true"], ["--other=true"]),
        (["--", "--prune=true"], ["--", "--prune=true"]),
    ],
)
def test_a_switch_with_a_value_is_said_plainly(given: list[str], expected: list[str]) -> None:
    assert with_plain_switches(command, given) == expected


def test_another_value_is_refused() -> None:
    with pytest.raises(click.UsageError, match="--prune=maybe: a switch is true or false"):
        with_plain_switches(command, ["--prune=maybe"])
