"""One YAML file for a whole cluster: what it can say, and what is said when it is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from syncline.sandbox.cluster import file as cluster_file
from syncline.sandbox.cluster.file import ClusterFileError
from syncline.sandbox.cluster.settings import NodeSpec, OperatorSpec
from tests.unit.sandbox.driving import DEFINITIONS, PODS, Kube, play, pod_spec

WHOLE = """
name: ameide
nodes:
- {name: dev-1, cpu: 4, memory: 16Gi, labels: {env: dev}, taints: [{key: env, value: dev, effect: NoSchedule}]}
- {name: gpu-1, resources: {nvidia.com/gpu: 2}, volumeLimit: 8}
nodeGroups:
- {name: workers, max: 3, delay: 90, node: {cpu: 8}}
storageClasses:
- {name: managed-csi, default: true, provisioner: disk.csi.azure.com}
- {name: premium, bindingMode: Immediate, problem: no quota}
images:
  unknown: ["ghcr.io/ameideio/*:main"]
  private: [{image: "ghcr.io/ameideio/*", accepts: ["bot:token"]}]
  unreachable: [{registry: registry.example.com, problem: i/o timeout}]
containers:
- {image: "*/migrate:*", exitCode: 1, runSeconds: 3, lines: [no such table]}
operators:
- cert-manager
- {name: external-secrets, deployment: external-secrets/external-secrets}
modes:
- {kind: Pod, name: "vault-*", mode: sealed}
outside:
  names: ["*.azure.com"]
  secrets: {prod/db: {password: x}}
usage:
- {name: web, percent: 80}
loadBalancers: {delay: 5, ingressClasses: [nginx]}
behaviours:
- rules.yaml
- name: widget
  match: {group: example.io, kind: Widget}
  status: {phase: Done}
objects:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: team}, data: {a: b}}
- apiVersion: cert-manager.io/v1
  kind: ClusterIssuer
  metadata: {name: letsencrypt}
  spec: {selfSigned: {}}
controls:
  faults: [{methods: [DELETE], code: 500}]
"""


def test_a_whole_cluster_is_read_and_played(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(
        "- {name: gadget, match: {group: example.io, kind: Gadget}, status: {ok: true}}"
    )
    (tmp_path / "cluster.yaml").write_text(WHOLE)
    described = cluster_file.load(tmp_path / "cluster.yaml")
    settings = described.settings
    assert settings.nodes[0] == NodeSpec(
        name="dev-1",
        cpu="4",
        memory="16Gi",
        labels={"env": "dev"},
        taints=({"key": "env", "value": "dev", "effect": "NoSchedule"},),
    )
    assert settings.operators[0] == OperatorSpec(name="cert-manager")
    assert (settings.nodes[1].resources, settings.nodes[1].volume_limit) == ({"nvidia.com/gpu": "2"}, 8)
    assert len(settings.behaviours) == 2
    assert described.controls.faults[0].code == 500

    async def story(kube: Kube) -> Any:
        await kube.clock.sleep(5)
        await kube.create(PODS, {"metadata": {"name": "one"}, "spec": pod_spec("ghcr.io/ameideio/web:1")})
        await kube.clock.sleep(2)
        return {
            "nodes": await kube.names("/api/v1/nodes"),
            "classes": await kube.names("/apis/storage.k8s.io/v1/storageclasses"),
            "kinds": [name for name in await kube.names(DEFINITIONS) if name.startswith("clu")],
            "data": (await kube.get("/api/v1/namespaces/team/configmaps/settings"))["data"],
            "issuer": (await kube.get("/apis/cert-manager.io/v1/clusterissuers/letsencrypt"))["status"]["conditions"][
                0
            ],
            "pod": (await kube.get(f"{PODS}/one"))["status"]["containerStatuses"][0]["state"]["waiting"]["reason"],
        }

    seen = play(story, settings)
    assert seen.pop("issuer")["reason"] == "IsReady"
    assert seen == {
        "nodes": ["dev-1", "gpu-1"],
        "classes": ["managed-csi", "premium"],
        "kinds": [
            "clusterexternalsecrets.external-secrets.io",
            "clusterissuers.cert-manager.io",
            "clustersecretstores.external-secrets.io",
        ],
        "data": {"a": "b"},
        "pod": "ErrImagePull",
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nodez: []", 'unknown key "nodez": did you mean nodes.'),
        ("nodes: [{name: a, lables: {}}]", 'unknown key "lables" in nodes[0]: did you mean labels.'),
        ("images: {privat: []}", 'unknown key "privat" in images: did you mean private.'),
        ("nodeGroups: [{name: a, node: {cpus: 1}}]", 'unknown key "cpus" in nodeGroups[0].node: did you mean cpu.'),
        ("controls: {fault: []}", 'unknown key "fault" in controls: did you mean faults.'),
        ("nodes: 3", "expected `array`, got `int`, at nodes."),
        ("nodes: [{name: a, cpu: many}]", 'node "a" has "many" of cpu, which is not a quantity.'),
        (
            'containers: [{image: "*", ports: [{port: 80, to: "example.com:80"}]}]',
            'port 80 is carried to "example.com:80", not to a local address such as 127.0.0.1:8080.',
        ),
        ("nodes: [{name: a}, {name: a}]", 'two nodes are named "a".'),
        (
            "nodes: [{name: a, taints: [{key: x, effect: Sometimes}]}]",
            'a taint of node "a" needs a key and the effect NoSchedule, PreferNoSchedule or NoExecute.',
        ),
        (
            "storageClasses: [{name: a, bindingMode: Late}]",
            'storage class "a" has the bindingMode Late; known: Immediate and WaitForFirstConsumer.',
        ),
        (
            "storageClasses: [{name: a, default: true}, {name: b, default: true}]",
            "more than one storage class is the default.",
        ),
        ("operators: [cert-manger]", 'Unknown operator "cert-manger": did you mean cert-manager.'),
        (
            "objects: [{apiVersion: a.b/v1, kind: Thing, metadata: {name: one}}]",
            "Thing one is of a kind (a.b/v1) that no operator here provides.",
        ),
        ("objects: [{kind: Thing}]", "one of the objects has no apiVersion or kind."),
        ("data: here", "cannot set data: set it on the command line."),
        ("[1]", "must be a mapping with keys such as nodes or operators."),
        ("behaviours: [none.yaml]", "names the behaviours none.yaml, which cannot be read."),
        (
            "behaviours: [{name: a, match: {group: g, kind: K}, statuz: {}}]",
            "The behaviours in entry 1 of behaviours cannot be read: unknown field `statuz`, at `file.rules[0]`.",
        ),
    ],
)
def test_a_file_that_is_wrong_is_told_in_one_sentence(text: str, told: str) -> None:
    with pytest.raises(ClusterFileError) as raised:
        cluster_file.parse(text, "mine.yaml")
    assert str(raised.value).startswith("The cluster file mine.yaml ")
    assert str(raised.value).endswith(told)


def test_broken_yaml_is_told_with_its_place() -> None:
    with pytest.raises(ClusterFileError, match=r"^The cluster file mine.yaml is not YAML: at line 2, "):
        cluster_file.parse("a: [", "mine.yaml")
