"""What annotations say."""

import pytest

from syncline.model import names


@pytest.mark.parametrize(
    ("text", "yes"),
    [(word, True) for word in ("1", "t", "T", "true", "TRUE", "True")]
    + [(word, False) for word in (None, "", "0", "f", "false", "yes", "on", "tRUE", " true")],
)
def test_an_annotation_says_yes_in_the_spellings_that_go_reads_so(text: str | None, yes: bool) -> None:
    assert names.is_true(text) is yes
