"""Syncline does not deliver where Argo CD's controller is alive."""

import pytest

from syncline.adapters.kube.client import KubeCluster
from syncline.apimachinery.keys import Object
from syncline.cli.guard import is_argocd_controller, refuse_beside_argocd
from syncline.model.errors import NeedsUser
from syncline.sandbox.server import Sandbox
from syncline.sandbox.settings import SandboxSettings
from tests.support.clocks import LoopClock, SeededIds
from tests.support.loops.simulated import run_simulated

NAME = {"app.kubernetes.io/name": "argocd-application-controller"}
COMPONENT = {"app.kubernetes.io/component": "application-controller", "app.kubernetes.io/part-of": "argocd"}


def controller(replicas: int) -> Object:
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "argocd-application-controller", "namespace": "argocd", "labels": NAME},
        "spec": {
            "replicas": replicas,
            "serviceName": "argocd",
            "selector": {"matchLabels": {"app": "c"}},
            "template": {"metadata": {"labels": {"app": "c"}}, "spec": {"containers": [{"name": "c", "image": "c:1"}]}},
        },
    }


def check(*objects: Object) -> None:
    async def main() -> None:
        sandbox = Sandbox(LoopClock(), SeededIds(), settings=SandboxSettings(simulate=False))
        await sandbox.start()
        cluster = KubeCluster(sandbox.transport())
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "argocd"}}
        for obj in (namespace, *objects):
            group, _, version = obj["apiVersion"].rpartition("/")
            found = [item for item in (await cluster.discover()).resources if item.gvk.kind == obj["kind"]]
            resource = next(item for item in found if (item.gvk.group, item.gvk.version) == (group, version))
            await cluster.apply(resource, obj, manager="test")
        try:
            await refuse_beside_argocd(cluster, "argocd")
        finally:
            await sandbox.stop()

    run_simulated(main)


def test_a_running_controller_is_named_and_nothing_begins() -> None:
    with pytest.raises(
        NeedsUser, match=r"StatefulSet argocd/argocd-application-controller.*two controllers would fight"
    ):
        check(controller(1))


def test_one_scaled_to_nothing_is_no_obstacle() -> None:
    check(controller(0))


def test_an_empty_cluster_is_no_obstacle() -> None:
    check()


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (NAME, True),
        ({"app.kubernetes.io/name": "openshift-gitops-argocd-application-controller"}, True),
        (COMPONENT, True),
        ({}, False),
    ],
)
def test_it_is_known_by_its_labels(labels: dict[str, str], expected: bool) -> None:
    assert is_argocd_controller({"metadata": {"labels": labels}}) is expected
