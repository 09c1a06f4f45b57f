"""What is said of objects that do not fit their schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from syncline.apimachinery import keys
from syncline.apimachinery.keys import GroupVersionKind
from syncline.apimachinery.schema import crd, validate
from syncline.apimachinery.schema.validate import FieldProblem
from tests.unit.schema.widget import ANSWERS, CRD, widget

RECORDED: list[dict[str, dict[str, Any]]] = json.loads(Path(__file__).with_name("defaults_recorded.json").read_text())
DEPLOYMENT = GroupVersionKind("apps", "v1", "Deployment")


def deployment(container: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    pod = {"containers": [{"name": "a", "image": "b", **(container or {})}]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "a"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"spec": pod}, **spec},
    }


CONTAINER = "spec.template.spec.containers[0]"


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (deployment(), []),
        (deployment(replicas=None), []),
        (deployment({"imagePullPolicy": ""}), []),
        (deployment({"resources": {"limits": {"cpu": 1, "memory": "1.5Gi"}}}), []),
        (
            deployment(replicas="3"),
            [FieldProblem("spec.replicas", "must be a whole number, is a text", ("integer",))],
        ),
        (
            deployment(replicas=2**31),
            [FieldProblem("spec.replicas", "must be at most 2147483647")],
        ),
        (
            deployment(strategy={"type": "Rolling"}),
            [
                FieldProblem(
                    "spec.strategy.type",
                    'Unsupported value: "Rolling": supported values: "Recreate", "RollingUpdate"',
                    ("Recreate", "RollingUpdate"),
                )
            ],
        ),
        (
            deployment({"ports": [{"name": "http"}]}),
            [FieldProblem(f"{CONTAINER}.ports[0].containerPort", "Required value")],
        ),
        (
            deployment({"imagePullpolicy": "Always"}),
            [
                FieldProblem(
                    f"{CONTAINER}.imagePullpolicy",
                    f'unknown field "{CONTAINER}.imagePullpolicy"',
                    hint="did you mean imagePullPolicy?",
                )
            ],
        ),
        (
            deployment(containers=[]),
            [
                FieldProblem(
                    "spec.containers",
                    'unknown field "spec.containers"',
                    hint="did you mean spec.template.spec.containers?",
                )
            ],
        ),
        (
            deployment(zzz=1),
            [FieldProblem("spec.zzz", 'unknown field "spec.zzz"')],
        ),
        (
            deployment({"resources": {"limits": {"cpu": "1 core"}}}),
            [FieldProblem(f"{CONTAINER}.resources.limits.cpu", "is not a valid quantity")],
        ),
        (
            deployment({"env": [{"name": "A", "value": 1}]}),
            [FieldProblem(f"{CONTAINER}.env[0].value", "must be a text, is a whole number", ("string",))],
        ),
        (
            deployment({"livenessProbe": {"httpGet": {"port": []}}}),
            [
                FieldProblem(
                    f"{CONTAINER}.livenessProbe.httpGet.port",
                    "must be a whole number or a text, is a list",
                    ("integer", "string"),
                )
            ],
        ),
    ],
)
def test_problems_name_the_field_and_what_is_allowed(obj: dict[str, Any], expected: list[FieldProblem]) -> None:
    assert validate.validate(obj, DEPLOYMENT) == expected


def test_unknown_fields_pass_where_they_are_not_asked_for() -> None:
    assert validate.validate(deployment(zzz=1), DEPLOYMENT, strict_unknown=False) == []


def test_every_problem_is_told() -> None:
    problems = validate.validate(deployment({"nam": 1}, replicas="3", zzz=1), DEPLOYMENT)
    assert {problem.path for problem in problems} == {"spec.replicas", "spec.zzz", f"{CONTAINER}.nam"}


@pytest.mark.parametrize(
    "row", RECORDED, ids=lambda row: f"{row['object']['kind']}-{row['object']['metadata']['name']}"
)
def test_what_the_api_server_accepts_and_answers_is_valid(row: dict[str, dict[str, Any]]) -> None:
    for obj in row.values():
        assert validate.validate(obj, keys.gvk_of(obj)) == []


@pytest.mark.parametrize("field", ["data", "stringData", "type"])
def test_values_of_secrets_are_never_told(field: str) -> None:
    value: Any = {"password": ["hunter2"]} if field != "type" else ["hunter2"]
    obj = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, field: value}
    problems = validate.validate(obj, keys.gvk_of(obj))
    assert problems
    assert "hunter2" not in "".join(map(str, problems))


@pytest.mark.parametrize(
    ("gvk", "expected"),
    [
        (
            GroupVersionKind("extensions", "v1beta1", "Ingress"),
            (
                'apiVersion: no matches for kind "Ingress" in version "extensions/v1beta1"'
                " (removed in Kubernetes 1.22: write networking.k8s.io/v1)"
            ),
        ),
        (
            GroupVersionKind("", "v1", "Deployment"),
            'apiVersion: no matches for kind "Deployment" in version "v1" (Deployment is in apps/v1)',
        ),
        (
            GroupVersionKind("apps", "v1", "Deploiment"),
            'apiVersion: no matches for kind "Deploiment" in version "apps/v1"',
        ),
    ],
)
def test_an_unknown_kind_is_told_with_where_it_went(gvk: GroupVersionKind, expected: str) -> None:
    assert [str(problem) for problem in validate.validate({}, gvk)] == [expected]


def test_a_field_may_be_unknown_to_an_older_version() -> None:
    obj = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSIDriver",
        "metadata": {"name": "a"},
        "spec": {"nodeAllocatableUpdatePeriodSeconds": 10},
    }
    gvk = keys.gvk_of(obj)
    assert validate.validate(obj, gvk, version="1.33") == []
    assert [problem.path for problem in validate.validate(obj, gvk, version="1.32")] == [
        "spec.nodeAllocatableUpdatePeriodSeconds"
    ]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"size": 2, "port": "http", "amount": 0.5}, []),
        ({"plain": None, "name": None}, []),
        ({"free": {"x": 1}, "anything": {"y": [1]}, "template": {"spec": {"z": 1}}}, []),
        (
            {"color": "blue"},
            ['spec.color: Unsupported value: "blue": supported values: "red", "green"'],
        ),
        ({"plain": "A1"}, ["spec.plain: must match ^[a-z]+$"]),
        ({"amount": 0}, ["spec.amount: must be greater than 0"]),
        ({"items": [{"port": 1}]}, ["spec.items[0].name: Required value"]),
        ({"colour": "red"}, ['unknown field "spec.colour" (did you mean color?)']),
        ({"port": []}, ["spec.port: must be a whole number or a text, is a list"]),
        ({"labels": {"a": 1}}, ["spec.labels.a: must be a text, is a whole number"]),
    ],
)
def test_custom_objects_are_checked_against_their_schema(spec: dict[str, Any], expected: list[str]) -> None:
    node = crd.schema_for(CRD, "v1")
    assert node is not None
    assert [str(problem) for problem in validate.validate(widget({"spec": spec}), node)] == expected


@pytest.mark.parametrize("case", ANSWERS)
def test_custom_objects_the_api_server_stored_are_valid(case: str) -> None:
    node = crd.schema_for(CRD, "v1")
    assert node is not None
    assert validate.validate(widget(ANSWERS[case][1]), node) == []


def test_a_pattern_in_an_unreadable_dialect_does_not_stop_the_other_checks() -> None:
    node = crd.node_from_openapi(
        {"type": "object", "properties": {"a": {"type": "string", "pattern": "(?P<"}, "b": {"type": "integer"}}}
    )
    assert [problem.path for problem in validate.validate({"a": "x", "b": "y"}, node)] == ["b"]
