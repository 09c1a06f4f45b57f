"""Lines that are replaced in place, as a terminal shows them."""

import os
import shutil

import pytest

from syncline.cli.show import terminal
from tests.support.screen import Screen


def shown(capsys: pytest.CaptureFixture[str], columns: int = 40) -> str:
    screen = Screen(columns, 24)
    screen.write(capsys.readouterr().out)
    return screen.text


def test_lines_replace_those_before_them(capsys: pytest.CaptureFixture[str]) -> None:
    region = terminal.Region()
    region.draw(["1 of 3", "a waits", "b waits"])
    region.draw(["2 of 3", terminal.style("b waits", "yellow")])
    region.draw(["3 of 3"])
    assert shown(capsys) == "3 of 3"


def test_what_is_printed_after_clearing_stands_above_what_is_drawn_next(capsys: pytest.CaptureFixture[str]) -> None:
    region = terminal.Region()
    region.draw(["1 of 3", "a waits"])
    region.clear()
    terminal.echo("a failed")
    region.draw(["0 of 3"])
    assert shown(capsys) == "a failed\n0 of 3"


def test_lines_that_a_narrower_terminal_wrapped_are_replaced_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((10, 24)))
    region = terminal.Region()
    region.draw(["a line of 23 characters", "short"])
    region.draw(["new"])
    assert shown(capsys, columns=10) == "new"


def test_foreign_control_characters_are_shown_not_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.Region().draw(["\x1b[5A\rover"])
    assert capsys.readouterr().out == "\\x1b[5A\\x0dover\n"
