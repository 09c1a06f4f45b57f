"""Secret values appear nowhere: not in differences, sides, notes or errors, whichever way is compared."""

import base64
import json
from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import Object
from syncline.core.compare.compare import compare_object
from syncline.core.compare.ignore.rules import IgnoreRule, IgnoreRules
from syncline.core.compare.masks import Masks, is_sensitive
from syncline.model import names
from syncline.model.codec import encode
from syncline.model.comparison import ComparedObject, CompareStrategy
from syncline.model.settings.resources import IgnoredFields
from syncline.model.settings.settings import Compat, Settings
from tests.support.objects import as_applied, config_map, context, edited, obj, prepared, secret

PLAIN = "hunter2-is-my-password"
CODED = base64.b64encode(PLAIN.encode()).decode()
OTHER = base64.b64encode(b"another").decode()
SENSITIVE = "openshift.io/token-secret.value"


def applied(value: Object) -> Object:
    return as_applied(prepared(value).objects[0].obj)


def client_side(value: Object) -> Object:
    wanted = prepared(value).objects[0].obj
    annotations = {**wanted["metadata"]["annotations"], names.LAST_APPLIED: json.dumps(wanted)}
    return as_applied({**wanted, "metadata": {**wanted["metadata"], "annotations": annotations}})


def rows(wanted: Object, live: Object) -> list[ComparedObject]:
    """Return the rows of all strategies, explained."""
    found = []
    for compat in Compat:
        settings = Settings(compat=compat, masked_annotations=(SENSITIVE,))
        item = prepared(wanted, settings=settings).objects[0]
        given = msgspec.structs.replace(context(settings=settings), explain=True)
        found.append(compare_object(item, live, given))
        for options in ((), ("IncludeMutationWebhook=true",)):
            answer = {**item.obj, "metadata": live["metadata"]}
            asked = msgspec.structs.replace(
                given, predicted={item.key: answer}, strategy=CompareStrategy.SERVER_SIDE, compare_options=options
            )
            found.append(compare_object(item, live, asked))
    return found


TWO_MANAGERS = edited(applied(secret(data={"a": OTHER})), {**applied(secret(data={"a": OTHER})), "data": {"a": CODED}})


@pytest.mark.parametrize(
    ("wanted", "live"),
    [
        pytest.param(secret(data={"a": CODED}), applied(secret(data={"a": OTHER})), id="desired"),
        pytest.param(secret(data={"a": OTHER}), applied(secret(data={"a": CODED})), id="live"),
        pytest.param(secret(data={"a": CODED}), applied(secret(data={"a": CODED})), id="desired equals live"),
        pytest.param(secret(stringData={"a": PLAIN}), applied(secret(data={"a": OTHER})), id="stringData"),
        pytest.param(secret(data={"a": PLAIN}), applied(secret(data={"a": OTHER})), id="not base64"),
        pytest.param(secret(data={"b": OTHER}), client_side(secret(data={"a": CODED})), id="last-applied"),
        pytest.param(secret(data={"a": OTHER}), TWO_MANAGERS, id="two managers"),
        pytest.param(
            secret(data={}, annotations={SENSITIVE: PLAIN}), applied(secret(data={}, annotations={SENSITIVE: "x"})),
            id="sensitive annotation"),
        pytest.param(
            secret(data={}, annotations={SENSITIVE: "x"}), applied(secret(data={}, annotations={SENSITIVE: PLAIN})),
            id="sensitive annotation live"),
        pytest.param(
            config_map("keys", data={"a": "1"}), {**applied(secret(data={"a": CODED})), "kind": "Secret"},
            id="the caller calls it a ConfigMap"),
        pytest.param(obj("Secret", "keys", data=[PLAIN]), applied(secret(data={"a": CODED})), id="wrong type"),
        pytest.param(obj("Secret", "keys", unknown=PLAIN), applied(secret(data={"a": CODED})), id="unknown field"),
    ],
)  # fmt: skip
def test_no_strategy_shows_a_value_of_a_secret(wanted: Object, live: Object) -> None:
    for row in rows(wanted, live):
        text = encode(row).decode() + repr(row)
        assert PLAIN not in text
        assert CODED not in text


def test_a_failing_rule_tells_no_value() -> None:
    fields = IgnoredFields(jq_path_expressions=(".data.a.deeper", ".data[] | .deeper"))
    given = msgspec.structs.replace(context(), rules=IgnoreRules((IgnoreRule(kind="Secret", fields=fields),)))
    row = compare_object(prepared(secret(data={"a": CODED})).objects[0], applied(secret(data={"a": OTHER})), given)
    assert row.message
    assert CODED not in row.message


def test_equal_values_have_equal_masks_on_both_sides_and_other_values_other_masks() -> None:
    masks = Masks()
    before = masks.masked(secret(data={"a": CODED, "b": OTHER}))
    after = masks.masked(secret(data={"a": CODED, "b": CODED, "c": "x"}))
    assert before["data"] == {"a": "+" * 8, "b": "+" * 12}
    assert after["data"] == {"a": "+" * 8, "b": "+" * 8, "c": "+" * 16}


@pytest.mark.parametrize(
    ("wanted", "live"),
    [
        ({"data": {"a": CODED}, "annotations": {"note": f"it is {PLAIN}!"}}, {"data": {"a": CODED}}),
        ({"data": {"a": CODED}, "annotations": {"note": CODED}}, {"data": {"a": OTHER}}),
        ({"data": {"a": OTHER}, "annotations": {"note": "new"}},
         {"data": {"a": CODED}, "annotations": {"note": PLAIN}}),
        ({"data": {"a": CODED}, "labels": {"note": PLAIN}}, {"data": {"a": CODED}}),
    ],
)  # fmt: skip
def test_a_value_that_an_annotation_or_label_repeats_is_not_shown_there_either(
    wanted: dict[str, Any], live: dict[str, Any]
) -> None:
    found = rows(secret(**wanted), applied(secret(**live)))
    assert any(row.differences for row in found)
    for row in found:
        text = encode(row).decode() + repr(row)
        assert PLAIN not in text
        assert CODED not in text


def test_masks_made_of_the_same_objects_agree_and_texts_that_repeat_no_value_are_shown() -> None:
    before, after = secret(data={"a": CODED}), secret(data={"b": OTHER}, annotations={"note": "x"})
    first, second = Masks(before, after), Masks(before, after)
    assert second.masked(after) == first.masked(after) == {
        **after, "data": {"b": "+" * 12}
    }  # fmt: skip
    assert first.mask(OTHER) == "+" * 12


@pytest.mark.parametrize(
    ("path", "sensitive"),
    [
        ((), True),
        (("data",), True),
        (("data", "a"), True),
        (("stringData", "a"), True),
        (("anything",), True),
        (("metadata",), True),
        (("metadata", "labels", "a"), False),
        (("metadata", "annotations"), True),
        (("metadata", "annotations", names.LAST_APPLIED), True),
        (("metadata", "annotations", SENSITIVE), True),
        (("metadata", "annotations", "other"), False),
        (("type",), False),
        (("immutable",), False),
    ],
)
def test_what_is_not_known_to_be_harmless_is_masked(path: tuple[Any, ...], sensitive: bool) -> None:
    assert is_sensitive(path, (SENSITIVE,)) is sensitive
