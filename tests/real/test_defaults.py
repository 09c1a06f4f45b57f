"""The API server's own defaults, compared with ours: every document of defaults_cases.yaml, as a dry run."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest
import yaml

from syncline.apimachinery import keys
from syncline.apimachinery.schema import builtin, defaults
from tests.real import api as client

pytestmark = pytest.mark.real

ALL_CASES: list[dict[str, Any]] = list(
    yaml.safe_load_all(Path(__file__).with_name("defaults_cases.yaml").read_text(encoding="utf-8"))
)
# The server of these tests serves stable versions alone; the others were recorded from one that serves all.
CASES = [case for case in ALL_CASES if "alpha" not in case["apiVersion"] and "beta" not in case["apiVersion"]]
SERVER_METADATA = ("uid", "creationTimestamp", "managedFields", "resourceVersion", "generation", "namespace")
ADMISSION_FINALIZED = ("PersistentVolume", "PersistentVolumeClaim")
ADMISSION_TOLERATIONS = {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}
ALLOCATED_BY_SERVICE = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort")


def collection_path(obj: dict[str, Any], namespace: str) -> str:
    resource = builtin.kinds()[keys.gvk_of(obj)]
    root = f"/apis/{obj['apiVersion']}" if "/" in obj["apiVersion"] else f"/api/{obj['apiVersion']}"
    return f"{root}/{f'namespaces/{namespace}/' if resource.namespaced else ''}{resource.plural}"


def without_allocated(obj: dict[str, Any]) -> dict[str, Any]:
    """Take away status and what the server makes up: ids, times, addresses, node ports, admission's additions."""
    obj = {name: value for name, value in obj.items() if name != "status" and value is not None}
    obj["metadata"] = {k: v for k, v in obj["metadata"].items() if k not in SERVER_METADATA and v}
    if obj["kind"] in ADMISSION_FINALIZED:
        obj["metadata"].pop("finalizers", None)
    if obj["kind"] == "DaemonSet":
        obj["metadata"].pop("annotations", None)
    spec: dict[str, Any] = obj.get("spec") or {}
    if obj["kind"] == "Service":
        obj["spec"] = {k: v for k, v in spec.items() if k not in ALLOCATED_BY_SERVICE}
        if "ports" in spec:
            obj["spec"]["ports"] = [{k: v for k, v in p.items() if k != "nodePort"} for p in spec["ports"]]
    if obj["kind"] == "Pod":
        kept = [t for t in spec.get("tolerations", []) if t.get("key") not in ADMISSION_TOLERATIONS]
        admitted = ("tolerations", "preemptionPolicy", "priority")
        obj["spec"] = {k: v for k, v in spec.items() if k not in admitted} | ({"tolerations": kept} if kept else {})
    if obj["kind"] == "Job" and not spec.get("manualSelector"):
        obj["spec"] = {k: v for k, v in spec.items() if k != "selector"}
        template = spec["template"]
        obj["spec"]["template"] = {k: v for k, v in template.items() if k != "metadata"}
        obj["metadata"].pop("labels", None)
    return obj


@pytest.fixture(scope="module")
def place(api: client.Api) -> str:
    """A namespace of this module's own, so that no object of another test stands in the way."""
    name = f"defaults-{uuid.uuid4().hex[:8]}"
    api.ok("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    return name


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']}-{case['metadata']['name']}")
def test_an_object_is_filled_in_as_the_api_server_does(api: client.Api, place: str, case: dict[str, Any]) -> None:
    status, answer = api.request("POST", collection_path(case, place) + "?dryRun=All", case)
    assert status == 201, answer.get("message")
    assert without_allocated(defaults.apply(case, keys.gvk_of(case))) == without_allocated(answer)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']}-{case['metadata']['name']}")
def test_an_object_from_the_api_server_lacks_no_default(api: client.Api, place: str, case: dict[str, Any]) -> None:
    status, answer = api.request("POST", collection_path(case, place) + "?dryRun=All", case)
    assert status == 201, answer.get("message")
    assert defaults.apply(answer, keys.gvk_of(case)) is answer
