"""Whatever somebody writes as a condition: it has a value, or a sentence says why not."""

import contextlib
import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from syncline.core.expr import ExprError, evaluate, parse
from syncline.core.notify.variables import variables
from syncline.model.notifications import NotificationSettings
from tests.support.expressions import APP, DO_NOT_HOLD, FAIL, HOLD

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
GIVEN = variables(NotificationSettings(), NOW, objects={"app": APP}, commits={})
WORDS = sorted({word for text in (*HOLD, *DO_NOT_HOLD, *FAIL) for word in text.replace(".", " . ").split()})
PIECES = st.sampled_from([*WORDS, "(", ")", "[", "]", "{", "}", "#", ".", "?.", "..", ":", ",", "0", "-", "nil", "''"])


def look(text: str) -> None:
    """Evaluate a text; nothing but an `ExprError` may come out of it."""
    with contextlib.suppress(ExprError):
        evaluate(parse(text), GIVEN)


@given(st.one_of(st.lists(PIECES, max_size=12).map(" ".join), st.text(max_size=30)))
def test_an_expression_has_a_value_or_a_sentence(text: str) -> None:
    look(text)


@given(st.sampled_from(HOLD), st.integers(0, 200), st.sampled_from(["", "nil", "'x'", "1", "[1, 'a']", "{}", "app"]))
def test_a_condition_with_a_word_replaced_has_a_value_or_a_sentence(text: str, at: int, word: str) -> None:
    words = text.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split()
    words[at % len(words)] = word
    look(" ".join(words))
