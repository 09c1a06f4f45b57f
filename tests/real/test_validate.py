"""Objects the API server refuses when asked to be strict about fields: we refuse them too, naming the same field."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from syncline.apimachinery import keys
from syncline.apimachinery.schema import validate
from tests.real import api as client
from tests.real.test_defaults import CASES, collection_path

pytestmark = pytest.mark.real


def deployment(container: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    pod = {"containers": [{"name": "a", "image": "b", **(container or {})}]}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": pod}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "a"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template, **spec},
    }


def service(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": {"ports": [{"port": 1}], **spec}}


UNKNOWN = [
    deployment(replica=3),
    deployment({"imagePullpolicy": "Always"}),
    deployment({"ports": [{"containerPort": 1, "hostport": 2}]}),
    deployment(containers=[]),
    service(port=1),
    service(ports=[{"port": 1}, {"port": 2, "name": "b", "target": 3}]),
    {**service(), "metadata": {"name": "a", "label": {}}},
    {**service(), "extra": {}},
]

REFUSED = [
    deployment(replicas="3"),
    deployment(replicas=2**40),
    deployment(strategy={"type": "Rolling"}),
    deployment({"env": [{"name": "A", "value": 1}]}),
    deployment({"env": {"A": "b"}}),
    deployment({"imagePullPolicy": "Sometimes"}),
    deployment({"resources": {"limits": {"cpu": "1 core"}}}),
    deployment({"ports": [{"containerPort": 1, "protocol": "tcp"}]}),
    deployment({"ports": [{"name": "x"}]}),
    deployment({"livenessProbe": {"httpGet": {"port": []}}}),
    deployment({"name": None}),
    service(type="Internal"),
    service(ports=[{"port": "http"}]),
    service(sessionAffinity="client"),
    service(selector={"a": True}),
    {**service(), "metadata": {"name": "a", "labels": {"a": 1}}},
    {**service(), "metadata": {"name": "a", "creationTimestamp": "yesterday"}},
]


WRONG: list[Any] = [7, "x", True, [], {}, ["x"], {"x": "y"}, 1.5]


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every field and item of an object."""
    members: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        members = value.items()
    elif isinstance(value, list):
        members = enumerate(value)
    for name, member in members:
        yield (*path, name)
        yield from places(member, (*path, name))


def replaced(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    if not path:
        return new
    changed = value.copy()
    changed[path[0]] = replaced(value[path[0]], path[1:], new)
    return changed


def mistyped(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the object once per field and wrong type, one field spoiled each time."""
    whole: Any = case
    for path in places(case):
        value = functools.reduce(lambda part, name: part[name], path, whole)
        if path[0] not in ("apiVersion", "kind"):
            yield from (replaced(case, path, wrong) for wrong in WRONG if type(wrong) is not type(value))


@pytest.mark.parametrize("obj", CASES[::3], ids=lambda case: f"{case['kind']}-{case['metadata']['name']}")
def test_a_field_of_a_wrong_type_is_refused_where_the_server_refuses_it(
    api: client.Api, namespace: str, obj: dict[str, Any]
) -> None:
    path = f"{collection_path(obj, namespace)}?dryRun=All&fieldValidation=Strict"
    for spoiled in mistyped(obj):
        status, answer = api.request("POST", path, spoiled)
        problems = validate.validate(spoiled, keys.gvk_of(obj))
        assert status != 400 or problems, answer["message"]
        # Go reads an empty list as an empty text of bytes; we do not.
        assert status != 201 or not problems or obj["kind"] == "Secret", problems


@pytest.mark.parametrize("obj", UNKNOWN, ids=lambda obj: obj["kind"])
def test_the_same_fields_are_unknown(api: client.Api, obj: dict[str, Any]) -> None:
    path = collection_path(obj, "default")
    status, answer = api.request("POST", f"{path}?dryRun=All&fieldValidation=Strict", obj)
    assert status == 400, answer
    theirs = set(re.findall(r'unknown field "([^"]+)"', answer["message"]))
    assert {problem.path for problem in validate.validate(obj, keys.gvk_of(obj))} == theirs


@pytest.mark.parametrize("obj", REFUSED, ids=lambda obj: obj["kind"])
def test_what_the_server_refuses_is_refused(api: client.Api, obj: dict[str, Any]) -> None:
    path = collection_path(obj, "default")
    status, _ = api.request("POST", f"{path}?dryRun=All&fieldValidation=Strict", obj)
    assert status in (400, 422)
    assert len(validate.validate(obj, keys.gvk_of(obj))) == 1


@pytest.mark.parametrize("obj", CASES, ids=lambda case: f"{case['kind']}-{case['metadata']['name']}")
def test_what_the_server_accepts_is_accepted(api: client.Api, namespace: str, obj: dict[str, Any]) -> None:
    path = collection_path(obj, namespace)
    status, answer = api.request("POST", f"{path}?dryRun=All&fieldValidation=Strict", obj)
    assert status == 201, answer
    assert validate.validate(obj, keys.gvk_of(obj)) == []
    assert validate.validate(answer, keys.gvk_of(obj)) == []
