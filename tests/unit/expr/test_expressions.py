"""Conditions hold, do not hold, fail or are refused, as Argo CD's evaluator says (`tests/argocd` compares them)."""

import datetime as dt

import pytest

from syncline.core.expr import ExprError, InvalidExpr, NothingThere, evaluate, parse
from syncline.core.expr.limits import MOST_STEPS
from syncline.core.notify.variables import variables
from syncline.model.notifications import NotificationSettings
from tests.support.expressions import APP, DO_NOT_HOLD, FAIL, HOLD, INVALID

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def value(text: str) -> object:
    given = variables(NotificationSettings(), NOW, objects={"app": APP}, commits={})
    return evaluate(parse(text or "false"), given)


@pytest.mark.parametrize("text", HOLD)
def test_a_condition_holds(text: str) -> None:
    assert value(text) is True


@pytest.mark.parametrize("text", DO_NOT_HOLD)
def test_a_condition_does_not_hold(text: str) -> None:
    assert value(text) is not True


@pytest.mark.parametrize("text", FAIL)
def test_a_condition_fails(text: str) -> None:
    with pytest.raises(ExprError):
        value(text)


@pytest.mark.parametrize("text", INVALID)
def test_a_text_is_refused(text: str) -> None:
    with pytest.raises(ExprError):
        value(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("app.status. == 1", "unexpected '==' at character 13, expected the name of a field"),
        ("(true", "unexpected the end at character 6, expected ')'"),
        ("app & true", "unexpected '&' at character 5"),
        ("'a' matches '('", "the pattern '(' is not a regular expression"),
    ],
)
def test_an_error_says_where(text: str, words: str) -> None:
    with pytest.raises(InvalidExpr) as refused:
        value(text)
    assert words in str(refused.value)


@pytest.mark.parametrize("text", ["first(app)", "last(app.metadata)", "keys(1)", "sort([1, 'a'])"])
def test_a_function_that_is_given_something_else_is_named(text: str) -> None:
    with pytest.raises(ExprError, match=text.partition("(")[0]):
        value(text)


def test_what_is_not_there_yet_is_told_from_mistakes() -> None:
    with pytest.raises(NothingThere):
        value("app.status.nothing.there == 'x'")
    with pytest.raises(ExprError) as mistake:
        value("app.metadata.name + 1")
    assert not isinstance(mistake.value, NothingThere)


@pytest.mark.parametrize(
    "text",
    [
        "len(1..1000000000) > 0",
        "len(map(1..90000, map(1..90000, #))) > 0",
        f"all(1..{MOST_STEPS}, true)",
        "repeat('x', 100000000) == ''",
        "reduce(1..60, #acc + #acc, 'xxxxxxxxxxxxxxxx') == ''",
        "(" * 5000 + "1" + ")" * 5000,
        "!" * 5000 + "true",
        "1" + "+1" * 40000,
        "a" * 70000,
        "9" * 5000 + " ** 9999 > 1",
    ],
)
def test_work_is_bounded(text: str) -> None:
    with pytest.raises(ExprError):
        value(text)
