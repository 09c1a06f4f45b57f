"""What reaches a terminal: words, never commands to it."""

import io

import click
import pytest
from click.testing import CliRunner

from syncline.apimachinery.printable import printable
from syncline.cli.show import terminal


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words, umläute, 日本語, ✔", "plain words, umläute, 日本語, ✔"),
        ("a\tb\nc", "a\tb\nc"),
        ("\x1b]0;owned\x07title", "\\x1b]0;owned\\x07title"),
        ("\x1b[2J\x1b[1;1Hgone", "\\x1b[2J\\x1b[1;1Hgone"),
        ("\x9b31mred by C1", "\\x9b31mred by C1"),
        ("over\rwritten", "over\\x0dwritten"),
        ("back\x08space\x7f", "back\\x08space\\x7f"),
        ("invoice\u202efdp.exe", "invoice\\u202efdp.exe"),
        ("isolate\u2066x\u2069", "isolate\\u2066x\\u2069"),
        ("tag\U000e0041", "tag\\U000e0041"),
    ],
)
def test_what_a_terminal_would_obey_is_shown_instead(text: str, shown: str) -> None:
    assert printable(text) == shown


def _printed(monkeypatch: pytest.MonkeyPatch, text: str, *, colour: bool) -> str:
    out = io.StringIO()
    monkeypatch.setattr(click.utils, "_default_text_stdout", lambda: out)
    monkeypatch.setattr(click.utils, "should_strip_ansi", lambda *_: not colour)
    terminal.echo(text)
    return out.getvalue()


def test_our_own_colours_are_kept_and_foreign_sequences_inside_them_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{terminal.style('✖ bad' + chr(27) + '[8m', 'red')} rest \x1b[32mgreen"
    assert _printed(monkeypatch, text, colour=True) == "\x1b[31m✖ bad\\x1b[8m\x1b[0m rest \\x1b[32mgreen\n"


def test_without_colours_no_escape_is_printed_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _printed(monkeypatch, terminal.style("✔", "green") + " fine", colour=False) == "✔ fine\n"


def test_data_for_programs_is_exact() -> None:
    @click.command()
    def command() -> None:
        terminal.echo_data('{"a": "x\u202ey"}')

    assert CliRunner().invoke(command).output == '{"a": "x\u202ey"}\n'
