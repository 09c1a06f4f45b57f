"""Every kind known to have a check in Argo CD is described here, and says how far it was compared with that check."""

from importlib import resources

import pytest

from syncline.apimachinery.keys import GroupKind
from syncline.core.health import knowledge, rules
from syncline.core.health.assess import assess

ROOT = resources.files("syncline.knowledge")
BUILT_IN = """
v1: PersistentVolumeClaim Pod Service
apiextensions.k8s.io/v1: CustomResourceDefinition
apiregistration.k8s.io/v1: APIService
apps/v1: DaemonSet Deployment ReplicaSet StatefulSet
argoproj.io/v1alpha1: Workflow
autoscaling/v2: HorizontalPodAutoscaler
batch/v1: CronJob Job
networking.k8s.io/v1: Ingress
policy/v1: PodDisruptionBudget
"""
REPLAYED = """
_.cnrm.cloud.google.com: _
_.crossplane.io: _
_.upbound.io: _
apps.kruise.io: AdvancedCronJob BroadcastJob CloneSet DaemonSet StatefulSet
apps.openshift.io: DeploymentConfig
argoproj.io: AnalysisRun ApplicationSet CronWorkflow EventBus Rollout
bitnami.com: SealedSecret
capabilities.3scale.net: Application DeveloperAccount Product ProxyConfigPromote Tenant
cert-manager.io: Certificate CertificateRequest ClusterIssuer Issuer
cluster.x-k8s.io: Cluster Machine MachineDeployment MachineHealthCheck MachinePool
datadoghq.com: DatadogMetric
elasticsearch.k8s.elastic.co: Elasticsearch
external-secrets.io: ClusterExternalSecret ExternalSecret PushSecret SecretStore
flagger.app: Canary
gateway.networking.k8s.io: BackendTLSPolicy GRPCRoute Gateway GatewayClass HTTPRoute ListenerSet TLSRoute
grafana.integreatly.org: Grafana GrafanaDashboard GrafanaDatasource GrafanaFolder
helm.toolkit.fluxcd.io: HelmRelease
image.toolkit.fluxcd.io: ImagePolicy ImageRepository ImageUpdateAutomation
k8s.keycloak.org: Keycloak
k8s.mariadb.com: Backup MariaDB SqlJob
kafka.strimzi.io: Kafka KafkaBridge KafkaConnect KafkaConnector KafkaTopic KafkaUser
karpenter.sh: NodeClaim NodePool
keda.sh: ScaledJob ScaledObject
kubevirt.io: VirtualMachine
kustomize.toolkit.fluxcd.io: Kustomization
minio.min.io: Tenant
monitoring.coreos.com: Alertmanager Prometheus ThanosRuler
networking.gke.io: ManagedCertificate
notification.toolkit.fluxcd.io: Receiver
opentelemetry.io: OpenTelemetryCollector
operator.knative.dev: KnativeServing
operators.coreos.com: Subscription
pkg.crossplane.io: Provider
policies.kyverno.io: DeletingPolicy GeneratingPolicy ImageValidatingPolicy MutatingPolicy NamespacedDeletingPolicy
policies.kyverno.io: NamespacedGeneratingPolicy ValidatingPolicy
postgresql.cnpg.io: Backup Cluster Database
psmdb.percona.com: PerconaServerMongoDB
pxc.percona.com: PerconaXtraDBCluster
rabbitmq.com: Binding Exchange Permission Policy Queue RabbitmqCluster Shovel User Vhost
rollouts.kruise.io: Rollout
route.openshift.io: Route
serving.knative.dev: Service
serving.kserve.io: InferenceService LLMInferenceService
source.toolkit.fluxcd.io: Bucket GitRepository HelmChart HelmRepository
sparkoperator.k8s.io: SparkApplication
tekton.dev: PipelineRun
velero.io: Backup Restore Schedule
"""
FOLLOWED = """
_.services.k8s.aws: _
acid.zalan.do: postgresql
acme.cert-manager.io: Challenge Order
addons.cluster.x-k8s.io: ClusterResourceSet
addons.projectcapsule.dev: GlobalSopsSecret SopsProvider SopsSecret
apps.3scale.net: APIManager
argocd-image-updater.argoproj.io: ImageUpdater
argoproj.io: Experiment
astra.netapp.io: AppVault Application Backup ExecHook ResourceBackup ResticVolumeBackup Schedule
beat.k8s.elastic.co: Beat
camel.apache.org: Integration
capabilities.3scale.net: ActiveDoc ApplicationAuth Backend CustomPolicyDefinition DeveloperUser OpenAPI
cassandra.rook.io: Cluster
cdi.kubevirt.io: DataVolume
certmanager.k8s.io: Certificate Issuer
clickhouse.altinity.com: ClickHouseInstallation
controlplane.cluster.x-k8s.io: AWSManagedControlPlane
coralogix.com: Alert RecordingRuleGroupSet
core.spinkube.dev: SpinApp
db.atlasgo.io: AtlasMigration AtlasSchema
external-secrets.io: ClusterSecretStore
flink.apache.org: FlinkDeployment FlinkSessionJob
install.istio.io: IstioOperator
jaegertracing.io: Jaeger
k8s.mariadb.com: Database Grant User
kafka.banzaicloud.io: KafkaCluster
karpenter.k8s.aws: EC2NodeClass
kiali.io: Kiali
kubevirt.io: VirtualMachineInstance
kyverno.io: ClusterPolicy Policy
lifecycle.keptn.sh: KeptnAppVersion KeptnEvaluation KeptnTask KeptnWorkloadInstance KeptnWorkloadVersion
microgateway.airlock.com: _
numaflow.numaproj.io: InterStepBufferService MonoVertex Pipeline Vertex
numaplane.numaproj.io: ISBServiceRollout MonoVertexRollout NumaflowControllerRollout PipelineRollout
operator.knative.dev: KnativeEventing
operator.victoriametrics.com: _
platform.confluent.io: Connect Connector ControlCenter Kafka KsqlDB SchemaRegistry Zookeeper
policies.kyverno.io: NamespacedImageValidatingPolicy NamespacedMutatingPolicy NamespacedValidatingPolicy
policy.open-cluster-management.io: CertificatePolicy ConfigurationPolicy OperatorPolicy Policy
projectcontour.io: ExtensionService HTTPProxy
promoter.argoproj.io: ArgoCDCommitStatus ChangeTransferPolicy ClusterScmProvider CommitStatus GitCommitStatus
promoter.argoproj.io: GitRepository PromotionStrategy PullRequest ScmProvider TimedCommitStatus WebRequestCommitStatus
snapshot.storage.k8s.io: VolumeSnapshot
source.toolkit.fluxcd.io: OCIRepository
tekton.dev: TaskRun
trust.cert-manager.io: Bundle
work.karmada.io: ResourceBinding
zookeeper.pravega.io: ZookeeperCluster
"""
PROPOSED = """
apigee.cloud.google.com: ApigeeDatastore ApigeeDeployment ApigeeEnvironment ApigeeOrganization ApigeeRedis
apigee.cloud.google.com: ApigeeTelemetry
autoscaling.k8s.io: VerticalPodAutoscaler
controlplane.cluster.x-k8s.io: KubeadmControlPlane
druid.apache.org: Druid
flink.apache.org: FlinkBlueGreenDeployment
hypershift.openshift.io: AWSEndpointService AzurePrivateLinkService ControlPlaneComponent GCPPrivateServiceConnect
hypershift.openshift.io: HCPEtcdBackup HostedCluster HostedControlPlane NodePool
longhorn.io: Volume
pkg.crossplane.io: Configuration ConfigurationRevision Function FunctionRevision ProviderRevision
secrets.hashicorp.com: VaultStaticSecret
"""
WORDS = {"argo-cd case": REPLAYED, "argo-cd rule": FOLLOWED, "argo-cd proposal": PROPOSED}


def named(text: str) -> list[tuple[str, str]]:
    rows = [line.split(": ") for line in text.split("\n") if line]
    return [(group, kind) for group, kinds in rows for kind in kinds.split()]


@pytest.mark.parametrize(("api", "kind"), named(BUILT_IN))
def test_a_kind_that_argo_cd_checks_in_its_own_code_is_checked_here(api: str, kind: str) -> None:
    assert assess({"apiVersion": api, "kind": kind, "metadata": {"name": "x"}}) is not None


@pytest.mark.parametrize(("group", "kind"), named(REPLAYED + FOLLOWED + PROPOSED))
def test_a_kind_that_argo_cd_has_a_script_for_is_described_here(group: str, kind: str) -> None:
    anything = GroupKind(group.replace("_", "any"), kind.replace("_", "Any"))
    assert knowledge.check_for(anything) is not None


@pytest.mark.parametrize("word", WORDS)
def test_a_kind_says_how_far_it_was_compared_with_argo_cd(word: str) -> None:
    claimed = {
        (group, kind)
        for group, kinds in knowledge.folders().items()
        for kind in kinds
        if rules.read(ROOT.joinpath(group, kind, "health.yaml").read_text(encoding="utf-8"), kind).source == word
    }
    assert claimed == set(named(WORDS[word]))
