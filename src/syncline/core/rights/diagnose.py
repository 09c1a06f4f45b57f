"""The rights of an installation that only diagnoses: the ClusterRole `view`, and what that leaves out.

Called by `syncline.core.install.objects`; `tools/build_manifests.py` writes the same rules into the chart. Secrets are
left out. Custom kinds are read where their operator adds them to `view`; the others are reported as not read.
"""

from __future__ import annotations

from typing import Final

from syncline.apimachinery.keys import Object
from syncline.core.rights.roles import account, binding, bound_cluster_role

NAME: Final = "syncline-diagnose"
_READ: Final = ["get", "list", "watch"]

_READ_BESIDE_VIEW: Final = {
    "": ("namespaces", "nodes", "persistentvolumes"),
    "admissionregistration.k8s.io": (
        "mutatingwebhookconfigurations",
        "validatingadmissionpolicies",
        "validatingadmissionpolicybindings",
        "validatingwebhookconfigurations",
    ),
    "apiextensions.k8s.io": ("customresourcedefinitions",),
    "apiregistration.k8s.io": ("apiservices",),
    "argoproj.io": ("applications", "applicationsets", "appprojects"),
    "networking.k8s.io": ("ingressclasses",),
    "node.k8s.io": ("runtimeclasses",),
    "scheduling.k8s.io": ("priorityclasses",),
    "storage.k8s.io": ("csidrivers", "csinodes", "storageclasses", "volumeattachments"),
}

RULES: Final[tuple[Object, ...]] = tuple(
    {"apiGroups": [group], "resources": list(resources), "verbs": _READ}
    for group, resources in _READ_BESIDE_VIEW.items()
)


def diagnose_roles(namespace: str) -> list[Object]:
    """Return the account of a diagnosing installation, its ClusterRole, and the bindings of both."""
    rules = [dict(rule) for rule in RULES]
    return [
        account(NAME, namespace),
        *bound_cluster_role(f"{NAME}-{namespace}", NAME, namespace, rules),
        binding("view", f"{NAME}-view-{namespace}", NAME, namespace),
    ]
