"""Differences that do not count are listed where somebody asks, and never make an object OutOfSync."""

from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import Object
from syncline.core.compare.compare import compare_object
from syncline.model.comparison import ComparedObject, DifferenceCause, Verdict
from tests.support.objects import as_applied, config_map, context, deployment, prepared


def explained(wanted: Object, live: Object) -> ComparedObject:
    given = msgspec.structs.replace(context(), explain=True)
    return compare_object(prepared(wanted).objects[0], live, given)


def applied(wanted: Object) -> Object:
    return as_applied(prepared(wanted).objects[0].obj)


def limited(cpu: str, *names: str) -> Object:
    found = deployment()
    container: dict[str, Any] = found["spec"]["template"]["spec"]["containers"][0]
    container["resources"] = {"limits": {"cpu": cpu}}
    container["env"] = [{"name": name, "value": "1"} for name in names]
    return found


def listed(row: ComparedObject, cause: DifferenceCause) -> dict[str, Any]:
    return {item.path: item.live for item in row.explained if item.cause is cause}


def test_what_the_server_filled_in_is_defaulted() -> None:
    row = explained(deployment(replicas=None), applied(deployment(replicas=None)))
    assert row.verdict is Verdict.SYNCED
    found = listed(row, DifferenceCause.DEFAULTED)
    assert found["spec.replicas"] == 1
    assert found["spec.template.spec.restartPolicy"] == "Always"
    assert found["spec.template.spec.containers[name=web].imagePullPolicy"] == "IfNotPresent"


def test_a_value_other_than_the_default_is_not_defaulted() -> None:
    row = explained(deployment(replicas=None), applied(deployment(replicas=3)))
    assert "spec.replicas" not in listed(row, DifferenceCause.DEFAULTED)


@pytest.mark.parametrize(
    ("wanted", "live", "path"),
    [
        (limited("1000m"), limited("1"), "spec.template.spec.containers[name=web].resources.limits.cpu"),
        (limited("1", "A", "B"), limited("1", "B", "A"), "spec.template.spec.containers[name=web].env"),
    ],
)
def test_the_same_in_other_words_or_another_order_is_other_spelling(wanted: Object, live: Object, path: str) -> None:
    row = explained(wanted, applied(live))
    assert (row.verdict, row.differences) == (Verdict.SYNCED, ())
    assert path in listed(row, DifferenceCause.SPELLING)


def test_what_counts_is_not_explained_away_and_nothing_is_explained_unasked() -> None:
    row = explained(config_map(data={"a": "1"}), applied(config_map(data={"a": "2"})))
    assert [item.path for item in row.differences] == ["data.a"]
    assert row.explained == ()
    plain = compare_object(prepared(deployment()).objects[0], applied(deployment()), context())
    assert plain.explained == ()


AMOUNT = {
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "pattern": r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$",
    "x-kubernetes-int-or-string": True,
}


@pytest.mark.parametrize(
    ("field", "written", "stored", "verdict"),
    [
        ("quota", "12000m", "12", Verdict.SYNCED),
        ("quota", 12, "12", Verdict.SYNCED),
        ("quota", "13", "12", Verdict.OUT_OF_SYNC),
        ("port", "12000m", "12", Verdict.OUT_OF_SYNC),
        ("text", "12000m", "12", Verdict.OUT_OF_SYNC),
    ],
)
def test_quantities_in_custom_kinds_are_compared_by_amount_where_the_schema_says_what_they_are(
    field: str, written: Any, stored: Any, verdict: Verdict
) -> None:
    from syncline.core.compare.schemas import SchemaCache
    from tests.support.objects import crd, obj

    fields = {"quota": AMOUNT, "port": {"x-kubernetes-int-or-string": True}, "text": {"type": "string"}}
    spec = {"type": "object", "properties": fields}
    definition = crd(schema={"type": "object", "properties": {"spec": spec}})
    schemas = SchemaCache().of([definition])
    given = msgspec.structs.replace(context(), node_for=schemas.node_for, explain=True)
    item = prepared(obj("Widget", "one", api="example.com/v1", spec={field: written})).objects[0]
    live = applied(obj("Widget", "one", api="example.com/v1", spec={field: stored}))
    row = compare_object(item, live, given)
    assert row.verdict is verdict
    assert [one.cause for one in row.explained] == ([DifferenceCause.SPELLING] if verdict is Verdict.SYNCED else [])
