"""From drift to rule: the smallest entry that silences a difference and nothing else."""

import copy
from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.compare.compare import compare_object
from syncline.core.compare.ignore.suggest import Proposal, rule_for_all
from syncline.model import names
from syncline.model.comparison import Difference
from tests.support.objects import as_applied, config_map, context, deployment, edited, obj, prepared


def drifted(wanted: Object, change: Any, manager: str = "kubectl-edit") -> Object:
    live = as_applied(prepared(wanted).objects[0].obj)
    changed = copy.deepcopy(live)
    change(changed)
    return edited(live, changed, manager=manager)


def differences(wanted: Object, live: Object) -> tuple[Difference, ...]:
    return compare_object(prepared(wanted).objects[0], live, context()).differences


def proposed(wanted: Object, live: Object) -> Proposal:
    (difference,) = differences(wanted, live)
    return rule_for_all(prepared(wanted).objects[0], live, (difference,), context())


def pod(value: Object) -> dict[str, Any]:
    spec: dict[str, Any] = value["spec"]["template"]["spec"]
    return spec


def ports() -> Object:
    found = deployment()
    numbers = [(80, "TCP", "a"), (80, "UDP", "b"), (81, "TCP", "c")]
    pod(found)["containers"][0]["ports"] = [
        {"containerPort": number, "protocol": protocol, "name": name} for number, protocol, name in numbers
    ]
    return found


def rename_port(index: int) -> Any:
    return lambda value: pod(value)["containers"][0]["ports"][index].update(name="x")


WEB = '.spec.template.spec.containers[] | select(.name == "web")'


@pytest.mark.parametrize(
    ("wanted", "change", "pointers", "expressions"),
    [
        (deployment(), lambda value: value["spec"].update(replicas=5), ("/spec/replicas",), ()),
        (
            config_map(annotations={"a.b/c~d": "1"}),
            lambda value: value["metadata"]["annotations"].update({"a.b/c~d": "2"}),
            ("/metadata/annotations/a.b~1c~0d",),
            (),
        ),
        (deployment(), lambda value: pod(value)["containers"][0].update(image="x"), (), (f"{WEB} | .image",)),
        (ports(), rename_port(2), (), (f"{WEB} | .ports[] | select(.containerPort == 81) | .name",)),
        (
            ports(),
            rename_port(1),
            (),
            (f'{WEB} | .ports[] | select(.containerPort == 80 and .protocol == "UDP") | .name',),
        ),
        (
            obj("Widget", "one", api="example.com/v1", spec={"args": ["a", "b"]}),
            lambda value: value["spec"]["args"].__setitem__(1, "x"),
            ("/spec/args/1",),
            (),
        ),
        (
            config_map(finalizers=["example.com/a", "example.com/b"]),
            lambda value: value["metadata"]["finalizers"].remove("example.com/b"),
            (),
            ('.metadata.finalizers[] | select(. == "example.com/b")',),
        ),
    ],
)
def test_fields_are_named_by_pointer_and_list_items_by_as_few_keys_as_tell_them_apart(
    wanted: Object, change: Any, pointers: tuple[str, ...], expressions: tuple[str, ...]
) -> None:
    proposal = proposed(wanted, drifted(wanted, change))
    assert proposal.entry is not None
    assert proposal.proof is not None
    assert (proposal.entry.json_pointers, proposal.entry.jq_path_expressions) == (pointers, expressions)
    assert (proposal.entry.kind, proposal.entry.name) == (wanted["kind"], wanted["metadata"]["name"])
    assert proposal.proof.holds
    assert proposal.proof.shown


def test_other_differences_of_the_object_still_show() -> None:
    live = drifted(deployment(), lambda value: value["spec"].update(replicas=5))
    wanted = deployment(image="shop/web:2")
    found = differences(wanted, live)
    silenced = next(item for item in found if item.path == "spec.replicas")
    proposal = rule_for_all(prepared(wanted).objects[0], live, (silenced,), context())
    assert proposal.proof is not None
    assert proposal.proof.left == ("spec.template.spec.containers[name=web].image",)


def scale_and_rename(value: Object) -> None:
    value["spec"].update(replicas=5)
    pod(value)["containers"][0].update(image="x")


def test_one_foreign_manager_that_made_all_changes_is_the_rule() -> None:
    live = drifted(deployment(), scale_and_rename, manager="autoscaler")
    proposal = rule_for_all(prepared(deployment()).objects[0], live, differences(deployment(), live), context())
    assert proposal.entry is not None
    assert proposal.proof is not None
    assert proposal.entry.managed_fields_managers == ("autoscaler",)
    assert proposal.entry.json_pointers == proposal.entry.jq_path_expressions == ()
    assert proposal.proof.holds


def test_changes_in_git_are_silenced_field_by_field() -> None:
    live = as_applied(prepared(deployment(replicas=5)).objects[0].obj)
    wanted = deployment(image="shop/web:2")
    proposal = rule_for_all(prepared(wanted).objects[0], live, differences(wanted, live), context())
    assert proposal.entry is not None
    assert proposal.entry.json_pointers == ("/spec/replicas",)
    assert proposal.entry.jq_path_expressions == (f"{WEB} | .image",)
    assert proposal.proof is not None
    assert proposal.proof.holds


def test_beside_a_tracking_difference_the_rule_is_for_the_other_ones_and_the_proof_says_what_is_left() -> None:
    marked = prepared(deployment(replicas=1)).objects[0]
    live = as_applied(marked.obj)
    live["metadata"]["annotations"] = {}
    live["spec"]["replicas"] = 5
    row = compare_object(marked, live, context())
    proposal = rule_for_all(marked, live, row.differences, context())
    assert proposal.entry is not None
    assert proposal.proof is not None
    assert proposal.entry.json_pointers == ("/spec/replicas",)
    assert proposal.proof.left == (f'metadata.annotations["{names.TRACKING_ID}"]',)


@pytest.mark.parametrize(
    ("live", "word"),
    [(None, "not live"), (as_applied(config_map(annotations={names.TRACKING_ID: "x:y"})), "adds the tracking")],
)
def test_missing_objects_and_tracking_get_no_rule_but_advice(live: Object | None, word: str) -> None:
    item = prepared(config_map()).objects[0]
    (difference,) = compare_object(item, live, context()).differences
    proposal = rule_for_all(item, live or {}, (difference,), context())
    assert proposal.entry is None
    assert word in proposal.reason
