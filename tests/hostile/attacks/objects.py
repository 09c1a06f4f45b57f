"""D3 and G1: manifests that reach for objects, namespaces, kinds and owners that are not the team's."""

from __future__ import annotations

import json
from typing import Any

from tests.hostile.attack import Attack
from tests.hostile.installation import HOME, application, config, config_map

Json = dict[str, Any]


def _listed(*items: Json) -> Json:
    return {"apiVersion": "v1", "kind": "List", "items": list(items)}


def _object(name: str, obj: Json, reason: str, **more: Any) -> Attack:
    return Attack(name, reason, {"x.yaml": json.dumps(obj)}, **more)


def _with(obj: Json, **metadata: Any) -> Json:
    return {**obj, "metadata": {**obj["metadata"], **metadata}}


def _rbac(kind: str, name: str) -> Json:
    about = {"name": name}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": kind,
        "metadata": about,
        "roleRef": role,
        "subjects": [{"kind": "User", "name": "alice", "apiGroup": "rbac.authorization.k8s.io"}],
    }


OTHER = config_map("payments", "vault", {"note": "taken"})
APP = application("evil-child", "default", "https://evil.example/x", ".", "vault")
DENIED = "not permitted|not allowed|denied|do not match"

ATTACKS = (
    _object("d3-nested-list", _listed(_listed(OTHER)), DENIED + "|List"),
    _object("d3-application", APP, DENIED),
    _object("d3-application-elsewhere", _with(APP, namespace=HOME), DENIED),
    _object(
        "d3-set",
        {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "ApplicationSet",
            "metadata": {"name": "evil", "namespace": HOME},
            "spec": {"generators": [], "template": {}},
        },
        DENIED,
    ),
    _object(
        "d3-project",
        {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "AppProject",
            "metadata": {"name": "team-a", "namespace": HOME},
            "spec": {"sourceRepos": ["*"]},
        },
        DENIED,
    ),
    _object("d3-namespace", OTHER, DENIED),
    _object("d3-settings", config_map("argocd-rbac-cm", HOME, {"policy.default": "role:admin"}), DENIED),
    _object("d3-other-team", config_map("x", "team-b-main", {}), DENIED),
    _object("d3-name", config_map("../../vault/configmaps/payments", "", {}), "name|invalid|Invalid"),
    _object("d3-name-query", config_map("x?dryRun=All", "", {}), "name|invalid|Invalid"),
    _object(
        "d3-tracking",
        _with(
            config_map("taken", "", {"note": "mine"}),
            annotations={"argocd.argoproj.io/tracking-id": "neighbour:/ConfigMap:team-b-main/honest"},
        ),
        "",
        written=True,
    ),
    _object("g1-cluster-scoped", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-evil"}}, DENIED),
    _object("g1-cluster-role", _rbac("ClusterRoleBinding", "evil"), DENIED),
    _object(
        "g1-crd",
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "x.evil.example"},
            "spec": {},
        },
        DENIED,
    ),
    _object(
        "g1-webhook",
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "evil"},
            "webhooks": [],
        },
        DENIED,
    ),
    Attack(
        "g1-destination",
        DENIED,
        {"x.yaml": config("x")},
        spec={"destination": {"server": "https://kubernetes.default.svc", "namespace": "vault"}},
    ),
    Attack(
        "g1-destination-name",
        DENIED,
        {"x.yaml": config("x")},
        spec={"destination": {"name": "far", "namespace": "team-a-x"}},
    ),
    Attack(
        "g1-destination-server",
        DENIED,
        {"x.yaml": config("x")},
        spec={"destination": {"server": "https://far.example.invalid", "namespace": "team-a-x"}},
    ),
    Attack(
        "g1-destination-listener",
        DENIED + "|cluster not found",
        {"x.yaml": config("x")},
        spec={"destination": {"server": "@LISTENER@/g1-destination", "namespace": "team-a-x"}},
    ),
    Attack(
        "g1-hook-elsewhere",
        DENIED,
        {
            "good.yaml": config("good"),
            "x.yaml": json.dumps(_with(OTHER, annotations={"argocd.argoproj.io/hook": "PreSync"})),
        },
    ),
    Attack(
        "g1-many",
        "objects|more than|too many|larger",
        {
            "x.yaml": "".join(
                f"---\n{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c{number}}}}}\n" for number in range(60_000)
            )
        },
        slow=True,
    ),
)
