"""The Kubernetes roles that the attacked processes run under, and nothing beyond them.

For Syncline's own objects these are the roles that `syncline admin rbac` prints. To deliver, the controller may write
in the namespaces of teams, the server may read there and change what people ask for; the namespace `vault`, which
belongs to nobody, can be read, so that an attack on it is refused by Syncline and not by a missing right. No account
reads cluster-scoped objects or Secrets of all namespaces. `tests.hostile.installation` applies them.
"""

from __future__ import annotations

from typing import Any

from syncline.core import rights

Json = dict[str, Any]
COMPONENTS = ("controller", "server")
RBAC = "rbac.authorization.k8s.io"
_READ = ["get", "list", "watch"]
_IN_TEAMS = {
    "controller": [*_READ, "create", "patch", "update", "delete"],
    # For logs, actions and what people change or delete with it.
    "server": [*_READ, "patch", "delete"],
}


def own(namespace: str) -> list[Json]:
    """Return the accounts of both components with the generated roles for their own work."""
    return [obj for component in COMPONENTS for obj in rights.manifests(component, namespace)]


def delivery_into(namespace: str, home: str) -> list[Json]:
    """Return what lets both components deliver into one namespace of a team."""
    return [
        obj
        for component in COMPONENTS
        for obj in _granted(f"syncline-{component}-delivers", _IN_TEAMS[component], component, namespace, home)
    ]


def reading(namespace: str, home: str) -> list[Json]:
    """Return what lets both components read one namespace."""
    return [
        obj
        for component in COMPONENTS
        for obj in _granted(f"syncline-{component}-reads", _READ, component, namespace, home)
    ]


def _granted(name: str, verbs: list[str], component: str, namespace: str, home: str) -> list[Json]:
    about: Json = {"name": name, "namespace": namespace}
    rules = [{"apiGroups": ["*"], "resources": ["*"], "verbs": verbs}]
    subject = {"kind": "ServiceAccount", "name": f"syncline-{component}", "namespace": home}
    return [
        {"apiVersion": f"{RBAC}/v1", "kind": "Role", "metadata": about, "rules": rules},
        {
            "apiVersion": f"{RBAC}/v1",
            "kind": "RoleBinding",
            "metadata": about,
            "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": name},
            "subjects": [subject],
        },
    ]
