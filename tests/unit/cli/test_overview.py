"""Many Applications on one screen: counts, then those that are not well, failing ones first, until it is full."""

from typing import Any

import click
import pytest

from syncline.cli.show import terminal
from syncline.cli.show.columns import cells
from syncline.cli.show.overview import overview

AUTOMATED: dict[str, Any] = {"syncPolicy": {"automated": {}}}


def app(name: str, sync: str = "", health: str = "", spec: Any = AUTOMATED, **status: Any) -> dict[str, Any]:
    if sync:
        status |= {"sync": {"status": sync}, "health": {"status": health}}
    return {"metadata": {"name": name, "namespace": "argocd"}, "spec": spec, "status": status}


def shown(apps: list[dict[str, Any]], heard: dict[str, str] | None = None, columns: int = 79, rows: int = 22) -> str:
    lines = overview(apps, heard or {}, columns=columns, rows=rows)
    return "\n".join(click.unstyle(terminal.coloured(line)).rstrip() for line in lines)


def test_when_all_are_well_there_is_one_line() -> None:
    apps = [app(f"app-{number}", "Synced", "Healthy") for number in range(44)]
    assert shown(apps) == "44 of 44 Synced and Healthy, 0 waiting, 0 failing"


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (app("a"), "waiting for its first comparison"),
        (app("a", "OutOfSync", "Missing", {}), "waiting for a manual sync"),
        (app("a", "OutOfSync", "Missing", operationState={"phase": "Running"}), "waiting for Job/migrate"),
        (
            app("a", "Synced", "Progressing", resources=[
                {"kind": "Service", "name": "s", "health": {"status": "Healthy"}},
                {"kind": "Deployment", "name": "w", "health": {"status": "Progressing", "message": "1 of 2 updated"}},
            ]),
            "Deployment/w: 1 of 2 updated",
        ),
    ],
)  # fmt: skip
def test_one_that_waits_says_for_what(one: dict[str, Any], words: str) -> None:
    lines = shown([one], {"argocd/a": "waiting for Job/migrate"}).splitlines()
    assert lines[0] == "0 of 1 Synced and Healthy, 1 waiting, 0 failing"
    assert lines[1].endswith(f"  {words}")


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (app("a", "Unknown", "Healthy", conditions=[{"type": "ComparisonError", "message": "no such path"}]),
         "no such path"),
        (app("a", "OutOfSync", "Missing", operationState={"phase": "Failed", "message": "refused"}), "refused"),
        (app("a", "Synced", "Degraded"), "degraded"),
    ],
)  # fmt: skip
def test_one_that_fails_says_why(one: dict[str, Any], words: str) -> None:
    lines = shown([one]).splitlines()
    assert lines[0] == "0 of 1 Synced and Healthy, 0 waiting, 1 failing"
    assert lines[1].endswith(f"  {words}")


def test_failing_ones_come_first_and_the_rest_is_counted_where_the_screen_ends() -> None:
    apps = [app(f"waits-{number}", "OutOfSync", "Missing") for number in range(9)] + [app("zoo", "Synced", "Degraded")]
    lines = shown(apps, rows=5).splitlines()
    assert [line.split()[0] for line in lines] == ["0", "zoo", "waits-0", "waits-1", "…"]
    assert lines[-1] == "… and 7 more"


@pytest.mark.parametrize("columns", [20, 40, 79])
def test_no_line_is_wider_than_the_terminal(columns: int) -> None:
    said = {"type": "SyncError", "message": "日本語 and \x1b[2J many words\nin lines " * 9}
    text = shown([app("a-very-long-name-of-an-application", "Unknown", "Unknown", conditions=[said])], columns=columns)
    assert max(map(cells, text.splitlines())) <= columns
    assert "\x1b" not in text
