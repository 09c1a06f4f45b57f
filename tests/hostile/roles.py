"""The Kubernetes roles that the attacked processes run under.

`own_rules` is what a component may do in the namespace of the installation, `READ` what it sees of the cluster,
`DELIVER` what the controller may write in the namespaces of teams and nowhere else. `tests.hostile.installation` binds
them to the service accounts of both processes.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
RBAC = "rbac.authorization.k8s.io"
READ = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}]
DELIVER = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]


def _rule(group: str, resources: list[str], *verbs: str) -> Json:
    return {"apiGroups": [group], "resources": resources, "verbs": list(verbs)}


def own_rules(component: str) -> list[Json]:
    """Return the rules of one component for Syncline's own objects; it needs no right beyond them there."""
    read = ("get", "list", "watch")
    if component == "controller":
        return [
            _rule("argoproj.io", ["applications"], *read, "create", "update", "patch", "delete"),
            _rule("argoproj.io", ["applications/status", "applications/finalizers"], "update", "patch"),
            _rule("argoproj.io", ["applicationsets", "applicationsets/status"], *read, "update", "patch"),
            _rule("argoproj.io", ["appprojects"], *read, "update", "patch"),
            _rule("syncline.io", ["*"], *read, "create", "update", "patch", "delete"),
            _rule("", ["secrets"], *read),
            _rule("", ["configmaps"], *read, "create", "update", "patch"),
            _rule("", ["events"], *read, "create", "patch", "update"),
            _rule("coordination.k8s.io", ["leases"], *read, "create", "update", "patch"),
        ]
    return [
        _rule(
            "argoproj.io",
            ["applications", "applicationsets", "appprojects"],
            *read,
            "create",
            "update",
            "patch",
            "delete",
        ),
        _rule("syncline.io", ["*"], *read),
        _rule("", ["secrets", "configmaps"], *read, "create", "update", "patch", "delete"),
        _rule("", ["events"], *read, "create", "patch"),
        _rule("coordination.k8s.io", ["leases"], *read),
    ]


def account(component: str, namespace: str) -> list[Json]:
    """Return the service account of a component, and its rights on Syncline's own objects and on reading."""
    name = f"syncline-{component}"
    about: Json = {"name": name, "namespace": namespace}
    subject = {"kind": "ServiceAccount", "name": name, "namespace": namespace}
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": about},
        {"apiVersion": f"{RBAC}/v1", "kind": "Role", "metadata": about, "rules": own_rules(component)},
        _binding("Role", name, subject, namespace),
        {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": {"name": f"{name}-reads"}, "rules": READ},
        _binding("ClusterRole", f"{name}-reads", subject),
    ]


def delivery_role() -> Json:
    """Return the role of whoever delivers into a namespace of a team."""
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "syncline-delivers"},
        "rules": DELIVER,
    }


def delivery_into(namespace: str, components: tuple[str, ...], home: str) -> list[Json]:
    """Return what lets components write into one namespace."""
    return [
        {
            **_binding(
                "ClusterRole",
                "syncline-delivers",
                {"kind": "ServiceAccount", "name": f"syncline-{component}", "namespace": home},
                namespace,
            ),
            "metadata": {"name": f"syncline-{component}-delivers", "namespace": namespace},
        }
        for component in components
    ]


def _binding(kind: str, name: str, subject: Json, namespace: str = "") -> Json:
    about: Json = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": "RoleBinding" if namespace else "ClusterRoleBinding",
        "metadata": about,
        "roleRef": {"apiGroup": RBAC, "kind": kind, "name": name},
        "subjects": [subject],
    }
