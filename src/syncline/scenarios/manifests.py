"""Kubernetes objects in few words, for the files of stories: what such objects have at least, and nothing of anybody's.

Used by the folders beside this file. Values only; `as_file` makes the text of a file of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from syncline.apimachinery import yaml
from syncline.scenarios.story import REPOSITORY

Manifest = dict[str, Any]
HERE = "https://kubernetes.default.svc"


def as_file(objects: Iterable[Manifest]) -> str:
    """Return the text of a file with these objects."""
    return "---\n".join(yaml.dump(one) for one in objects)


def kustomization(*resources: str, **more: Any) -> str:
    """Return the text of a kustomization."""
    return yaml.dump({"resources": list(resources), **more})


def obj(api: str, kind: str, name: str, namespace: str = "", **fields: Any) -> Manifest:
    """Return an object; `labels` and `annotations` go into its metadata."""
    about: Manifest = {"name": name, **({"namespace": namespace} if namespace else {})}
    about |= {key: fields.pop(key) for key in ("labels", "annotations") if key in fields}
    return {"apiVersion": api, "kind": kind, "metadata": about, **fields}


def namespace(name: str, **labels: str) -> Manifest:
    """Return a Namespace."""
    return obj("v1", "Namespace", name, "", **({"labels": labels} if labels else {}))


def config(name: str, where: str, data: Mapping[str, str]) -> Manifest:
    """Return a ConfigMap."""
    return obj("v1", "ConfigMap", name, where, data=dict(data))


def account(name: str, where: str) -> Manifest:
    """Return a ServiceAccount."""
    return obj("v1", "ServiceAccount", name, where)


def deployment(name: str, where: str, image: str, port: int = 80, **pod: Any) -> Manifest:
    """Return a Deployment of one container; further fields go into the spec of its pods."""
    label = {"app": name}
    requests = {"cpu": "10m", "memory": "32Mi"}
    container = {
        "name": name,
        "image": image,
        "ports": [{"name": "http", "containerPort": port}],
        "resources": {"requests": requests},
    }
    template = {"metadata": {"labels": label}, "spec": {"containers": [container], **pod}}
    spec = {"replicas": 1, "selector": {"matchLabels": label}, "template": template}
    return obj("apps/v1", "Deployment", name, where, spec=spec)


def service(name: str, where: str, port: int = 80, **selector: str) -> Manifest:
    """Return a Service for the pods of the workload of the same name, or for those with other labels."""
    ports = [{"name": "http", "port": port, "targetPort": "http"}]
    return obj("v1", "Service", name, where, spec={"selector": selector or {"app": name}, "ports": ports})


def cluster_role(name: str, groups: Iterable[str], verbs: Iterable[str] = ("*",)) -> Manifest:
    """Return a ClusterRole for all resources of some API groups."""
    rules = [{"apiGroups": list(groups), "resources": ["*"], "verbs": list(verbs)}]
    return obj("rbac.authorization.k8s.io/v1", "ClusterRole", name, rules=rules)


def cluster_binding(name: str, role: str, who: str, where: str) -> Manifest:
    """Return the ClusterRoleBinding of a ServiceAccount."""
    return obj("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", name, **_bound("ClusterRole", role, who, where))


def role(name: str, where: str, *resources: str) -> Manifest:
    """Return a Role for some resources of the core group and for leases."""
    rules = [
        {"apiGroups": ["", "coordination.k8s.io"], "resources": list(resources), "verbs": ["get", "create", "update"]}
    ]
    return obj("rbac.authorization.k8s.io/v1", "Role", name, where, rules=rules)


def binding(name: str, where: str, to: str, who: str) -> Manifest:
    """Return the RoleBinding of a ServiceAccount of the same namespace."""
    return obj("rbac.authorization.k8s.io/v1", "RoleBinding", name, where, **_bound("Role", to, who, where))


def _bound(kind: str, to: str, who: str, where: str) -> Manifest:
    return {
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": to},
        "subjects": [{"kind": "ServiceAccount", "name": who, "namespace": where}],
    }


def definition(group: str, kind: str, plural: str, *versions: str, scope: str = "Namespaced") -> Manifest:
    """Return a CustomResourceDefinition that keeps whatever fields there are; the last version is stored."""
    free = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    served = [
        {
            "name": version,
            "served": True,
            "storage": version == versions[-1],
            "schema": {"openAPIV3Schema": free},
            "subresources": {"status": {}},
        }
        for version in versions
    ]
    names = {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"}
    spec = {"group": group, "names": names, "scope": scope, "versions": served}
    # The API server takes no kinds of a group of Kubernetes itself without word of who approved them.
    approved = {"annotations": {"api-approved.kubernetes.io": "unapproved"}} if group.endswith(".k8s.io") else {}
    return obj("apiextensions.k8s.io/v1", "CustomResourceDefinition", f"{plural}.{group}", "", **approved, spec=spec)


def webhooks(kind: str, name: str, where: str, target: str, group: str, plural: str) -> Manifest:
    """Return the webhooks of an operator for one of its kinds; writes go on where nobody answers."""
    hook = {
        "name": f"{plural}.{name}.{group}",
        "clientConfig": {"service": {"name": target, "namespace": where, "path": "/validate"}},
        "rules": [{"apiGroups": [group], "apiVersions": ["*"], "operations": ["CREATE"], "resources": [plural]}],
        "failurePolicy": "Ignore",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    return obj("admissionregistration.k8s.io/v1", kind, name, webhooks=[hook])


def application(name: str, path: str, home: str = "argocd", **given: Any) -> Manifest:
    """Return an Application for a folder of the repository it is in.

    `wave`, `revision`, `namespace`, `ignore` and `policy` are what their names say; without a policy it is synced
    automatically, pruned and healed.
    """
    usual = {"automated": {"prune": True, "selfHeal": True}, "syncOptions": ["CreateNamespace=true"]}
    policy = given.get("policy", usual)
    to: Manifest = {"server": HERE, **({"namespace": given["namespace"]} if given.get("namespace") else {})}
    spec = {
        "project": "default",
        "source": {"repoURL": REPOSITORY, "path": path, "targetRevision": given.get("revision", "main")},
        "destination": to,
        **({"ignoreDifferences": given["ignore"]} if given.get("ignore") else {}),
        **({"syncPolicy": policy} if policy else {}),
    }
    wave = {"annotations": {"argocd.argoproj.io/sync-wave": str(given["wave"])}} if "wave" in given else {}
    return obj("argoproj.io/v1alpha1", "Application", name, home, **wave, spec=spec)
