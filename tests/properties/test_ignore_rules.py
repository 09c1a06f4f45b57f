"""What holds of every ignore rule made from a difference, of every strategy, and of comparing nonsense."""

import copy
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from syncline.apimachinery.keys import Object
from syncline.core.compare.compare import compare_object
from syncline.core.compare.ignore.respect import desired_respecting_ignores
from syncline.core.compare.ignore.rules import rules_of
from syncline.core.compare.ignore.suggest import rule_for_all
from syncline.core.compare.masks import Masks
from syncline.model.comparison import CompareStrategy, DifferenceCause, Verdict
from syncline.model.settings.settings import Compat, Settings
from tests.properties.test_compare import put, texts
from tests.support.generated import OBJECTS, WORDS
from tests.support.objects import as_applied, context, deployment, edited, prepared, secret, typed_application

DRIFTING = OBJECTS.filter(lambda value: any(texts(value)))


@settings(max_examples=50, deadline=None)
@given(DRIFTING, st.data())
def test_a_rule_made_from_a_difference_silences_exactly_it(wanted: Object, data: st.DataObject) -> None:
    where = data.draw(st.lists(st.sampled_from(list(texts(wanted))), min_size=1, max_size=3, unique=True))
    item = prepared(wanted).objects[0]
    live = as_applied(item.obj)
    changed = copy.deepcopy(live)
    for path in where:
        put(changed, path, "somebody changed this")
    after = edited(live, changed)
    differences = compare_object(item, after, context()).differences
    chosen = data.draw(st.sampled_from(differences))
    proposal = rule_for_all(item, after, (chosen,), context())
    assert proposal.entry is not None
    assert proposal.proof is not None
    assert proposal.proof.holds, proposal
    assert set(proposal.proof.left) == {one.path for one in differences} - {chosen.path}
    together = rule_for_all(item, after, differences, context())
    assert together.proof is not None
    assert (together.proof.holds, together.proof.left) == (True, ())


@settings(max_examples=50, deadline=None)
@given(DRIFTING, st.data())
def test_what_is_applied_with_ignores_respected_changes_no_ignored_field_and_is_synced(
    wanted: Object, data: st.DataObject
) -> None:
    where = data.draw(st.sampled_from(list(texts(wanted))))
    item = prepared(wanted).objects[0]
    live = as_applied(item.obj)
    changed = copy.deepcopy(live)
    put(changed, where, "somebody changed this")
    after = edited(live, changed)
    differences = compare_object(item, after, context()).differences
    entry = rule_for_all(item, after, differences, context()).entry
    assert entry is not None
    app = typed_application(ignoreDifferences=[msgspec.to_builtins(entry)])
    given_rules = msgspec.structs.replace(context(), rules=rules_of(app, Settings()))
    respected = desired_respecting_ignores(item.obj, after, given_rules).obj
    again = prepared(respected).objects[0]
    assert compare_object(again, after, context()).verdict is Verdict.SYNCED


@given(OBJECTS)
def test_what_was_applied_is_synced_by_every_strategy(wanted: Object) -> None:
    item = prepared(wanted).objects[0]
    live = as_applied(item.obj)
    # Strategic merge has one key for ports and cannot tell two protocols of one number apart: Argo CD's own trouble.
    ambiguous = "{'containerPort': 80, 'protocol': 'UDP'}" in repr(wanted)
    argocd = context(settings=Settings(compat=Compat.SYNCLINE if ambiguous else Compat.ARGOCD))
    asked = msgspec.structs.replace(context(), predicted={item.key: live}, strategy=CompareStrategy.SERVER_SIDE)
    for given_context in (context(), argocd, asked):
        row = compare_object(item, live, given_context)
        assert (row.verdict, row.differences) == (Verdict.SYNCED, ())


@given(OBJECTS)
def test_what_is_only_explained_never_makes_an_object_out_of_sync(wanted: Object) -> None:
    item = prepared(wanted).objects[0]
    row = compare_object(item, as_applied(item.obj), msgspec.structs.replace(context(), explain=True))
    assert row.verdict is Verdict.SYNCED
    assert {one.cause for one in row.explained} <= {DifferenceCause.DEFAULTED, DifferenceCause.SPELLING}


JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=6,
)
PLACES = st.sampled_from(
    [("spec",), ("spec", "template"), ("spec", "template", "spec", "containers"), ("spec", "selector"), ("data",),
     ("metadata", "labels"), ("status",)]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([deployment(), secret(data={})]), PLACES, JUNK, st.sampled_from(Compat), st.booleans())
def test_nonsense_is_one_row_and_never_an_exception(
    wanted: Object, place: tuple[str, ...], junk: Any, compat: Compat, explain: bool
) -> None:
    live = as_applied(prepared(wanted).objects[0].obj)
    item = prepared(wanted).objects[0]
    broken = copy.deepcopy(item.obj)
    target = broken
    for step in place[:-1]:
        target = target.setdefault(step, {})
    target[place[-1]] = junk
    given_context = msgspec.structs.replace(context(settings=Settings(compat=compat)), explain=explain)
    row = compare_object(msgspec.structs.replace(item, obj=broken), live, given_context)
    assert row.reasons


SECRETS = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=6, max_size=20)


@given(st.dictionaries(WORDS, SECRETS, max_size=4), st.dictionaries(WORDS, SECRETS, max_size=4))
def test_masks_hold_no_value_and_say_which_values_are_equal(left: dict[str, str], right: dict[str, str]) -> None:
    masks = Masks()
    shown = [masks.masked(secret(data=data))["data"] for data in (left, right)]
    for value in (*left.values(), *right.values()):
        assert value not in repr(shown)
    for name in left.keys() & right.keys():
        assert (shown[0][name] == shown[1][name]) is (left[name] == right[name])


def turned(value: Any, chance: Any) -> Any:
    """Return a value with the fields of every map in another order."""
    if isinstance(value, dict):
        names = list(value)
        chance.shuffle(names)
        return {name: turned(value[name], chance) for name in names}
    return [turned(item, chance) for item in value] if isinstance(value, list) else value


@given(DRIFTING, st.data(), st.randoms(use_true_random=False))
def test_the_order_of_fields_never_matters(wanted: Object, data: st.DataObject, chance: Any) -> None:
    item = prepared(wanted).objects[0]
    live = as_applied(item.obj)
    changed = copy.deepcopy(live)
    put(changed, data.draw(st.sampled_from(list(texts(wanted)))), "somebody changed this")
    after = edited(live, changed)
    other = msgspec.structs.replace(item, obj=turned(item.obj, chance))
    assert compare_object(other, turned(after, chance), context()) == compare_object(item, after, context())
