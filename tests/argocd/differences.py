"""Where our health differs from Argo CD's on purpose: cases, by the reason that docs/reference/differences.md gives.

Read by `tests.argocd.test_health`. Each reason starts with words of that document, so that neither goes without the
other. `PUBLISHED` are cases of Argo CD, `OWN` are ours, run through Argo CD's scripts.
"""

import pathlib
import re

UNSEEN = "A status of an older generation, where the API records it, is Progressing."
NOTHING_WRITTEN = "An object whose controller has written nothing yet is Progressing."
TROUBLE = "Problems that the object reports are Degraded although Argo CD overlooks them"
UNDER_WAY = "What is merely in progress is neither Degraded nor Healthy"
PAUSED = "What is paused is Suspended where Argo CD ignores that"
OLDER = "Objects of older operators are read too"
ANY_GATEWAY = "A BackendTLSPolicy that one gateway accepted is not Degraded"
FIRST_CONSUMER = "A DataVolume that waits for its first consumer is Healthy"

PUBLISHED = {
    UNSEEN: """
rabbitmq.com/Exchange: degraded healthy
""",
    NOTHING_WRITTEN: """
beat.k8s.elastic.co/Beat: unknown
elasticsearch.k8s.elastic.co/Elasticsearch: unknown
rabbitmq.com/Binding: unknown
rabbitmq.com/Exchange: unknown
rabbitmq.com/Permission: unknown
rabbitmq.com/Policy: unknown
rabbitmq.com/Queue: unknown
rabbitmq.com/Shovel: unknown
rabbitmq.com/User: unknown
rabbitmq.com/Vhost: unknown
""",
}
OWN = {
    UNSEEN: """
_.crossplane.io/_: generation-not-seen
_.upbound.io/_: generation-not-seen
addons.cluster.x-k8s.io/ClusterResourceSet: generation-not-seen
apps.openshift.io/DeploymentConfig: generation-not-seen
beat.k8s.elastic.co/Beat: generation-not-seen
bitnami.com/SealedSecret: generation-not-seen
camel.apache.org/Integration: generation-not-seen
ceph.rook.io/CephObjectStore: generation-not-seen
cert-manager.io/Certificate: generation-not-seen
cert-manager.io/ClusterIssuer: generation-not-seen
cert-manager.io/Issuer: generation-not-seen
cluster.x-k8s.io/Machine: generation-not-seen
db.atlasgo.io/AtlasMigration: generation-not-seen
db.atlasgo.io/AtlasSchema: generation-not-seen
elasticsearch.k8s.elastic.co/Elasticsearch: generation-not-seen
gateway.networking.k8s.io/Gateway: generation-not-seen
image.toolkit.fluxcd.io/ImagePolicy: generation-not-seen
k8s.keycloak.org/Keycloak: generation-not-seen
kafka.strimzi.io/Kafka: generation-not-seen
kafka.strimzi.io/KafkaBridge: generation-not-seen
kafka.strimzi.io/KafkaConnect: generation-not-seen
kafka.strimzi.io/KafkaConnector: generation-not-seen
kafka.strimzi.io/KafkaTopic: generation-not-seen
kafka.strimzi.io/KafkaUser: generation-not-seen
karpenter.sh/NodePool: generation-not-seen
monitoring.coreos.com/Alertmanager: generation-not-seen
monitoring.coreos.com/Prometheus: generation-not-seen
monitoring.coreos.com/ThanosRuler: generation-not-seen
operator.knative.dev/KnativeEventing: generation-not-seen
operator.knative.dev/KnativeServing: generation-not-seen
rabbitmq.com/Binding: generation-not-seen
rabbitmq.com/Exchange: generation-not-seen
rabbitmq.com/Permission: generation-not-seen
rabbitmq.com/Policy: generation-not-seen
rabbitmq.com/Queue: generation-not-seen
rabbitmq.com/RabbitmqCluster: generation-not-seen
rabbitmq.com/Shovel: generation-not-seen
rabbitmq.com/User: generation-not-seen
rabbitmq.com/Vhost: generation-not-seen
serving.kserve.io/InferenceService: generation-not-seen
trust.cert-manager.io/Bundle: generation-not-seen
""",
    NOTHING_WRITTEN: """
flagger.app/Canary: new
gateway.networking.k8s.io/Gateway: waiting-for-controller
ocs.openshift.io/StorageCluster: new
rabbitmq.com/Binding: new
rabbitmq.com/Exchange: new
rabbitmq.com/Permission: new
rabbitmq.com/Policy: new
rabbitmq.com/Queue: new
rabbitmq.com/Shovel: new
rabbitmq.com/User: new
rabbitmq.com/Vhost: new
route.openshift.io/Route: waiting
""",
    TROUBLE: """
ceph.rook.io/CephCluster: failure
external-secrets.io/ClusterExternalSecret: failed-in-one-namespace
grafana.integreatly.org/GrafanaDashboard: no-instance
grafana.integreatly.org/GrafanaDatasource: failed no-instance
karpenter.sh/NodeClaim: cannot-launch
kubevirt.io/VirtualMachine: unschedulable
kyverno.io/Policy: failed
monitoring.coreos.com/Alertmanager: cannot-reconcile
monitoring.coreos.com/Prometheus: cannot-reconcile
monitoring.coreos.com/ThanosRuler: cannot-reconcile
numaplane.numaproj.io/NumaflowControllerRollout: upgrade-failed
operator.openshift.io/IngressController: degraded
serving.kserve.io/InferenceService: predictor-failed
""",
    UNDER_WAY: """
cert-manager.io/Certificate: about-to-be-issued
image.toolkit.fluxcd.io/ImagePolicy: under-way
k8s.keycloak.org/Keycloak: rolling
kafka.strimzi.io/KafkaBridge: creating
kafka.strimzi.io/KafkaConnect: creating
kafka.strimzi.io/KafkaConnector: creating
kafka.strimzi.io/KafkaTopic: creating
kafka.strimzi.io/KafkaUser: creating
pkg.crossplane.io/Provider: starting
promoter.argoproj.io/ArgoCDCommitStatus: unknown
promoter.argoproj.io/CommitStatus: unknown
promoter.argoproj.io/PromotionStrategy: unknown
promoter.argoproj.io/PullRequest: unknown
""",
    PAUSED: """
apps.openshift.io/DeploymentConfig: paused
image.toolkit.fluxcd.io/ImagePolicy: suspended
k8s.mariadb.com/MariaDB: suspended
kafka.strimzi.io/Kafka: paused
kafka.strimzi.io/KafkaBridge: paused
kafka.strimzi.io/KafkaConnect: paused
kafka.strimzi.io/KafkaConnector: paused
kafka.strimzi.io/KafkaTopic: paused
kafka.strimzi.io/KafkaUser: paused
monitoring.coreos.com/Alertmanager: paused
monitoring.coreos.com/Prometheus: paused
monitoring.coreos.com/ThanosRuler: paused
serving.kserve.io/InferenceService: scaled-to-zero
sparkoperator.k8s.io/SparkApplication: suspended
velero.io/Schedule: paused
""",
    OLDER: """
_.services.k8s.aws/_: synced
grafana.integreatly.org/GrafanaDashboard: older-version older-version-without-instance
kyverno.io/ClusterPolicy: ready-without-conditions
kyverno.io/Policy: ready-without-conditions
""",
    ANY_GATEWAY: """
gateway.networking.k8s.io/BackendTLSPolicy: target-of-another
""",
    FIRST_CONSUMER: """
cdi.kubevirt.io/DataVolume: awaiting-consumer
""",
}


def cases(table: dict[str, str]) -> set[str]:
    """Return the cases of a table as `group/Kind/case`."""
    rows = [line.split(": ") for lines in table.values() for line in lines.split("\n") if line]
    return {f"{kind}/{case}" for kind, names in rows for case in names.split()}


def document() -> str:
    """Return docs/reference/differences.md as one line."""
    text = (pathlib.Path(__file__).parents[2] / "docs" / "reference" / "differences.md").read_text(encoding="utf-8")
    return re.sub(r"\s+", " ", text)
