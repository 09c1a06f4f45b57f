"""Label selectors: both written forms, matching, printing, and Kubernetes' words for bad ones."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncline.apimachinery.selectors import InvalidSelector, LabelSelector

LABELS = {"app": "web", "tier": "front", "size": "5", "empty": ""}


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("", True),
        ("app=web", True),
        ("app==web", True),
        ("app=db", False),
        ("app!=web", False),
        ("absent!=web", True),
        ("app in (db, web)", True),
        ("app in (db)", False),
        ("absent in (web)", False),
        ("app notin (db)", True),
        ("absent notin (web)", True),
        ("app", True),
        ("absent", False),
        ("!app", False),
        ("!absent", True),
        ("size>4", True),
        ("size>5", False),
        ("size<6", True),
        ("app>1", False),
        ("absent<1", False),
        ("empty=", True),
        ("empty in ()", True),
        ("app=web,tier=front,!absent", True),
        ("app=web,tier=back", False),
    ],
)
def test_the_string_form_matches(text: str, matches: bool) -> None:
    assert LabelSelector.parse(text).matches(LABELS) is matches


@pytest.mark.parametrize(
    ("selector", "matches", "printed"),
    [
        (None, False, ""),
        ({}, True, ""),
        ({"matchLabels": {"tier": "front", "app": "web"}}, True, "app=web,tier=front"),
        ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "db"]}]}, True, "app in (db,web)"),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}, False, "app notin (web)"),
        ({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, True, "app"),
        ({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}, False, "!app"),
    ],
)
def test_the_object_form_matches(selector: dict[str, Any] | None, matches: bool, printed: str) -> None:
    parsed = LabelSelector.from_object(selector)
    assert (parsed.matches(LABELS), str(parsed)) == (matches, printed)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("b=2 , a = 1", "a=1,b=2"),
        ("x in (b,a,,a)", "x in (,a,b)"),
        ("in in (in,notin)", "in in (in,notin)"),
        ("a==b", "a==b"),
        ("a>1,b<2", "a>1,b<2"),
        ("x.io/a,!x.io/b", "x.io/a,!x.io/b"),
    ],
)
def test_a_selector_prints_sorted(text: str, printed: str) -> None:
    assert str(LabelSelector.parse(text)) == printed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("=a", "found '=', expected: !, identifier, or 'end of string'"),
        ("a,", "found '', expected: identifier after ','"),
        ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("a=b c", "found 'c', expected: ',' or 'end of string'"),
        ("a in b", "unable to parse requirement: found 'b' expected: '('"),
        ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("a in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier"),
        ("a=(", "unable to parse requirement: found '(', expected: identifier"),
        ("!", "unable to parse requirement: found '', expected: identifier"),
        ("!a=b", "found '=', expected: ',' or 'end of string'"),
        (
            "a>x",
            (
                'unable to parse requirement: values[0]: Invalid value: "x": '
                "for 'Gt', 'Lt' operators, the value must be an integer"
            ),
        ),
    ],
)
def test_a_bad_selector_is_refused_in_kubernetes_words(text: str, message: str) -> None:
    with pytest.raises(InvalidSelector) as caught:
        LabelSelector.parse(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("-a=b", 'unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of'),
        ("a=b@", 'unable to parse requirement: values[0][a]: Invalid value: "b@": a valid label must be an empty'),
    ],
)
def test_bad_keys_and_values_are_named(text: str, start: str) -> None:
    with pytest.raises(InvalidSelector) as caught:
        LabelSelector.parse(text)
    assert str(caught.value).startswith(start)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ({"key": "a", "operator": "Near"}, '"Near" is not a valid label selector operator'),
        (
            {"key": "a", "operator": "In", "values": []},
            "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
        ),
        (
            {"key": "a", "operator": "Exists", "values": ["x"]},
            'values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
        ),
    ],
)
def test_a_bad_expression_is_refused(expression: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidSelector) as caught:
        LabelSelector.from_object({"matchExpressions": [expression]})
    assert str(caught.value) == message


words = st.from_regex(r"[a-z]([a-z0-9]{0,3}[a-z])?", fullmatch=True)
expressions = st.one_of(
    st.builds(lambda key, value: f"{key}={value}", words, words),
    st.builds(lambda key, values: f"{key} in ({','.join(values)})", words, st.lists(words, min_size=1, max_size=3)),
    st.builds(lambda key, values: f"{key} notin ({','.join(values)})", words, st.lists(words, min_size=1, max_size=3)),
    words,
    st.builds(lambda key: f"!{key}", words),
)


@settings(deadline=None)
@given(st.lists(expressions, max_size=4).map(",".join))
def test_what_is_printed_parses_to_the_same_selector(text: str) -> None:
    selector = LabelSelector.parse(text)
    assert LabelSelector.parse(str(selector)) == selector
