"""The one cluster is found under both of its names, and under nothing else."""

import pytest

from syncline.adapters.kube.client import KubeCluster
from syncline.adapters.kube.clusters import SingleCluster
from tests.unit.kube_client.scripted import Scripted


@pytest.mark.parametrize(
    ("server", "name", "found"),
    [
        ("https://kubernetes.default.svc", "", True),
        ("https://kubernetes.default.svc/", "", True),
        ("", "in-cluster", True),
        ("https://kubernetes.default.svc", "in-cluster", False),
        ("", "", False),
        ("https://other:6443", "", False),
        ("", "other", False),
    ],
)
def test_destinations(server: str, name: str, found: bool) -> None:
    cluster = KubeCluster(Scripted())
    clusters = SingleCluster(cluster)
    assert clusters.find(server=server, name=name) is (cluster if found else None)
    assert clusters.names() == ("https://kubernetes.default.svc", "in-cluster")
