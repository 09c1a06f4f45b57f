"""Vault's server pods, which say by labels of their own whether they are sealed.

Asked by the check on such pods, and by the one on stores that a sealed Vault turns away.
"""

from __future__ import annotations

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.diagnose.graph.view.cluster import ClusterIndex

_POD = GroupKind("", "Pod")
_SEALED = ("vault-sealed", "openbao-sealed")
_INITIALIZED = ("vault-initialized", "openbao-initialized")


def is_sealed(pod: Object) -> bool:
    """Whether a pod says that it is a sealed server."""
    return any(meta.labels(pod).get(name) == "true" for name in _SEALED)


def is_initialized(pod: Object) -> bool:
    """Whether a server was ever given keys: only then can it be unsealed."""
    return not any(meta.labels(pod).get(name) == "false" for name in _INITIALIZED)


def program(pod: Object) -> str:
    """Return the name of the server's own command."""
    return "bao" if any(name.startswith("openbao-") for name in meta.labels(pod)) else "vault"


def sealed_pods(cluster: ClusterIndex, namespace: str) -> list[ObjectKey]:
    """Return the sealed servers of a namespace."""
    return [key for key, pod in cluster.of_kind(_POD, namespace) if is_sealed(pod)]
