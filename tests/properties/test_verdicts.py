"""What every verdict stands on: differences, reasons, both directions, and no value of a Secret anywhere."""

import base64
from typing import Any

import msgspec
import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from syncline.apimachinery.keys import Object
from syncline.core.compare.compare import Context, compare_object
from syncline.core.compare.context import for_app
from syncline.core.compare.ignore import suggest as ignore_rule
from syncline.core.compare.masks import Masks
from syncline.core.compare.sides import sides_of
from syncline.model import names
from syncline.model.codec import encode
from syncline.model.comparison import CompareStrategy, Verdict
from syncline.model.settings.settings import Compat, Settings
from tests.support.generated import OBJECTS
from tests.support.objects import NOW, as_applied, compared, context, node_for, obj, prepared, typed_application

COMPATS = st.sampled_from(list(Compat))


def both(one: Object, other: Object) -> tuple[Object, Object]:
    """Return two objects with one identity."""
    same = {"name": one["metadata"]["name"], "namespace": "shop"}
    return one, {**other, "metadata": {**other["metadata"], **same}}


def live_of(wanted: Object) -> Object:
    return as_applied(prepared(wanted).objects[0].obj)


@st.composite
def pairs(draw: Any) -> tuple[Object, Object]:
    """Draw two objects of one kind, often different."""
    one = draw(OBJECTS)
    other = draw(OBJECTS.filter(lambda value: value["kind"] == one["kind"])) if draw(st.booleans()) else one
    return both(one, other)


@given(pairs(), COMPATS)
def test_no_differences_is_synced_and_the_other_way_round(given: tuple[Object, Object], compat: Compat) -> None:
    wanted, present = given
    chosen = Settings(compat=compat)
    (row,) = compared(prepared(wanted, settings=chosen), live_of(present), in_context=context(settings=chosen)).rows
    assert (row.verdict is Verdict.SYNCED) is (row.differences == ())
    assert row.verdict in (Verdict.SYNCED, Verdict.OUT_OF_SYNC)
    assert row.reasons
    assert all(difference.path and difference.cause for difference in row.differences)


@given(pairs())
def test_what_differs_in_one_direction_differs_in_the_other_with_the_values_swapped(
    given: tuple[Object, Object],
) -> None:
    """Both were applied by us, so a field that only one side has is ours to remove or to add."""
    one, other = given
    there = compare_object(prepared(one).objects[0], live_of(other), context()).differences
    back = compare_object(prepared(other).objects[0], live_of(one), context()).differences
    assert {item.path for item in there} == {item.path for item in back}
    swapped = {item.path: (item.live, item.desired) for item in back}
    for item in there:
        # A zero value that Git says is shown as Git says it, although the other way round it is just absent.
        if msgspec.UNSET not in (item.desired, item.live, *swapped[item.path]):
            assert (item.desired, item.live) == swapped[item.path]


CANARIES = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=10, max_size=24)
SENSITIVE = "example.com/token"
POSITIONS = ("data", "stringData", "annotation", "last-applied data", "last-applied stringData", "unknown", "nested")


def secret_with(canaries: dict[str, str]) -> Object:
    """Return a Secret with a secret text at each of the named positions."""

    def coded(text: str) -> str:
        return base64.b64encode(text.encode()).decode()

    found: Object = obj("Secret", "keys", annotations={})
    annotations = found["metadata"]["annotations"]
    applied: Object = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "keys", "namespace": "shop"}}
    for position, text in canaries.items():
        match position:
            case "data":
                found["data"] = {**found.get("data", {}), "key": coded(text)}
            case "stringData":
                found["stringData"] = {"plain": text}
            case "annotation":
                annotations[SENSITIVE] = text
            case "last-applied data":
                applied["data"] = {"key": coded(text), "gone": coded(text)}
            case "last-applied stringData":
                applied["stringData"] = {"plain": text}
            case "unknown":
                found["password"] = text
            case "nested":
                found["data"] = {**found.get("data", {}), "nested": {"deep": [coded(text), text]}}
    if any(position.startswith("last-applied") for position in canaries):
        annotations[names.LAST_APPLIED] = orjson.dumps(applied).decode()
    return found


def everything_told(wanted: Object, live: Object, given: Context) -> str:
    """Return all that comparing could show about a pair: row, rule, and both sides masked."""
    item = prepared(wanted, settings=given.settings).objects[0]
    comparison = compared(prepared(wanted, settings=given.settings), live, in_context=given)
    (row,) = comparison.rows
    told = [encode(comparison).decode(), repr(comparison)]
    told.append(repr(ignore_rule.rule_for_all(item, live, row.differences, given)))
    if row.verdict is not Verdict.UNKNOWN:
        sides, masks = sides_of(item.obj, live, given), Masks()
        told += [repr(masks.masked(side, given.settings.masked_annotations)) for side in (sides.before, sides.after)]
    return "\n".join(told)


PLACED = st.dictionaries(st.sampled_from(POSITIONS), CANARIES, max_size=4)
RULES = [{"kind": "Secret", "jsonPointers": ["/data/key"], "jqPathExpressions": [".data.plain", ".data[].deep.er"]}]


@settings(max_examples=150)
@given(PLACED, PLACED, COMPATS, st.sampled_from([None, *CompareStrategy]), st.booleans())
def test_no_secret_text_is_told_wherever_it_stands(
    wanted: dict[str, str], present: dict[str, str], compat: Compat, strategy: CompareStrategy | None, ruled: bool
) -> None:
    chosen = Settings(compat=compat, masked_annotations=(SENSITIVE,))
    app = typed_application(ignoreDifferences=RULES if ruled else [])
    desired, live = secret_with(wanted), secret_with(present)
    given = msgspec.structs.replace(for_app(app, chosen, node_for, NOW), explain=True, strategy=strategy)
    if strategy is CompareStrategy.SERVER_SIDE:
        given = msgspec.structs.replace(given, predicted={prepared(desired).objects[0].key: secret_with(wanted)})
    text = everything_told(desired, live, given)
    for canary in (*wanted.values(), *present.values()):
        assert canary not in text
        assert base64.b64encode(canary.encode()).decode() not in text
