"""Server-side apply as the real API server does it, compared with ours step by step.

Every sequence of structured_merge_cases.yaml, and many that Hypothesis makes: after each write the owners must be
the same (times aside), a refusal must be worded the same, and the object must hold the same fields.
"""

from __future__ import annotations

import itertools
import json
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from syncline.apimachinery import keys, merge
from syncline.apimachinery.schema import builtin, crd, defaults
from tests.real import merge_kinds as kinds
from tests.real import merge_sequences as sequences

pytestmark = pytest.mark.real

Json = dict[str, Any]


@pytest.fixture(scope="session")
def widgets(api: sequences.Api) -> None:
    """The custom kind, served in both versions."""
    status, answer = api.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kinds.WIDGETS)
    assert status in (201, 409), answer
    for version_name in ("v1", "v2"):
        for _ in range(200):
            status, _ = api.request("GET", f"/apis/merge.example.com/{version_name}/namespaces/default/widgets")
            if status == 200:
                break
        else:
            pytest.fail("the API server does not serve the custom kind")


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in sequences.BOOK["cases"]])
def test_sequence_leads_to_the_same_object_and_owners(
    api: sequences.Api, widgets: None, namespace: str, case: Json
) -> None:
    sequence = sequences.Sequence(api, namespace, case["kind"])
    for step in case["steps"]:
        sequence.run(step)


def test_a_field_that_becomes_atomic_is_owned_whole(api: sequences.Api, namespace: str) -> None:
    """The one change of a schema that moves owners: parts of a map before, the map after."""
    plural_name = f"p{uuid.uuid4().hex[:8]}"
    kind = plural_name.title()
    path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{plural_name}.merge.example.com"
    made = json.loads(json.dumps(kinds.WIDGETS))
    made["metadata"]["name"] = f"{plural_name}.merge.example.com"
    made["spec"]["names"] = {"plural": plural_name, "singular": plural_name, "kind": kind}
    made["spec"]["versions"] = made["spec"]["versions"][:1]
    status, answer = api.request("POST", path.rpartition("/")[0], made)
    assert status == 201, answer
    where = f"/apis/merge.example.com/v1/namespaces/{namespace}/{plural_name}/x"
    config = {
        "apiVersion": "merge.example.com/v1",
        "kind": kind,
        "metadata": {"name": "x"},
        "spec": {"struct": {"a": "1", "b": "1"}},
    }
    live = eventually(
        api, lambda: api.request("PATCH", f"{where}?fieldManager=one", config, sequences.APPLY_PATCH), 201
    )
    schema = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["struct"]
    schema["x-kubernetes-map-type"] = "atomic"
    made["metadata"] = api.request("GET", path)[1]["metadata"]
    status, answer = api.request("PUT", path, made)
    assert status == 200, answer
    node = crd.schema_for(made, "v1")
    assert node is not None
    for number in range(100):
        status, answer = api.request(
            "PATCH",
            f"{where}?fieldManager=two",
            {"metadata": {"labels": {"n": str(number)}}},
            sequences.MERGE_PATCH,
        )
        new = {**answer, "metadata": {**answer["metadata"], "managedFields": None}}
        ours = merge.update(live, new, manager="two", node=node, now=sequences.NOW, ignored=kinds.fields("status"))
        live = answer
        if sequences.owners(ours) == sequences.owners(answer):
            break
    assert sequences.owners(ours) == sequences.owners(answer)
    assert answer["metadata"]["managedFields"][0]["fieldsV1"] == {"f:spec": {"f:struct": {}}}


def eventually(api: sequences.Api, request: Callable[[], tuple[int, Json]], wanted: int) -> Json:
    for _ in range(6000):
        status, answer = request()
        if status == wanted:
            return answer
        time.sleep(0.02)
    raise AssertionError(answer)


def test_ownership_moves_from_client_side_to_server_side(api: sequences.Api, namespace: str) -> None:
    """After the migration is stored, a key left out goes away; before it, it would have stayed."""
    sequence = sequences.Sequence(api, namespace, "ConfigMap")
    last = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}, "data": {"a": "1", "b": "1"}}
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(last)}
    sequence.run(
        {
            "create": "kubectl-client-side-apply",
            "config": {"data": {"a": "1", "b": "1"}, "metadata": {"annotations": annotations}},
        }
    )
    sequence.run({"apply": "one", "config": {"data": {"a": "1"}}})
    assert sequence.live is not None
    node = kinds.node_for("v1", "ConfigMap")
    assert node is not None
    migrated = merge.migrate_client_side(
        sequence.live, from_managers=["kubectl-client-side-apply"], to_manager="one", node=node
    )
    patch = [{"op": "replace", "path": "/metadata/managedFields", "value": migrated}]
    status, answer = api.request("PATCH", sequence.path("v1"), patch, sequences.JSON_PATCH)
    assert (status, sequences.owners(answer)) == (
        200,
        sequences.owners({"metadata": {"managedFields": migrated}}),
    )
    sequence.live = answer
    sequence.run({"apply": "one", "config": {"data": {"a": "1"}}})
    assert sequence.live["data"] == {"a": "1"}
    assert "annotations" not in sequence.live["metadata"]


WORDS = st.sampled_from(["a", "b", "c", "d"])
TEXTS = st.sampled_from(["1", "2"])
ITEMS = st.lists(
    st.fixed_dictionaries(
        {"name": WORDS},
        optional={
            "value": TEXTS,
            "nested": st.dictionaries(st.sampled_from(["x", "y"]), TEXTS, min_size=1),
        },
    ),
    unique_by=lambda item: str(item["name"]),
    max_size=3,
)
SPECS = st.fixed_dictionaries(
    {},
    optional={
        "text": TEXTS,
        "number": st.integers(1, 2),
        "atomic": st.lists(WORDS, max_size=2),
        "set": st.lists(WORDS, unique=True, max_size=4),
        "numbers": st.lists(st.integers(1, 3), unique=True, max_size=3),
        "items": ITEMS,
        "ports": st.lists(
            st.fixed_dictionaries(
                {"port": st.integers(1, 2)},
                optional={"protocol": st.sampled_from(["TCP", "UDP"]), "name": WORDS},
            ),
            unique_by=lambda port: (port["port"], port.get("protocol", "TCP")),
            max_size=3,
        ),
        "groups": st.lists(
            st.fixed_dictionaries({"name": WORDS}, optional={"members": st.lists(WORDS, unique=True, max_size=3)}),
            unique_by=lambda group: str(group["name"]),
            max_size=2,
        ),
        "labels": st.dictionaries(WORDS, TEXTS, max_size=3),
        "sealed": st.dictionaries(WORDS, TEXTS, max_size=2),
        "struct": st.dictionaries(st.sampled_from(["a", "b"]), TEXTS, max_size=2),
        "table": st.dictionaries(WORDS, st.dictionaries(st.sampled_from(["a", "b"]), TEXTS, max_size=2), max_size=2),
        "free": st.dictionaries(
            WORDS, st.one_of(TEXTS, st.lists(WORDS, max_size=2), st.dictionaries(WORDS, TEXTS, max_size=2)), max_size=2
        ),
    },
)
MANAGERS = st.sampled_from(["one", "two", "three"])
STEPS = st.one_of(
    st.builds(lambda m, s, f: {"apply": m, "config": {"spec": s}, "force": f}, MANAGERS, SPECS, st.booleans()),
    st.builds(lambda m, s: {"patch": m, "with": {"spec": s}}, MANAGERS, SPECS),
    st.builds(lambda m, s: {"put": m, "with": {"spec": s}}, MANAGERS, SPECS),
)
FIRST = st.one_of(
    st.builds(lambda m, s: {"apply": m, "config": {"spec": s}}, MANAGERS, SPECS),
    st.builds(lambda m, s: {"create": m, "config": {"spec": s}}, MANAGERS, SPECS),
)


@pytest.mark.timeout(900)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(first=FIRST, rest=st.lists(STEPS, min_size=1, max_size=6))
def test_any_sequence_leads_to_the_same_object_and_owners(
    api: sequences.Api, widgets: None, first: Json, rest: list[Json]
) -> None:
    sequence = sequences.Sequence(api, "default", "Widget")
    for step in itertools.chain([first], rest):
        sequence.run(step)


def as_decoded(obj: Json, created: Json) -> Json:
    """Undo what our defaults take over from storage, and add what converting a DaemonSet notes down."""
    if obj["kind"] in ("Namespace", "PersistentVolumeClaim"):
        said = created.get("spec") or {}
        filled = {"finalizers", "dataSource", "dataSourceRef"} - said.keys()
        return {**obj, "spec": {name: part for name, part in obj["spec"].items() if name not in filled}}
    if obj["kind"] == "Pod" and "resources" in obj["spec"]:
        return {**obj, "spec": {**obj["spec"], "resources": created["spec"]["resources"]}}
    if obj["kind"] == "DaemonSet":
        annotations = {**obj["metadata"].get("annotations", {}), "deprecated.daemonset.template.generation": "0"}
        return {**obj, "metadata": {**obj["metadata"], "annotations": annotations}}
    return obj


CREATED: list[Json] = list(
    yaml.safe_load_all(Path(__file__).with_name("defaults_cases.yaml").read_text(encoding="utf-8"))
)


@pytest.mark.parametrize(
    "created",
    [
        pytest.param(obj, id=f"{obj['apiVersion']} {obj['kind']} {obj['metadata']['name']}")
        for obj in CREATED
        if "beta" not in obj["apiVersion"]  # not served unless asked for
    ],
)
def test_creation_gives_its_maker_the_same_fields(api: sequences.Api, created: Json) -> None:
    """Every built-in kind: what is owned as such and what only through its content follows from Go's structs."""
    gvk = keys.gvk_of(created)
    resource, node = builtin.kinds()[gvk], builtin.for_kind(gvk)
    assert node is not None
    root = f"/apis/{gvk.api_version}" if gvk.group else f"/api/{gvk.version}"
    where = f"{root}/{'namespaces/default/' if resource.namespaced else ''}{resource.plural}"
    status, answer = api.request("POST", f"{where}?dryRun=All&fieldManager=maker", created)
    assert status == 201, answer
    new = as_decoded(defaults.apply(sequences.without(created, None), gvk), created)
    hidden = kinds.ignored(gvk.api_version, gvk.kind, "")
    ours = merge.update(None, new, manager="maker", node=node, now=sequences.NOW, ignored=hidden)
    assert sequences.owners(ours) == sequences.owners(answer)
