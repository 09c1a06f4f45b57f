"""Field selectors: matching by path, escapes, and Kubernetes' words for bad ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncline.apimachinery.selectors import FieldSelector, FieldTerm, InvalidSelector

FIELDS = {"metadata.name": "web", "status.phase": "Running", "odd": "a,b=c\\"}


@pytest.mark.parametrize(
    ("text", "matches", "printed"),
    [
        ("", True, ""),
        ("metadata.name=web", True, "metadata.name=web"),
        ("metadata.name==web", True, "metadata.name=web"),
        ("metadata.name!=web", False, "metadata.name!=web"),
        ("absent=", True, "absent="),
        ("absent!=x", True, "absent!=x"),
        ("status.phase=Running,metadata.name=web", True, "metadata.name=web,status.phase=Running"),
        ("status.phase=Running,,metadata.name=db", False, "metadata.name=db,status.phase=Running"),
        (r"odd=a\,b\=c\\", True, r"odd=a\,b\=c\\"),
    ],
)
def test_a_field_selector_matches(text: str, matches: bool, printed: str) -> None:
    selector = FieldSelector.parse(text)
    assert (selector.matches(FIELDS), str(selector)) == (matches, printed)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
        ("a=b=c", "invalid field selector: unescaped character in value: 61"),
        (r"a=\x", r"invalid field selector: invalid escape sequence: \x"),
    ],
)
def test_a_bad_field_selector_is_refused_in_kubernetes_words(text: str, message: str) -> None:
    with pytest.raises(InvalidSelector) as caught:
        FieldSelector.parse(text)
    assert str(caught.value) == message


@settings(deadline=None)
@given(st.lists(st.text("ab,=\\", max_size=5), max_size=3), st.booleans())
def test_what_is_printed_parses_to_the_same_selector(values: list[str], negated: bool) -> None:
    terms = tuple(FieldTerm("spec.field", value, negated) for value in values)
    assert set(FieldSelector.parse(str(FieldSelector(terms))).terms) == set(terms)
