"""`syncline facts` against a real kube-apiserver: the file can be read, and no Secret is asked for."""

import uuid

from syncline import wiring
from syncline.adapters.kube.client import KubeCluster
from syncline.apimachinery import yaml
from syncline.cli.cluster import facts
from syncline.ports.transport import Request, Response
from syncline.sandbox.behaviours import rules, shipped
from syncline.sandbox.cluster import file as cluster_file
from tests.real.api import Api
from tests.real.bed import connect
from tests.real.cluster import Cluster
from tests.support.loops.running import run_real


class Listening:
    """A transport that notes the paths that are asked for."""

    def __init__(self, inner, paths: list[str]) -> None:  # type: ignore[no-untyped-def]
        self._inner = inner
        self._paths = paths

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        self._paths.append(request.path.partition("?")[0])
        response: Response = await self._inner.send(request, timeout=timeout)
        return response

    async def close(self) -> None:
        await self._inner.close()


def test_a_real_cluster_is_described_in_a_file_that_can_be_read(
    real_cluster: Cluster, api: Api, namespace: str
) -> None:
    name = f"node-{uuid.uuid4().hex[:8]}"
    taint = {"key": "env", "value": "dev", "effect": "NoSchedule"}
    node = {"metadata": {"name": name, "labels": {"env": "dev"}}, "spec": {"taints": [taint]}}
    api.ok("POST", "/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", **node})
    amounts = {"cpu": "4", "memory": "16Gi", "pods": "110", "nvidia.com/gpu": "1"}
    status = {"status": {"allocatable": amounts, "capacity": amounts}}
    api.ok("PATCH", f"/api/v1/nodes/{name}/status", status, content_type="application/merge-patch+json")
    storage = {"metadata": {"name": name}, "provisioner": "disk.csi.azure.com", "volumeBindingMode": "Immediate"}
    api.ok(
        "POST",
        "/apis/storage.k8s.io/v1/storageclasses",
        {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", **storage},
    )
    definition = rules.definition(shipped.operator("sealed-secrets").definitions[0])
    code, _ = api.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
    assert code in (201, 409)
    paths: list[str] = []

    async def main() -> str:
        cluster = KubeCluster(Listening(connect(real_cluster), paths))
        try:
            for _ in range(50):
                found, unread = await facts._read(cluster)
                if "bitnami.com" in found.groups:
                    break
        finally:
            await cluster.close()
        assert not unread
        return yaml.dump(facts.describe(found, wiring.operator_groups()))

    read = cluster_file.parse(run_real(main()), "facts").settings
    ours = next(one for one in read.nodes if one.name == name)
    assert (ours.cpu, ours.memory, ours.pods, ours.resources) == ("4", "16Gi", "110", {"nvidia.com/gpu": "1"})
    assert ours.labels["env"] == "dev"
    assert taint in ours.taints
    assert next(one for one in read.storage_classes if one.name == name).binding_mode == "Immediate"
    assert "sealed-secrets" in [one.name for one in read.operators]
    assert not any(path.endswith("/secrets") for path in paths)
