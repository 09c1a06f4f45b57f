"""Health holds for any object: nothing a file says makes it fail, and descending changes words, never verdicts."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from syncline.apimachinery.keys import Object
from syncline.core.health import checkup
from syncline.core.health.assess import aggregate, assess, shown
from syncline.core.health.descend import descend
from syncline.core.health.family import OwnedObjects
from syncline.model.health import Health, HealthCode
from syncline.model.settings.settings import Settings
from tests.support.objects import key, row

KINDS = [
    ("v1", "Pod"),
    ("v1", "Service"),
    ("v1", "PersistentVolumeClaim"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "DaemonSet"),
    ("apps/v1", "ReplicaSet"),
    ("batch/v1", "Job"),
    ("batch/v1", "CronJob"),
    ("networking.k8s.io/v1", "Ingress"),
    ("autoscaling/v1", "HorizontalPodAutoscaler"),
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("policy/v1", "PodDisruptionBudget"),
    ("apiregistration.k8s.io/v1", "APIService"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ("argoproj.io/v1alpha1", "Workflow"),
    ("argoproj.io/v1alpha1", "Application"),
    ("example.com/v1", "Widget"),
]
NAMES = st.sampled_from(
    [
        "conditions",
        "phase",
        "type",
        "status",
        "reason",
        "replicas",
        "readyReplicas",
        "observedGeneration",
        "state",
        "waiting",
        "terminated",
        "name",
        "uid",
        "containerStatuses",
        "initContainerStatuses",
        "exitCode",
        "lastState",
    ]
)
WORDS = st.sampled_from(["True", "False", "Ready", "Running", "Failed", "Pending", "CrashLoopBackOff", "Complete", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@st.composite
def objects(draw: st.DrawFn) -> Object:
    api, kind = draw(st.sampled_from(KINDS))
    metadata: Any = {"name": draw(st.sampled_from("abc")), "namespace": "shop", "generation": draw(st.integers(0, 3))}
    if draw(st.booleans()):
        owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a", "uid": draw(WORDS)}
        metadata["ownerReferences"] = draw(st.just([owner]) | VALUES)
    return {"apiVersion": api, "kind": kind, "metadata": metadata, "spec": draw(VALUES), "status": draw(VALUES)}


@given(st.lists(objects(), max_size=6))
def test_any_objects_are_assessed_each_with_an_answer(found: list[Object]) -> None:
    judge = checkup.of_files(found, Settings())
    assert all(isinstance(judge.shown(obj), Health | None) for obj in found)


@given(objects(), st.lists(objects(), max_size=5))
def test_descending_keeps_status_and_gating(obj: Object, others: list[Object]) -> None:
    before = shown(obj)
    assume(before is not None)
    assert before is not None
    after = descend(obj, before, OwnedObjects([obj, *others]))
    assert (after.status, after.gating) == (before.status, before.gating)


@given(objects())
def test_every_verdict_of_a_built_in_kind_has_a_reason_and_a_place(obj: Object) -> None:
    health = assess(obj)
    assume(health is not None)
    assert health is not None
    assert health.reason
    assert [bool(one.path) for one in health.evidence] == [True]


CODES = st.sampled_from(list(HealthCode))
NEVER_COUNTS = pytest.mark.parametrize("code", list(HealthCode))


@given(st.lists(st.tuples(CODES, st.booleans()), max_size=8))
def test_an_app_is_as_bad_as_the_worst_that_gates(drawn: list[tuple[HealthCode, bool]]) -> None:
    keys = [key("Deployment", f"d{number}", group="apps") for number in range(len(drawn))]
    healths = {one: Health(code, gating=gates) for one, (code, gates) in zip(keys, drawn, strict=True)}
    expected = max([code.badness for code, gates in drawn if gates], default=0)
    assert aggregate([row(one) for one in keys], healths, {}).status.badness == expected


@NEVER_COUNTS
def test_a_reading_that_does_not_gate_never_makes_an_app_worse(code: HealthCode) -> None:
    one = key("Widget", "w", group="example.com")
    assert aggregate([row(one)], {one: Health(code, gating=False)}, {}).status is HealthCode.HEALTHY
