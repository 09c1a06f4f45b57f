"""The stages of the platform: which objects each Application delivers.

Read by `syncline.scenarios.private_ai.files`. Names are those of the write-up where it names any; the others are what
such a platform has.
"""

from __future__ import annotations

from typing import Any

from syncline.scenarios import manifests as m
from syncline.scenarios.manifests import Manifest

DEMO = "private-ai-demo"
_OPERATORS = {
    "openshift-serverless": "serverless-operator",
    "openshift-operators": "servicemeshoperator",
    "redhat-ods-operator": "rhods-operator",
    "nvidia-gpu-operator": "gpu-operator-certified",
    "openshift-nfd": "nfd",
}
OLD_LABELS = {"app": "llama-stack-playground"}
NEW_LABELS = {**OLD_LABELS, "app.kubernetes.io/part-of": "private-ai"}


def operators() -> dict[str, list[Manifest]]:
    """Return what the cluster is extended by."""
    grpc = {"sourceType": "grpc", "image": "quay.io/private-ai/catalog:4.18"}
    files = {
        "catalog.yaml": [
            m.namespace("openshift-marketplace"),
            m.obj("operators.coreos.com/v1alpha1", "CatalogSource", "mirrored", "openshift-marketplace", spec=grpc),
        ],
        "docling.yaml": [m.definition("docling.io", "DoclingServe", "doclingserves", "v1alpha1")],
    }
    for where, package in _OPERATORS.items():
        wanted = {
            "channel": "stable",
            "name": package,
            "source": "mirrored",
            "sourceNamespace": "openshift-marketplace",
        }
        files[f"{package}.yaml"] = [
            m.namespace(where),
            m.obj("operators.coreos.com/v1", "OperatorGroup", package, where, spec={}),
            m.obj("operators.coreos.com/v1alpha1", "Subscription", package, where, spec=wanted),
        ]
    return files


def gpus() -> dict[str, list[Manifest]]:
    """Return what makes the GPUs usable."""
    where, labels = "nvidia-gpu-operator", {"app": "nvidia-driver"}
    pod = {
        "nodeSelector": {"nvidia.com/gpu.present": "true"},
        "containers": [{"name": "driver", "image": "nvcr.io/nvidia/driver:550"}],
    }
    template = {"metadata": {"labels": labels}, "spec": pod}
    return {
        "driver.yaml": [
            m.obj(
                "apps/v1",
                "DaemonSet",
                "nvidia-driver",
                where,
                spec={"selector": {"matchLabels": labels}, "template": template},
            )
        ],
        "sharing.yaml": [
            m.config(
                "time-slicing",
                where,
                {"any": "sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}\n"},
            )
        ],
        "class.yaml": [m.obj("node.k8s.io/v1", "RuntimeClass", "nvidia", handler="nvidia")],
    }


def data_science() -> dict[str, list[Manifest]]:
    """Return OpenShift AI itself, and the gateways that its operators take over."""
    components = {
        name: {"managementState": "Managed"} for name in ("dashboard", "kserve", "modelregistry", "workbenches")
    }
    return {
        "namespace.yaml": [m.namespace("knative-serving")],
        "initialisation.yaml": [
            m.obj(
                "dscinitialization.opendatahub.io/v1",
                "DSCInitialization",
                "default-dsci",
                spec={"applicationsNamespace": "redhat-ods-applications"},
            )
        ],
        "cluster.yaml": [
            m.obj(
                "datasciencecluster.opendatahub.io/v1",
                "DataScienceCluster",
                "default-dsc",
                spec={"components": components},
            )
        ],
        "gateways.yaml": [_gateway("knative-ingress-gateway", 443), _gateway("knative-local-gateway", 8081)],
    }


def _gateway(name: str, port: int) -> Manifest:
    servers = [{"port": {"number": port, "name": "https", "protocol": "HTTPS"}, "hosts": ["*.knative-serving.svc"]}]
    spec = {"selector": {"istio": "knative"}, "servers": servers}
    return m.obj("networking.istio.io/v1", "Gateway", name, "knative-serving", labels={"release": "knative"}, spec=spec)


def storage() -> dict[str, list[Manifest]]:
    """Return MinIO, with the two Routes that OpenShift completes."""
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "50Gi"}}}
    mounted = [{"name": "data", "persistentVolumeClaim": {"claimName": "minio"}}]
    workload = m.deployment("minio", DEMO, "quay.io/minio/minio:RELEASE.2025-09-07", 9000, volumes=mounted)
    return {
        "minio.yaml": [
            m.obj("v1", "PersistentVolumeClaim", "minio", DEMO, spec=claim),
            workload,
            m.service("minio", DEMO, 9000),
        ],
        "buckets.yaml": [m.config("minio-buckets", DEMO, {"buckets": "models,pipelines,vectors\n"})],
        "route-api.yaml": [_route("minio-api")],
        "route-console.yaml": [_route("minio-console")],
    }


def _route(name: str) -> Manifest:
    spec: dict[str, Any] = {
        "host": "",
        "to": {"kind": "Service", "name": "minio", "weight": 100},
        "port": {"targetPort": "http"},
    }
    spec["tls"] = {"termination": "edge", "insecureEdgeTerminationPolicy": "Allow"}
    return m.obj("route.openshift.io/v1", "Route", name, DEMO, spec=spec)


def registry() -> dict[str, list[Manifest]]:
    """Return the registry of models, which brings the namespace of the demo too."""
    return {
        "namespace.yaml": [m.namespace(DEMO)],
        "registry.yaml": [
            *_pair("model-registry", "quay.io/opendatahub/model-registry:v0.2.15"),
            *_pair("model-registry-db", "registry.redhat.io/rhel9/mysql-84:1", 3306),
            m.config("model-registry", DEMO, {"datastore": "mysql://model-registry-db:3306"}),
        ],
    }


def serving_before() -> dict[str, list[Manifest]]:
    """Return model serving as the legacy branch had it: one model."""
    return {"namespace.yaml": [m.namespace(DEMO)], "legacy/inference.yaml": [_runtime(), _model("mistral-7b")]}


def serving() -> dict[str, list[Manifest]]:
    """Return model serving in the layout of main."""
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "100Gi"}}}
    return {
        "namespace.yaml": [m.namespace(DEMO)],
        "vllm/runtime.yaml": [_runtime()],
        "vllm/pvc-mistral-24b.yaml": [m.obj("v1", "PersistentVolumeClaim", "mistral-24b", DEMO, spec=claim)],
        "vllm/download-mistral-24b.yaml": [_download("mistral-24b")],
        "vllm/inference-mistral-24b.yaml": [_model("mistral-24b")],
        "vllm/inference-mistral-7b.yaml": [_model("mistral-7b")],
    }


def _download(model: str) -> Manifest:
    """Return the Job that fills a claim: its class waits for the first pod that mounts it."""
    container = {"name": "download", "image": "quay.io/private-ai/download:1.0", "args": [model]}
    volumes = [{"name": "model", "persistentVolumeClaim": {"claimName": model}}]
    pod = {"restartPolicy": "Never", "containers": [container], "volumes": volumes}
    return m.obj("batch/v1", "Job", f"download-{model}", DEMO, spec={"template": {"spec": pod}})


def _runtime() -> Manifest:
    container = {"name": "kserve-container", "image": "registry.redhat.io/rhaiis/vllm-cuda-rhel9:3.2"}
    return m.obj("serving.kserve.io/v1alpha1", "ServingRuntime", "vllm", DEMO, spec={"containers": [container]})


def _model(name: str) -> Manifest:
    model = {"runtime": "vllm", "modelFormat": {"name": "vLLM"}, "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    how = {"serving.kserve.io/deploymentMode": "RawDeployment"}
    spec = {"predictor": {"minReplicas": 1, "model": model}}
    return m.obj("serving.kserve.io/v1beta1", "InferenceService", name, DEMO, annotations=how, spec=spec)


def alignment(labels: dict[str, str], *, docling: bool) -> dict[str, list[Manifest]]:
    """Return model alignment; the labels are those that its playground is selected by."""
    playground = m.deployment("llama-stack-playground", DEMO, "quay.io/private-ai/playground:1.4", 8501)
    playground["spec"]["selector"]["matchLabels"] = labels
    playground["spec"]["template"]["metadata"]["labels"] = labels
    files = {
        "playground.yaml": [playground, m.service("llama-stack-playground", DEMO, 8501)],
        "llama-stack.yaml": [
            *_pair("llama-stack", "quay.io/private-ai/llama-stack:0.2.9", 8321),
            m.config("llama-stack", DEMO, {"run.yaml": "version: 2\n"}),
        ],
    }
    if docling:
        files["docling.yaml"] = [m.obj("docling.io/v1alpha1", "DoclingServe", "docling", DEMO, spec={"replicas": 1})]
    return files


def _pair(name: str, image: str, port: int = 8080) -> list[Manifest]:
    return [m.deployment(name, DEMO, image, port), m.service(name, DEMO, port)]
