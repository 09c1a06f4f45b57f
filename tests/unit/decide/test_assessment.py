"""What one snapshot says about an app: rows, verdict, conditions, health."""

from typing import Any

from syncline.apimachinery.keys import Object
from syncline.model import names
from syncline.model.application import Condition
from syncline.model.comparison import DifferenceCause, Verdict
from syncline.model.condition import ConditionType
from syncline.model.health import HealthCode
from syncline.model.reason import Reason
from syncline.model.snapshot import Trouble
from tests.support.objects import (
    SHA,
    application_object,
    as_applied,
    assessed,
    config_map,
    crd,
    deployment,
    desired,
    key,
    obj,
    prepared,
    tracked,
)


def applied(value: Object) -> Object:
    return as_applied(prepared(value).objects[0].obj)


def test_rows_are_desired_objects_and_extras_sorted_by_key() -> None:
    found = assessed(
        wanted=desired(deployment(), config_map()),
        live=(applied(config_map()), tracked(config_map("extra")), tracked(config_map("foreign"), "other")),
    )
    assert [(row.key.name, row.verdict) for row in found.comparison.rows] == [
        ("extra", Verdict.OUT_OF_SYNC),
        ("settings", Verdict.SYNCED),
        ("web", Verdict.OUT_OF_SYNC),
    ]
    assert found.revision == SHA
    assert found.owned == {key("ConfigMap", "extra"), key("ConfigMap", "settings")}


def test_objects_that_another_object_owns_are_not_managed() -> None:
    child = tracked(config_map("child", ownerReferences=[{"uid": "u"}]))
    assert assessed(wanted=desired(), live=(child,)).owned == frozenset()


def test_what_could_not_be_read_makes_the_app_unknown_and_names_every_error() -> None:
    troubles = (
        Trouble(Reason.SOURCE_FAILED, "no such branch"),
        Trouble(Reason.CLUSTER_UNREACHABLE, "no answer"),
    )
    found = assessed(wanted=None, live=(applied(config_map()),), troubles=troubles)
    assert found.comparison.verdict is Verdict.UNKNOWN
    assert [(row.key.name, row.verdict, row.requires_pruning) for row in found.comparison.rows] == [
        ("settings", Verdict.UNKNOWN, False)
    ]
    assert found.comparison.conditions == (
        Condition("ComparisonError", "no such branch"),
        Condition("ComparisonError", "no answer"),
    )


def test_an_invalid_spec_makes_sync_and_health_unknown() -> None:
    troubles = (Trouble(Reason.SPEC_INVALID, "no such project", ConditionType.INVALID_SPEC_ERROR),)
    found = assessed(wanted=desired(config_map()), live=(applied(config_map()),), troubles=troubles)
    assert (found.comparison.verdict, found.health.status) == (Verdict.UNKNOWN, HealthCode.UNKNOWN)


def test_an_object_of_another_app_is_shared_and_differs_by_its_tracking_id() -> None:
    found = assessed(wanted=desired(config_map()), live=(as_applied(tracked(config_map(), "other")),))
    assert found.comparison.conditions == (
        Condition("SharedResourceWarning", "ConfigMap/settings is part of applications argocd/shop and other"),
    )
    assert [item.cause for item in found.comparison.rows[0].differences] == [DifferenceCause.TRACKING]


def test_a_difference_after_a_sync_of_this_revision_arose_in_the_cluster() -> None:
    state = {
        "operation": {},
        "phase": "Succeeded",
        "startedAt": "2026-03-01T08:00:00Z",
        "syncResult": {"revision": SHA, "source": {"repoURL": "x"}},
    }
    live = (applied(config_map(data={"a": "1"})),)
    wanted = desired(config_map(data={"a": "1", "b": "2"}))
    before = assessed(wanted=wanted, live=live)
    after = assessed(application_object(status={"operationState": state}), wanted=wanted, live=live)
    assert [item.cause for item in before.comparison.rows[0].differences] == [DifferenceCause.GIT]
    assert [item.cause for item in after.comparison.rows[0].differences] == [DifferenceCause.LIVE]


SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "size": {"type": "integer", "default": 3},
                "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
            },
        }
    },
}


def widget(**spec: Any) -> Object:
    return obj("Widget", "one", api="example.com/v1", spec=spec)


def test_custom_objects_are_compared_by_the_schema_of_their_crd() -> None:
    live = tracked(widget(size=3, tags=["b", "a"]))
    plain = assessed(wanted=desired(widget(tags=["a"])), live=(live,)).comparison.rows[0]
    typed = assessed(wanted=desired(widget(tags=["a"])), live=(live,), schemas=(crd(schema=SCHEMA),)).comparison.rows[0]
    assert [item.path for item in plain.differences] == ["spec.tags"]
    assert (typed.verdict, typed.differences) == (Verdict.SYNCED, ())


def test_a_default_of_a_crd_is_never_a_difference() -> None:
    live = tracked(widget(size=3))
    rows = assessed(wanted=desired(widget()), live=(live,), schemas=(crd(schema=SCHEMA),)).comparison.rows
    assert rows[0].verdict is Verdict.SYNCED
    assert rows[0].reasons == (Reason.EQUAL,)


def test_health_is_that_of_managed_objects_and_the_app_is_missing_when_nothing_is_live() -> None:
    nothing = assessed(wanted=desired(deployment()))
    assert nothing.health.status is HealthCode.MISSING
    partly = assessed(wanted=desired(deployment(), config_map()), live=(applied(config_map()),))
    assert partly.health.status is HealthCode.HEALTHY
    unready = tracked(deployment(ready=0))
    waiting = assessed(wanted=desired(deployment()), live=(unready,))
    assert (waiting.health.status, waiting.health.message) == (
        HealthCode.PROGRESSING,
        "Caused by apps/Deployment:shop/web",
    )


def test_an_app_that_manages_itself_does_not_wait_for_itself() -> None:
    myself = application_object()
    live = tracked({**myself, "metadata": dict(myself["metadata"])})
    found = assessed(myself, wanted=desired(myself), live=(live,))
    assert found.myself == key("Application", "shop", group=names.GROUP, namespace="argocd")
    assert found.health.status is HealthCode.HEALTHY
