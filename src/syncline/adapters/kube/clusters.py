"""The destinations of an installation that delivers to one cluster only: the one it runs on.

Handed to the controller by `syncline.wiring`. Known by Argo CD's two spellings of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from syncline.model import names
from syncline.ports.kube import Cluster


class SingleCluster:
    """The cluster the Applications live on, as the only destination."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def find(self, *, server: str, name: str) -> Cluster | None:
        """Return the cluster for its server or its name; both together or neither name no destination."""
        if (server.rstrip("/"), name) in ((names.IN_CLUSTER_SERVER, ""), ("", names.IN_CLUSTER_NAME)):
            return self._cluster
        return None

    def names(self) -> Sequence[str]:
        """List both spellings."""
        return (names.IN_CLUSTER_SERVER, names.IN_CLUSTER_NAME)
