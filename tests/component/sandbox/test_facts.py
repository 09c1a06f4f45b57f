"""`syncline facts`: a cluster file from a running cluster, and the same cluster again from that file."""

from __future__ import annotations

import base64
from typing import Any

import msgspec

from syncline.apimachinery import yaml
from syncline.cli.cluster import facts
from syncline.sandbox.cluster import file as cluster_file
from syncline.sandbox.cluster.outside import KnownImages, PrivateImages
from syncline.sandbox.cluster.settings import NodeSpec, OperatorSpec, SandboxSettings, StorageClassSpec
from tests.unit.sandbox.driving import PODS, Kube, play, pod_spec

SETTINGS = SandboxSettings(
    nodes=(
        NodeSpec(name="dev-1", cpu="4", labels={"env": "dev"}, taints=({"key": "env", "effect": "NoSchedule"},)),
        NodeSpec(name="gpu-1", resources={"nvidia.com/gpu": "2"}, volume_limit=8, unschedulable=True),
        NodeSpec(name="lost-1", ready=False),
    ),
    storage_classes=(StorageClassSpec(name="fast", default=True, binding_mode="Immediate", allow_expansion=True),),
    operators=(OperatorSpec(name="cert-manager"), OperatorSpec(name="rollouts")),
    images=KnownImages(unknown=("quay.io/team/web:none",)),
    metrics_server=False,
)


async def described(kube: Kube) -> tuple[str, set[str]]:
    from syncline import wiring

    asked: set[str] = set()
    kube.sandbox.on_request = lambda handled: asked.add(handled.path.partition("?")[0])
    found, unread = await facts._read(wiring.client(kube.sandbox.transport()))
    assert not unread
    return yaml.dump(facts.describe(found, wiring.operator_groups())), asked


def test_the_file_describes_the_cluster_it_was_read_from() -> None:
    async def story(kube: Kube) -> Any:
        key = base64.b64encode(b"hunter2").decode()
        await kube.create("/api/v1/namespaces/default/secrets", {"metadata": {"name": "pull"}, "data": {"a": key}})
        everywhere = [{"operator": "Exists"}]
        for name, image in (("one", "quay.io/team/api:1"), ("two", "quay.io/team/web:none")):
            spec = pod_spec(image, tolerations=everywhere, imagePullSecrets=[{"name": "pull"}])
            await kube.create(PODS, {"metadata": {"name": name}, "spec": spec})
        await kube.clock.sleep(5)
        return await described(kube)

    text, asked = play(story, SETTINGS)
    read = cluster_file.parse(text, "facts").settings
    kept = {node.name: msgspec.structs.replace(node, address="10.0.0.10") for node in read.nodes}
    assert kept == {node.name: node for node in SETTINGS.nodes}
    assert read.storage_classes == SETTINGS.storage_classes
    assert [one.name for one in read.operators] == ["cert-manager", "rollouts"]
    assert read.images == KnownImages(
        seen=("quay.io/team/api:1", "quay.io/team/web:none"),
        unknown=("quay.io/team/web:none",),
        private=(PrivateImages(image="quay.io/team/api:1"), PrivateImages(image="quay.io/team/web:none")),
    )
    assert "hunter2" not in text
    assert not any("secrets" in path for path in asked)


def test_a_cluster_from_facts_gives_the_same_facts() -> None:
    async def story(kube: Kube) -> Any:
        await kube.clock.sleep(1)
        return (await described(kube))[0]

    first = play(story, SETTINGS)
    assert play(story, cluster_file.parse(first, "facts").settings) == first
