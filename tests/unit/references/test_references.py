"""Which other objects an object names: by the rules of its kind, and by what fields of custom kinds are called."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.references import read
from syncline.model.finding import Confidence
from tests.support.objects import obj

POD: dict[str, Any] = {
    "serviceAccountName": "runner",
    "imagePullSecrets": [{"name": "pull"}],
    "priorityClassName": "high",
    "nodeName": "node-1",
    "volumes": [
        {"name": "a", "secret": {"secretName": "tls", "optional": True}},
        {"name": "b", "configMap": {"name": "settings"}},
        {"name": "c", "persistentVolumeClaim": {"claimName": "data"}},
        {"name": "d", "projected": {"sources": [{"configMap": {"name": "root-ca"}}, {"secret": {"name": "token"}}]}},
        {"name": "e", "csi": {"driver": "store.example.io", "volumeAttributes": {"secretProviderClass": "vault"}}},
    ],
    "initContainers": [{"name": "init", "envFrom": [{"secretRef": {"name": "init"}}]}],
    "containers": [
        {
            "name": "main",
            "envFrom": [{"configMapRef": {"name": "settings"}}],
            "env": [
                {"name": "PLAIN", "value": "x"},
                {"name": "A", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}},
                {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "more", "key": "b", "optional": True}}},
            ],
        }
    ],
}
OF_POD = [
    "/ConfigMap:shop/more",
    "/ConfigMap:shop/root-ca",
    "/ConfigMap:shop/settings",
    "/Node:/node-1",
    "/PersistentVolumeClaim:shop/data",
    "/Secret:shop/db",
    "/Secret:shop/init",
    "/Secret:shop/pull",
    "/Secret:shop/tls",
    "/Secret:shop/token",
    "/ServiceAccount:shop/runner",
    "scheduling.k8s.io/PriorityClass:/high",
    "secrets-store.csi.x-k8s.io/SecretProviderClass:shop/vault",
    "storage.k8s.io/CSIDriver:/store.example.io",
]
TEMPLATE = {"template": {"spec": POD}}
CERT, STORES, GATEWAY = "cert-manager.io/v1", "external-secrets.io/v1", "gateway.networking.k8s.io/v1"
RBAC, KEDA = "rbac.authorization.k8s.io/v1", "keda.sh/v1alpha1"
HOOKS: list[dict[str, Any]] = [
    {"clientConfig": {"service": {"name": "hook", "namespace": "system"}}},
    {"clientConfig": {"url": "https://x"}},
]


def cluster(kind: str, api: str, **rest: Any) -> Object:
    return obj(kind, "one", api=api, namespace="", **rest)


BUILT_IN: dict[str, tuple[Object, list[str]]] = {
    "pod": (obj("Pod", "web", spec=POD), OF_POD),
    "deployment": (obj("Deployment", "web", api="apps/v1", spec=TEMPLATE), OF_POD),
    "cron job": (obj("CronJob", "web", api="batch/v1", spec={"jobTemplate": {"spec": TEMPLATE}}), OF_POD),
    "stateful set": (
        obj(
            "StatefulSet",
            "db",
            api="apps/v1",
            spec={"serviceName": "db", "volumeClaimTemplates": [{"spec": {"storageClassName": "fast"}}]},
        ),
        ["/Service:shop/db", "storage.k8s.io/StorageClass:/fast"],
    ),
    "account": (
        obj("ServiceAccount", "runner", secrets=[{"name": "token"}], imagePullSecrets=[{"name": "pull"}]),
        ["/Secret:shop/pull", "/Secret:shop/token"],
    ),
    "claim": (
        obj(
            "PersistentVolumeClaim",
            "data",
            spec={
                "storageClassName": "fast",
                "volumeName": "pv-1",
                "dataSource": {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "last"},
            },
        ),
        [
            "/PersistentVolume:/pv-1",
            "snapshot.storage.k8s.io/VolumeSnapshot:shop/last",
            "storage.k8s.io/StorageClass:/fast",
        ],
    ),
    "volume": (
        cluster("PersistentVolume", "v1", spec={"claimRef": {"kind": "X", "namespace": "shop", "name": "data"}}),
        ["/PersistentVolumeClaim:shop/data"],
    ),
    "ingress": (
        obj(
            "Ingress",
            "web",
            api="networking.k8s.io/v1",
            annotations={"cert-manager.io/cluster-issuer": "public"},
            spec={
                "ingressClassName": "outer",
                "tls": [{"hosts": ["a"], "secretName": "tls"}, {"hosts": ["b"]}],
                "defaultBackend": {"service": {"name": "fallback", "port": {"number": 80}}},
                "rules": [{"http": {"paths": [{"backend": {"service": {"name": "web"}}}]}}, {"host": "c"}],
            },
        ),
        [
            "/Secret:shop/tls",
            "/Service:shop/fallback",
            "/Service:shop/web",
            "cert-manager.io/ClusterIssuer:/public",
            "networking.k8s.io/IngressClass:/outer",
        ],
    ),
    "autoscaler": (
        obj(
            "HorizontalPodAutoscaler",
            "web",
            api="autoscaling/v2",
            spec={"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db"}},
        ),
        ["apps/StatefulSet:shop/db"],
    ),
    "role binding": (
        obj(
            "RoleBinding",
            "one",
            api=RBAC,
            roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
            subjects=[
                {"kind": "ServiceAccount", "name": "runner", "namespace": "other"},
                {"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "ada"},
            ],
        ),
        ["/ServiceAccount:other/runner", "rbac.authorization.k8s.io/ClusterRole:/view"],
    ),
    "webhooks": (
        cluster("ValidatingWebhookConfiguration", "admissionregistration.k8s.io/v1", webhooks=HOOKS),
        ["/Service:system/hook"],
    ),
    "API service": (
        cluster(
            "APIService", "apiregistration.k8s.io/v1", spec={"service": {"name": "metrics", "namespace": "system"}}
        ),
        ["/Service:system/metrics"],
    ),
    "definition": (
        cluster(
            "CustomResourceDefinition",
            "apiextensions.k8s.io/v1",
            spec={"conversion": {"webhook": {"clientConfig": HOOKS[0]["clientConfig"]}}},
        ),
        ["/Service:system/hook"],
    ),
    "slice": (
        obj(
            "EndpointSlice",
            "web-1",
            api="discovery.k8s.io/v1",
            labels={"kubernetes.io/service-name": "web"},
            endpoints=[{"targetRef": {"kind": "Pod", "namespace": "shop", "name": "web-1"}}],
        ),
        ["/Pod:shop/web-1", "/Service:shop/web"],
    ),
    "kind that names nothing": (obj("ConfigMap", "a", spec={"secretRef": {"name": "x"}}), []),
}
OPERATORS: dict[str, tuple[Object, list[str]]] = {
    "certificate": (
        obj("Certificate", "web", api=CERT, spec={"secretName": "tls", "issuerRef": {"name": "inner"}}),
        ["/Secret:shop/tls", "cert-manager.io/Issuer:shop/inner"],
    ),
    "certificate of a cluster issuer": (
        obj("Certificate", "web", api=CERT, spec={"issuerRef": {"kind": "ClusterIssuer", "name": "outer"}}),
        ["cert-manager.io/ClusterIssuer:/outer"],
    ),
    "external secret": (
        obj("ExternalSecret", "db", api=STORES, spec={"secretStoreRef": {"kind": "ClusterSecretStore", "name": "v"}}),
        ["/Secret:shop/db", "external-secrets.io/ClusterSecretStore:/v"],
    ),
    "external secret with a name": (
        obj("ExternalSecret", "x", api=STORES, spec={"secretStoreRef": {"name": "v"}, "target": {"name": "db"}}),
        ["/Secret:shop/db", "external-secrets.io/SecretStore:shop/v"],
    ),
    "sealed secret": (obj("SealedSecret", "db", api="bitnami.com/v1alpha1", spec={}), ["/Secret:shop/db"]),
    "gateway": (
        obj(
            "Gateway",
            "outer",
            api=GATEWAY,
            spec={
                "gatewayClassName": "mesh",
                "listeners": [{"tls": {"certificateRefs": [{"name": "tls", "namespace": "certs"}]}}],
            },
        ),
        ["/Secret:certs/tls", "gateway.networking.k8s.io/GatewayClass:/mesh"],
    ),
    "route": (
        obj(
            "HTTPRoute",
            "web",
            api=GATEWAY,
            spec={
                "parentRefs": [{"name": "outer", "namespace": "system"}],
                "rules": [{"backendRefs": [{"name": "web", "port": 80}]}],
            },
        ),
        ["/Service:shop/web", "gateway.networking.k8s.io/Gateway:system/outer"],
    ),
    "scaled object": (
        obj("ScaledObject", "web", api=KEDA, spec={"scaleTargetRef": {"kind": "StatefulSet", "name": "db"}}),
        ["apps/StatefulSet:shop/db"],
    ),
    "custom kind, by its fields": (
        obj(
            "Database",
            "db",
            api="example.io/v1",
            spec={
                "adminPasswordSecretRef": {"name": "admin", "key": "password"},
                "pod": {"serviceAccountName": "runner", "imagePullSecrets": [{"name": "pull"}]},
                "backups": [{"target": {"bucketRef": {"kind": "Bucket", "name": "cold"}}}],
                "configMap": {"name": "tuning"},
                "reference": "nothing",
            },
        ),
        [
            "/ConfigMap:shop/tuning",
            "/Secret:shop/admin",
            "/Secret:shop/pull",
            "/ServiceAccount:shop/runner",
            "example.io/Bucket:shop/cold",
        ],
    ),
}


@pytest.mark.parametrize("name", [*BUILT_IN, *OPERATORS])
def test_each_kind_names_objects_in_its_own_fields(name: str) -> None:
    value, expected = (BUILT_IN | OPERATORS)[name]
    assert [str(key) for key in read.named(value)] == expected
    assert sorted({str(reference.key) for reference in read.references(value)}) == expected


def test_a_reference_tells_field_key_and_whether_it_can_be_done_without() -> None:
    found = {str(one.path): one for one in read.references(obj("Pod", "web", spec=POD))}
    password = found["spec.containers[0].env[1].valueFrom.secretKeyRef.name"]
    assert (str(password.key), password.part, password.optional) == ("/Secret:shop/db", "password", False)
    assert found["spec.volumes[0].secret.secretName"].optional is True
    assert found["spec.nodeName"].confidence is Confidence.DECLARED


@pytest.mark.parametrize(
    ("name", "path"), [("external secret", "spec.target.name"), ("certificate", "spec.secretName")]
)  # fmt: skip
def test_what_an_object_makes_is_told_from_what_it_needs(name: str, path: str) -> None:
    assert [one.path for one in read.references(OPERATORS[name][0]) if one.makes] == [path]


def test_what_only_the_name_of_a_field_tells_is_less_sure() -> None:
    value, _ = OPERATORS["custom kind, by its fields"]
    assert {one.confidence for one in read.references(value)} == {Confidence.TEXT}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (None, []),
        ("text", []),
        ([], []),
        ({"containers": {"a": 1}, "volumes": [None, 1, {"secret": 3}, {"configMap": {"name": 3}}]}, []),
        ({"containers": [{"env": [{"valueFrom": []}]}], "serviceAccountName": {}, "imagePullSecrets": [{}, ""]}, []),
        ({"volumes": [{"secret": {}}, {"secret": {"secretName": "tls"}}]}, ["/Secret:shop/tls"]),
    ],
)
def test_what_has_not_the_form_of_its_kind_is_passed_by(spec: object, expected: list[str]) -> None:
    assert [str(key) for key in read.named(obj("Pod", "web", spec=spec))] == expected


def test_a_secret_in_a_namespace_that_only_the_operator_knows_is_not_guessed() -> None:
    issuer = cluster("ClusterIssuer", CERT, spec={"ca": {"secretName": "root"}})
    assert read.named(issuer) == ()
