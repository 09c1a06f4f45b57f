"""Text that is cut and wrapped to the width of a terminal."""

import pytest

from syncline.cli.show.columns import cells, cut, hanging


@pytest.mark.parametrize(("text", "width"), [("plain", 5), ("✔ ok", 4), ("日本語", 6), ("e\u0301", 1)])
def test_width_is_counted_as_terminals_do(text: str, width: int) -> None:
    assert cells(text) == width


@pytest.mark.parametrize(
    ("text", "columns", "shown"), [("short", 5, "short"), ("too long", 5, "too …"), ("日本語", 5, "日本…")]
)
def test_what_is_too_wide_ends_in_dots(text: str, columns: int, shown: str) -> None:
    assert cut(text, columns) == shown


def test_lines_after_the_first_hang_below_it_and_long_words_stay_whole() -> None:
    address = "https://example.invalid/a/long/path"
    assert hanging(f"a b c d e f g h i j k l m n {address}", 30, 4) == (
        f"a b c d e f g h i j k l m\n    n\n    {address}"
    )


@pytest.mark.parametrize("columns", [None, 10])
def test_nothing_is_wrapped_in_a_pipe_or_where_there_is_no_room(columns: int | None) -> None:
    assert hanging("one two three four five six", columns, 4) == "one two three four five six"
