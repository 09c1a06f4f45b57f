"""What two Applications deliver: the trainer with the job sets it is built on, and the Spark operator.

Read by `syncline.scenarios.kubeflow.files`. None of it needs the mesh, so it runs while the foundation is missing.
"""

from __future__ import annotations

from syncline.scenarios import manifests as m
from syncline.scenarios.kubeflow.parts import operator
from syncline.scenarios.manifests import Manifest

SYSTEM = "kubeflow-system"
SPARK = "kubeflow-spark"
RUNTIMES = ("torch-distributed", "torchtune-llama3", "deepspeed-distributed", "mlx-distributed", "mpi-distributed")
_VALIDATING, _MUTATING = "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"


def job_sets() -> list[Manifest]:
    """Return the operator of job sets."""
    name = "jobset-controller"
    return [
        m.namespace(SYSTEM),
        m.definition("jobset.x-k8s.io", "JobSet", "jobsets", "v1alpha2"),
        *operator(name, SYSTEM, "registry.k8s.io/jobset/jobset:v0.8.0", "jobset.x-k8s.io", "batch"),
        m.config(
            "jobset-manager-config", SYSTEM, {"controller_manager_config.yaml": "leaderElection: {leaderElect: true}\n"}
        ),
        m.service("jobset-webhook-service", SYSTEM, 443, app=name),
        m.service("jobset-metrics-service", SYSTEM, 8443, app=name),
        m.cluster_role("jobset-metrics-reader", ["metrics.k8s.io"], ["get"]),
        m.cluster_role("jobset-proxy-role", ["authentication.k8s.io"], ["create"]),
        m.cluster_binding("jobset-proxy-rolebinding", "jobset-proxy-role", name, SYSTEM),
        m.webhooks(
            _VALIDATING, "jobset-validating-webhook", SYSTEM, "jobset-webhook-service", "jobset.x-k8s.io", "jobsets"
        ),
        m.webhooks(
            _MUTATING, "jobset-mutating-webhook", SYSTEM, "jobset-webhook-service", "jobset.x-k8s.io", "jobsets"
        ),
    ]


def trainer(runtimes: int) -> list[Manifest]:
    """Return the trainer and its runtimes."""
    group, name = "trainer.kubeflow.org", "kubeflow-trainer-controller-manager"
    return [
        m.definition(group, "TrainJob", "trainjobs", "v1alpha1"),
        m.definition(group, "TrainingRuntime", "trainingruntimes", "v1alpha1"),
        m.definition(group, "ClusterTrainingRuntime", "clustertrainingruntimes", "v1alpha1", scope="Cluster"),
        *operator(name, SYSTEM, "ghcr.io/kubeflow/trainer/trainer-controller-manager:v2.0.0", group),
        m.config("kubeflow-trainer-config", SYSTEM, {"certManagement": "internal"}),
        *(m.cluster_role(f"kubeflow-trainer-{who}", [group]) for who in ("admin", "edit", "view")),
        m.webhooks(_VALIDATING, "validator.trainer.kubeflow.org", SYSTEM, name, group, "trainjobs"),
        *(_runtime(one) for one in RUNTIMES[:runtimes]),
        *(_runtime(f"runtime-{number}") for number in range(len(RUNTIMES), runtimes)),
    ]


def spark() -> list[Manifest]:
    """Return the Spark operator."""
    group, name = "sparkoperator.k8s.io", "spark-operator-controller"
    kinds = (("SparkApplication", "sparkapplications"), ("ScheduledSparkApplication", "scheduledsparkapplications"))
    image = "ghcr.io/kubeflow/spark-operator/controller:2.2.0"
    return [
        m.namespace(SPARK),
        *(m.definition(group, kind, plural, "v1beta2") for kind, plural in kinds),
        *operator(name, SPARK, image, group),
        *operator("spark-operator-webhook", SPARK, image, group),
        m.account("spark-operator-spark", SPARK),
        m.role("spark-operator-spark", SPARK, "pods", "services", "configmaps"),
        m.binding("spark-operator-spark", SPARK, "spark-operator-spark", "spark-operator-spark"),
        *(m.cluster_role(f"spark-operator-{who}", [group]) for who in ("admin", "edit", "view")),
        m.webhooks(_VALIDATING, "spark-operator-webhook", SPARK, "spark-operator-webhook", group, "sparkapplications"),
        m.webhooks(_MUTATING, "spark-operator-webhook", SPARK, "spark-operator-webhook", group, "sparkapplications"),
    ]


def _runtime(name: str) -> Manifest:
    spec = {"mlPolicy": {"numNodes": 1}, "template": {"spec": {"replicatedJobs": [{"name": "node"}]}}}
    return m.obj("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", name, spec=spec)
