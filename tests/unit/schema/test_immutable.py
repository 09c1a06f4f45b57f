"""Changes the API server refuses. The whole table is asked of a real one in tests/real/test_immutable.py."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.apimachinery import keys
from syncline.apimachinery.schema import builtin, immutable

FORBIDDEN = "Forbidden: field is immutable when `immutable` is set"


def obj(api_version: str, kind: str, **content: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}, **content}


def deployment(labels: dict[str, str], **spec: Any) -> dict[str, Any]:
    return obj("apps/v1", "Deployment", spec={"selector": {"matchLabels": labels}, **spec})


def statefulset(storage: str, **spec: Any) -> dict[str, Any]:
    claim = {"metadata": {"name": "v"}, "spec": {"resources": {"requests": {"storage": storage}}}}
    return obj("apps/v1", "StatefulSet", spec={"serviceName": "s", "volumeClaimTemplates": [claim], **spec})


def claim(phase: str, storage: str, **spec: Any) -> dict[str, Any]:
    requests = {"resources": {"requests": {"storage": storage}}}
    return obj("v1", "PersistentVolumeClaim", spec={**requests, **spec}, status={"phase": phase})


CLAIM = (
    "spec: Forbidden: spec is immutable after creation except resources.requests"
    " and volumeAttributesClassName for bound claims"
)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            deployment({"a": "b"}),
            deployment({"a": "c"}),
            ['spec.selector: Invalid value: {"matchLabels":{"a":"c"}}: field is immutable'],
        ),
        (deployment({"a": "b"}), deployment({"a": "b"}, replicas=3), []),
        (
            statefulset("1Gi"),
            statefulset("2Gi", podManagementPolicy="Parallel"),
            [
                'spec.podManagementPolicy: Invalid value: "Parallel": field is immutable',
                "spec.volumeClaimTemplates: Invalid value: …: field is immutable",
            ],
        ),
        (statefulset("1Gi"), statefulset("1024Mi", replicas=3), []),
        (statefulset("1Gi", podManagementPolicy="OrderedReady"), statefulset("1Gi"), []),
        (claim("Bound", "1Gi"), claim("Bound", "2Gi"), []),
        (claim("Pending", "1Gi"), claim("Pending", "2Gi"), [CLAIM]),
        (claim("Bound", "1Gi", storageClassName="a"), claim("Bound", "1Gi", storageClassName="b"), [CLAIM]),
        (
            obj("v1", "ConfigMap", immutable=True, data={"a": "b"}),
            obj("v1", "ConfigMap", immutable=True, data={"a": "c"}),
            [f"data: {FORBIDDEN}"],
        ),
        (
            obj("v1", "ConfigMap", immutable=True, data={"a": "b"}),
            obj("v1", "ConfigMap", data={"a": "b"}),
            [f"immutable: {FORBIDDEN}"],
        ),
        (obj("v1", "ConfigMap", data={"a": "b"}), obj("v1", "ConfigMap", immutable=True, data={"a": "c"}), []),
        (
            obj("v1", "Service", spec={"clusterIPs": ["10.0.0.1"], "clusterIP": "10.0.0.1"}),
            obj("v1", "Service", spec={}),
            [],
        ),
        (obj("example.com/v1", "Widget", spec=1), obj("example.com/v1", "Widget", spec=2), []),
    ],
)
def test_refused_changes_are_told_in_the_servers_words(
    old: dict[str, Any], new: dict[str, Any], expected: list[str]
) -> None:
    assert [str(found) for found in immutable.violations(old, new, keys.gvk_of(old))] == expected


def test_values_of_secrets_are_never_told() -> None:
    old = obj("v1", "Secret", immutable=True, data={"a": "aHVudGVyMg=="})
    found = immutable.violations(old, {**old, "data": {"a": "c2VjcmV0"}}, keys.gvk_of(old))
    assert [str(violation) for violation in found] == [f"data: {FORBIDDEN}"]


def test_every_kind_with_rules_is_a_built_in_kind() -> None:
    known = {f"{gvk.group}/{gvk.kind}" for gvk in builtin.kinds()}
    assert set(immutable._rules()) <= known
