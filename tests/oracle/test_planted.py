"""The oracles would notice: with a planted bug, comparisons that agree now no longer do."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.apimachinery.keys import gvk_of
from syncline.apimachinery.patch import errors, strategic
from syncline.apimachinery.schema import builtin
from tests.oracle.merge import test_recorded as recorded
from tests.oracle.patch import kubectl
from tests.oracle.patch.kubectl import Doc
from tests.oracle.planted import planted

SERVICE: Doc = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web"},
    "spec": {"ports": [{"port": 80, "name": "http"}, {"port": 443, "name": "tls"}]},
}
POD: Doc = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web"},
    "spec": {"containers": [{"name": "a", "ports": [{"containerPort": 80}, {"containerPort": 443, "name": "tls"}]}]},
}
PATCHES: list[tuple[Doc, Any]] = [
    (SERVICE, {"spec": {"ports": [{"port": 80, "name": "web"}]}}),
    (SERVICE, {"spec": {"ports": [{"port": 443, "$patch": "delete"}]}}),
    (
        SERVICE,
        {"spec": {"$setElementOrder/ports": [{"port": 443}, {"port": 80}], "ports": [{"port": 80, "name": "x"}]}},
    ),
    (POD, {"spec": {"containers": [{"name": "a", "ports": [{"containerPort": 80, "name": "http"}]}]}}),
    (POD, {"spec": {"containers": [{"name": "a", "ports": [{"containerPort": 443, "$patch": "delete"}]}]}}),
]


def agrees_with_kubectl(obj: Doc, patch: Any) -> bool:
    [judged] = kubectl.judge_patch([obj], patch, "strategic").objects
    try:
        return strategic.apply(obj, patch, builtin.for_kind(gvk_of(obj))) == judged
    except errors.PatchError:
        return False


@pytest.mark.parametrize(("obj", "patch"), PATCHES)
def test_kubectl_notices_a_dropped_key(obj: Doc, patch: Any) -> None:
    assert agrees_with_kubectl(obj, patch)
    with planted():
        assert not agrees_with_kubectl(obj, patch)
    assert agrees_with_kubectl(obj, patch)


@pytest.mark.parametrize("name", recorded.STEPS)
def test_the_answers_of_the_api_server_notice_a_dropped_key(name: str) -> None:
    step = recorded.STEPS[name]
    assert recorded.agrees(step)
    with planted():
        assert not recorded.agrees(step)
    assert recorded.agrees(step)
