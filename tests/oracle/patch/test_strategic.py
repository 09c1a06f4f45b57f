"""Strategic merge patches against kubectl: by hand for every directive, generated for six kinds."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from syncline.apimachinery.keys import gvk_of
from syncline.apimachinery.patch import errors, strategic, strategic_diff
from syncline.apimachinery.schema import builtin
from tests.oracle.patch import generated, kubectl
from tests.oracle.patch.kubectl import Doc, without_values

POD: Doc = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "finalizers": ["x/a", "x/b", "x/c"], "labels": {"a": "1", "b": "2"}},
    "spec": {
        "containers": [
            {"name": "a", "image": "a:1", "env": [{"name": "X", "value": "1"}, {"name": "Y", "value": "2"}]},
            {"name": "b", "image": "b:1", "ports": [{"containerPort": 80}, {"containerPort": 443, "name": "tls"}]},
            {"name": "c", "image": "c:1", "command": ["run"], "volumeMounts": [{"mountPath": "/m", "name": "v"}]},
        ],
        "volumes": [{"name": "v", "emptyDir": {}}, {"name": "w", "configMap": {"name": "m", "items": []}}],
        "tolerations": [{"key": "k"}],
        "securityContext": {"runAsUser": 1, "sysctls": [{"name": "s", "value": "1"}]},
        "hostAliases": [{"ip": "1.1.1.1", "hostnames": ["h"]}],
        "nodeSelector": {"zone": "z"},
    },
}
DEPLOYMENT: Doc = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}},
        "template": {"spec": {"containers": [{"name": "a"}]}},
    },
}
SERVICE: Doc = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web"},
    "spec": {"ports": [{"port": 80, "name": "http"}, {"port": 443, "name": "tls"}], "externalIPs": ["1.2.3.4"]},
}
SIGNING_REQUEST: Doc = {
    "apiVersion": "certificates.k8s.io/v1",
    "kind": "CertificateSigningRequest",
    "metadata": {"name": "web"},
    "spec": {"extra": {"scopes": ["a"]}, "usages": ["client auth"]},
}


def spec(**patch: Any) -> Doc:
    return {"spec": patch}


def metadata(**patch: Any) -> Doc:
    return {"metadata": patch}


def order(*names: str) -> list[Doc]:
    return [{"name": name} for name in names]


DELETE_B = {"name": "b", "$patch": "delete"}

BY_HAND: list[tuple[Doc, Any]] = [
    (POD, spec(containers=[{"name": "b", "image": "b:2"}])),
    (POD, spec(containers=[{"name": "d", "image": "d:1"}])),
    (POD, spec(containers=[{"name": "d", "image": "d:1", "env": None, "ports": [{"containerPort": 1, "name": None}]}])),
    (POD, spec(containers=[{"name": "c"}, {"name": "a"}])),
    (POD, spec(containers=[DELETE_B])),
    (POD, spec(containers=[DELETE_B, {"name": "b", "image": "b:2"}])),
    (POD, spec(containers=[{"name": "nope", "$patch": "delete"}])),
    (POD, spec(containers=[{"$patch": "replace"}, {"name": "z"}])),
    (POD, spec(containers=[{"$patch": "replace"}, {"name": "z"}, DELETE_B])),
    (POD, spec(containers=[{"$patch": "replace"}])),
    (POD, spec(containers=[])),
    (POD, spec(containers=None)),
    (POD, spec(containers=[{"name": "a", "env": [{"name": "Y", "value": "3"}, {"name": "Z", "value": "4"}]}])),
    (POD, spec(containers=[{"name": "a", "env": [{"name": "X", "$patch": "delete"}]}])),
    (POD, spec(containers=[{"name": "a", "env": [{"name": "X", "value": None, "valueFrom": {"fieldRef": {}}}]}])),
    (POD, spec(containers=[{"name": "a", "env": None}])),
    (POD, spec(containers=[{"name": "a", "$retainKeys": ["name", "image"], "image": "a:2"}])),
    (POD, spec(containers=[{"name": "b", "ports": [{"containerPort": 443, "name": "new"}, {"containerPort": 1}]}])),
    (
        POD,
        spec(
            containers=[{"name": "c", "command": ["go", "--fast"], "volumeMounts": [{"mountPath": "/n", "name": "w"}]}]
        ),
    ),
    (POD, spec(containers=[{"name": "c", "command": []}])),
    (POD, spec(**{"$setElementOrder/containers": order("c", "a", "b")})),
    (POD, spec(**{"$setElementOrder/containers": order("c", "a")})),
    (POD, spec(**{"$setElementOrder/containers": order("b")})),
    (POD, spec(**{"$setElementOrder/containers": order("d", "b"), "containers": [{"name": "d"}]})),
    (
        POD,
        spec(
            **{
                "$setElementOrder/containers": order("d", "c"),
                "containers": [{"name": "d"}, {"name": "a", "$patch": "delete"}],
            }
        ),
    ),
    (
        POD,
        spec(
            **{
                "$setElementOrder/containers": order("b", "d"),
                "containers": [{"name": "d"}, {"name": "a", "$patch": "delete"}],
            }
        ),
    ),
    (
        POD,
        spec(
            **{
                "$setElementOrder/containers": order("c", "b", "a"),
                "containers": [{"name": "c", "image": "c:2"}, {"name": "a", "image": "a:2"}],
            }
        ),
    ),
    (POD, spec(**{"$setElementOrder/containers": order("z"), "containers": [{"$patch": "replace"}, {"name": "z"}]})),
    (POD, spec(**{"$setElementOrder/containers": []})),
    (POD, spec(**{"$setElementOrder/initContainers": order("x")})),
    (POD, spec(**{"$setElementOrder/initContainers": order("x", "y"), "initContainers": order("x", "y")})),
    (POD, metadata(finalizers=["x/d"])),
    (POD, metadata(finalizers=["x/c", "x/a"])),
    (POD, metadata(finalizers=[])),
    (POD, metadata(**{"$deleteFromPrimitiveList/finalizers": ["x/a", "nope"]})),
    (POD, metadata(**{"$deleteFromPrimitiveList/finalizers": ["x/a", "x/b", "x/c"]})),
    (POD, metadata(**{"$setElementOrder/finalizers": ["x/c", "x/a"]})),
    (
        POD,
        metadata(
            **{
                "$setElementOrder/finalizers": ["x/d", "x/b"],
                "finalizers": ["x/d"],
                "$deleteFromPrimitiveList/finalizers": ["x/a"],
            }
        ),
    ),
    (POD, metadata(labels={"a": None, "c": "3"})),
    (POD, metadata(labels={"$patch": "replace", "z": "9"})),
    (POD, metadata(labels={"$patch": "delete"})),
    (POD, metadata(labels=None)),
    (POD, metadata(annotations={"a": None, "b": "2"})),
    (POD, spec(volumes=[{"name": "v", "$retainKeys": ["name", "configMap"], "configMap": {"name": "n"}}])),
    (POD, spec(volumes=[{"name": "v", "$patch": "delete"}, {"name": "u", "emptyDir": {}}])),
    (POD, spec(volumes=[{"name": "w", "configMap": {"items": [{"key": "k", "path": "p"}]}}])),
    (POD, spec(tolerations=[{"key": "l"}])),
    (POD, spec(securityContext={"sysctls": [{"name": "t", "value": "1"}], "runAsUser": None})),
    (POD, spec(securityContext={"$patch": "replace", "fsGroup": 1, "runAsUser": None})),
    (POD, spec(securityContext={"$patch": "delete"})),
    (POD, spec(hostAliases=[{"ip": "1.1.1.1", "hostnames": ["i"]}, {"ip": "2.2.2.2"}])),
    (POD, spec(nodeSelector=None, restartPolicy="Never")),
    (POD, spec(affinity={"nodeAffinity": {"a": None}, "podAffinity": {"$patch": "delete"}})),
    (POD, spec(unknown={"a": 1})),
    (POD, {"spec": {"$patch": "replace", "containers": [{"name": "z"}]}}),
    (POD, {"metadata": {"name": "web"}}),
    (DEPLOYMENT, spec(strategy={"$retainKeys": ["type"], "type": "Recreate"})),
    (DEPLOYMENT, spec(strategy={"type": "Recreate", "rollingUpdate": None})),
    (DEPLOYMENT, spec(strategy={"rollingUpdate": {"maxSurge": "25%"}})),
    (DEPLOYMENT, spec(selector={"matchLabels": {"a": "b", "c": None}})),
    (SERVICE, spec(ports=[{"port": 443, "targetPort": "tls"}])),
    (SERVICE, spec(ports=[{"port": 80, "$patch": "delete"}, {"port": 8080}])),
    (SERVICE, spec(**{"$setElementOrder/ports": [{"port": 443}, {"port": 80}]})),
    (SERVICE, spec(externalIPs=["5.6.7.8"])),
    (SIGNING_REQUEST, spec(usages=["server auth"])),
    (SIGNING_REQUEST, spec(extra={"groups": ["b"]})),
]

REFUSED: list[tuple[Doc, Any]] = [
    (POD, spec(containers=[{"image": "x"}])),
    (POD, spec(containers=["x"])),
    (POD, spec(containers=[["x"]])),
    (POD, spec(containers=[{"$patch": "merge", "name": "a"}])),
    (POD, spec(containers=[{"$patch": "bogus", "name": "a"}])),
    (POD, spec(containers=[{"$patch": "delete"}])),
    (POD, {"spec": {"$patch": "merge"}}),
    (POD, {"$patch": "bogus"}),
    (POD, spec(**{"$retainKeys": ["containers"], "hostPID": True})),
    (POD, spec(**{"$retainKeys": "containers"})),
    (POD, spec(**{"$setElementOrder": []})),
    (POD, spec(**{"$setElementOrder/containers": {}})),
    (POD, spec(**{"$setElementOrder/containers": order("b"), "containers": None})),
    (POD, spec(**{"$setElementOrder/containers": [{"image": "x"}]})),
    (POD, spec(**{"$deleteFromPrimitiveList": ["a"]})),
    (POD, metadata(finalizers=[1])),
    (SIGNING_REQUEST, spec(extra={"scopes": ["b"]})),
]


def ours(obj: Doc, patch: Any) -> Doc:
    return strategic.apply(obj, patch, builtin.for_kind(gvk_of(obj)))


@pytest.mark.parametrize(("obj", "patch"), BY_HAND)
def test_a_patch_gives_what_kubectl_gives(obj: Doc, patch: Any) -> None:
    verdict = kubectl.judge_patch([obj], patch, "strategic")
    assert verdict.errors == []
    assert ours(obj, patch) == verdict.objects[0]


@pytest.mark.parametrize(("obj", "patch"), REFUSED)
def test_a_refused_patch_is_refused_in_kubectls_words(obj: Doc, patch: Any) -> None:
    verdict = kubectl.judge_patch([obj], patch, "strategic")
    with pytest.raises(errors.PatchError) as caught:
        ours(obj, patch)
    message = str(caught.value)
    assert verdict.objects == []
    assert without_values(verdict.errors[0]).startswith(message)


@pytest.mark.parametrize("seed", range(70))
def test_generated_patches_give_what_kubectl_gives(seed: int) -> None:
    rng = random.Random(seed)
    kind = rng.choice(generated.KINDS)
    objects = [generated.object_of(rng, kind) for _ in range(5)]
    node = builtin.for_kind(gvk_of(objects[0]))
    assert node is not None
    wanted = generated.blend(rng, objects[0], generated.object_of(rng, kind))
    patch = generated.patch_of(rng, objects[0], wanted, node)
    verdict = kubectl.judge_patch(objects, patch, "strategic")
    changed, refused = [], 0
    for obj in objects:
        try:
            changed.append(strategic.apply(obj, patch, node))
        except errors.PatchError:
            refused += 1
    assert (changed, refused) == (verdict.objects, len(verdict.errors))


CASES = [
    json.loads(line)
    for name in ("computed.jsonl", "computed_repeated_keys.jsonl")
    for line in Path(__file__).with_name(name).read_text().splitlines()
]
"""The second file holds lists in which a merge key stands more than once: port 53 of UDP and of TCP, a name twice."""


@pytest.mark.parametrize("case", CASES)
def test_computed_patches_are_those_of_kubernetes_own_library(case: Doc) -> None:
    """The expected patches were computed by k8s.io/apimachinery 0.37.1 (CreateTwo- and CreateThreeWayMergePatch)."""
    original, modified = case["original"], case["modified"]
    node = builtin.for_kind(gvk_of(modified))
    if "current" in case:
        patch = strategic.three_way(original, modified, case["current"], node)
    else:
        patch = strategic_diff.diff_maps(original, modified, node, strategic_diff.DiffScope())
    assert patch == case["expected"]
