"""The server's answer to a dry run: whose doing its differences are."""

import msgspec
import pytest

from syncline.apimachinery import merge
from syncline.apimachinery.keys import Object, gvk_of
from syncline.core.compare.compare import Context, compare_object
from syncline.core.compare.context import DryRunRefused
from syncline.model.comparison import ComparedObject, CompareStrategy, DifferenceCause, Verdict
from tests.support.objects import APPLIER, NOW, as_applied, config_map, context, deployment, node_for, prepared


def applied(value: Object) -> Object:
    return as_applied(prepared(value).objects[0].obj)


def answer(value: Object, live: Object) -> Object:
    """Return what a server without webhooks says."""
    wanted = prepared(value).objects[0].obj
    return merge.apply(live, wanted, manager=APPLIER, node=node_for(gvk_of(live)), force=True, now=NOW).obj


def row_of(value: Object, live: Object, predicted: Object | DryRunRefused, *options: str) -> ComparedObject:
    item = prepared(value).objects[0]
    given: Context = msgspec.structs.replace(
        context(), predicted={item.key: predicted}, strategy=CompareStrategy.SERVER_SIDE, compare_options=options
    )
    return compare_object(item, live, given)


def with_data(value: Object, **data: str) -> Object:
    return {**value, "data": {**value["data"], **data}}


LIVE = applied(config_map(data={"a": "1", "b": "2"}))


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ({"a": "1", "b": "2"}, []),
        ({"a": "9", "b": "2"}, [("data.a", DifferenceCause.GIT)]),
        ({"a": "1"}, [("data.b", DifferenceCause.REMOVED)]),
        ({"a": "1", "b": "2", "c": "3"}, [("data.c", DifferenceCause.GIT)]),
    ],
)
def test_what_the_answer_changes_of_our_fields_is_a_difference(
    data: dict[str, str], found: list[tuple[str, DifferenceCause]]
) -> None:
    row = row_of(config_map(data=data), LIVE, answer(config_map(data=data), LIVE))
    assert [(item.path, item.cause) for item in row.differences] == found


def test_fields_our_manager_does_not_own_take_the_value_of_live() -> None:
    wanted = config_map(data={"a": "1", "b": "2"})
    mutated = with_data(answer(wanted, LIVE), injected="by a webhook")
    assert row_of(wanted, LIVE, mutated).verdict is Verdict.SYNCED


def test_with_include_mutation_webhook_what_webhooks_write_counts() -> None:
    wanted = config_map(data={"a": "1", "b": "2"})
    mutated = with_data(answer(wanted, LIVE), injected="by a webhook")
    row = row_of(wanted, LIVE, mutated, "IncludeMutationWebhook=true")
    assert [item.path for item in row.differences] == ["data.injected"]


def test_what_a_webhook_takes_away_without_owning_it_stays() -> None:
    live = with_data(LIVE, foreign="x")
    mutated = answer(config_map(data={"a": "1", "b": "2"}), live)
    mutated = {**mutated, "data": {name: text for name, text in mutated["data"].items() if name != "foreign"}}
    assert row_of(config_map(data={"a": "1", "b": "2"}), live, mutated).verdict is Verdict.SYNCED


def test_keys_of_list_items_and_the_way_to_owned_fields_are_kept() -> None:
    live = applied(deployment())
    predicted = answer(deployment(image="shop/web:2"), live)
    pod = predicted["spec"]["template"]["spec"]
    containers = [{**pod["containers"][0], "tty": True}, {"name": "sidecar", "image": "mesh:1"}]
    template = {**predicted["spec"]["template"], "spec": {**pod, "containers": containers}}
    mutated = {**predicted, "spec": {**predicted["spec"], "template": template}}
    row = row_of(deployment(image="shop/web:2"), live, mutated)
    assert [(item.path, item.desired, item.live) for item in row.differences] == [
        ("spec.template.spec.containers[name=web].image", "shop/web:2", "shop/web:1")
    ]


def test_an_answer_that_does_not_say_who_owns_what_counts_as_a_whole() -> None:
    predicted = {**LIVE, "data": {"a": "1"}}
    predicted["metadata"] = {name: part for name, part in LIVE["metadata"].items() if name != "managedFields"}
    assert [item.path for item in row_of(config_map(), LIVE, predicted).differences] == ["data.b"]


def test_a_refused_dry_run_is_one_row_compared_locally_that_says_so() -> None:
    row = row_of(config_map(data={"a": "1", "b": "2"}), LIVE, DryRunRefused("admission webhook denied it"))
    assert row.verdict is Verdict.SYNCED
    assert row.choice is not None
    assert (row.choice.strategy, row.choice.wanted) == (CompareStrategy.STRUCTURED, CompareStrategy.SERVER_SIDE)
    assert "admission webhook denied it" in row.choice.reason


def test_resource_version_managed_fields_and_last_applied_of_the_answer_are_not_compared() -> None:
    wanted = config_map(data={"a": "1", "b": "2"})
    predicted = answer(wanted, LIVE)
    predicted = {**predicted, "metadata": {**predicted["metadata"], "resourceVersion": "99", "generation": 7}}
    assert row_of(wanted, LIVE, predicted).verdict is Verdict.SYNCED
