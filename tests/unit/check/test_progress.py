"""How far a check is: said on terminals, once it takes its time, and gone when it is done."""

from __future__ import annotations

import io
import sys

import pytest

from syncline.cli.checking import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def shown_on(screen: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    # In the test itself: before it, pytest puts its own in place.
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


def test_a_quick_check_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = shown_on(Terminal(), monkeypatch)
    clock = Clock()
    progress = Progress(clock)
    clock.now += 0.5
    progress.told(1, 2, "argocd/web")
    progress.end()
    assert terminal.getvalue() == ""


def test_a_long_check_says_how_many_are_rendered_and_takes_the_line_away(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = shown_on(Terminal(), monkeypatch)
    clock = Clock()
    progress = Progress(clock)
    clock.now += 5
    progress.told(3, 40, "argocd/web")
    shown = terminal.getvalue()
    assert "rendered 3 of 40" in shown
    assert "argocd/web" in shown
    progress.end()
    last = terminal.getvalue()[len(shown) :]
    assert last.strip("\r ") == ""
    assert last.endswith("\r")


def test_a_file_gets_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    file = shown_on(io.StringIO(), monkeypatch)
    clock = Clock()
    progress = Progress(clock)
    clock.now += 5
    progress.told(3, 40, "argocd/web")
    progress.end()
    assert file.getvalue() == ""
