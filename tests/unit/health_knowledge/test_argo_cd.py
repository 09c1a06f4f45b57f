"""Every kind for which Argo CD publishes a check is known here, and says that its cases follow Argo CD's."""

from importlib import resources

import pytest

from syncline.apimachinery.keys import GroupKind
from syncline.core.health import knowledge, rules
from syncline.core.health.assess import assess

ROOT = resources.files("syncline.core.health").joinpath("knowledge")
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
DESCRIBED = """
_.cnrm.cloud.google.com: _
_.crossplane.io: _
_.services.k8s.aws: _
_.upbound.io: _
acid.zalan.do: postgresql
acme.cert-manager.io: Challenge Order
addons.cluster.x-k8s.io: ClusterResourceSet
addons.projectcapsule.dev: GlobalSopsSecret SopsProvider SopsSecret
apigee.cloud.google.com: ApigeeDatastore ApigeeDeployment ApigeeEnvironment ApigeeOrganization ApigeeRedis
apigee.cloud.google.com: ApigeeTelemetry
apps.3scale.net: APIManager
apps.kruise.io: AdvancedCronJob BroadcastJob CloneSet DaemonSet StatefulSet
apps.openshift.io: DeploymentConfig
argocd-image-updater.argoproj.io: ImageUpdater
argoproj.io: AnalysisRun ApplicationSet CronWorkflow EventBus Experiment Rollout
astra.netapp.io: AppVault Application Backup ExecHook ResourceBackup ResticVolumeBackup Schedule
autoscaling.k8s.io: VerticalPodAutoscaler
beat.k8s.elastic.co: Beat
bitnami.com: SealedSecret
camel.apache.org: Integration
capabilities.3scale.net: ActiveDoc Application ApplicationAuth Backend CustomPolicyDefinition DeveloperAccount
capabilities.3scale.net: DeveloperUser OpenAPI Product ProxyConfigPromote Tenant
cassandra.rook.io: Cluster
cdi.kubevirt.io: DataVolume
cert-manager.io: Certificate CertificateRequest ClusterIssuer Issuer
certmanager.k8s.io: Certificate Issuer
clickhouse.altinity.com: ClickHouseInstallation
cluster.x-k8s.io: Cluster Machine MachineDeployment MachineHealthCheck MachinePool
controlplane.cluster.x-k8s.io: AWSManagedControlPlane KubeadmControlPlane
coralogix.com: Alert RecordingRuleGroupSet
core.spinkube.dev: SpinApp
datadoghq.com: DatadogMetric
db.atlasgo.io: AtlasMigration AtlasSchema
druid.apache.org: Druid
elasticsearch.k8s.elastic.co: Elasticsearch
external-secrets.io: ClusterExternalSecret ClusterSecretStore ExternalSecret PushSecret SecretStore
flagger.app: Canary
flink.apache.org: FlinkBlueGreenDeployment FlinkDeployment FlinkSessionJob
gateway.networking.k8s.io: BackendTLSPolicy GRPCRoute Gateway GatewayClass HTTPRoute ListenerSet TLSRoute
grafana.integreatly.org: Grafana GrafanaDashboard GrafanaDatasource GrafanaFolder
helm.toolkit.fluxcd.io: HelmRelease
hypershift.openshift.io: AWSEndpointService AzurePrivateLinkService ControlPlaneComponent
hypershift.openshift.io: GCPPrivateServiceConnect HCPEtcdBackup HostedCluster HostedControlPlane NodePool
image.toolkit.fluxcd.io: ImagePolicy ImageRepository ImageUpdateAutomation
install.istio.io: IstioOperator
jaegertracing.io: Jaeger
k8s.keycloak.org: Keycloak
k8s.mariadb.com: Backup Database Grant MariaDB SqlJob User
kafka.strimzi.io: Kafka KafkaBridge KafkaConnect KafkaConnector KafkaTopic KafkaUser
karpenter.k8s.aws: EC2NodeClass
karpenter.sh: NodeClaim NodePool
keda.sh: ScaledJob ScaledObject
kiali.io: Kiali
kubevirt.io: VirtualMachine VirtualMachineInstance
kustomize.toolkit.fluxcd.io: Kustomization
kyverno.io: ClusterPolicy Policy
lifecycle.keptn.sh: KeptnAppVersion KeptnEvaluation KeptnTask KeptnWorkloadInstance KeptnWorkloadVersion
longhorn.io: Volume
minio.min.io: Tenant
monitoring.coreos.com: Alertmanager Prometheus ThanosRuler
networking.gke.io: ManagedCertificate
notification.toolkit.fluxcd.io: Receiver
numaflow.numaproj.io: InterStepBufferService MonoVertex Pipeline Vertex
numaplane.numaproj.io: ISBServiceRollout MonoVertexRollout NumaflowControllerRollout PipelineRollout
opentelemetry.io: OpenTelemetryCollector
operator.knative.dev: KnativeEventing KnativeServing
operator.victoriametrics.com: _
operators.coreos.com: Subscription
pkg.crossplane.io: Configuration ConfigurationRevision Function FunctionRevision Provider ProviderRevision
platform.confluent.io: Connect Connector ControlCenter Kafka KsqlDB SchemaRegistry Zookeeper
policies.kyverno.io: DeletingPolicy GeneratingPolicy ImageValidatingPolicy MutatingPolicy
policies.kyverno.io: NamespacedDeletingPolicy NamespacedGeneratingPolicy NamespacedImageValidatingPolicy
policies.kyverno.io: NamespacedMutatingPolicy NamespacedValidatingPolicy ValidatingPolicy
policy.open-cluster-management.io: CertificatePolicy ConfigurationPolicy OperatorPolicy Policy
postgresql.cnpg.io: Backup Cluster Database
projectcontour.io: ExtensionService HTTPProxy
promoter.argoproj.io: ArgoCDCommitStatus ChangeTransferPolicy ClusterScmProvider CommitStatus GitCommitStatus
promoter.argoproj.io: GitRepository PromotionStrategy PullRequest ScmProvider TimedCommitStatus
promoter.argoproj.io: WebRequestCommitStatus
psmdb.percona.com: PerconaServerMongoDB
pxc.percona.com: PerconaXtraDBCluster
rabbitmq.com: Binding Exchange Permission Policy Queue RabbitmqCluster Shovel User Vhost
rollouts.kruise.io: Rollout
route.openshift.io: Route
secrets.hashicorp.com: VaultStaticSecret
serving.knative.dev: Service
serving.kserve.io: InferenceService LLMInferenceService
snapshot.storage.k8s.io: VolumeSnapshot
source.toolkit.fluxcd.io: Bucket GitRepository HelmChart HelmRepository OCIRepository
sparkoperator.k8s.io: SparkApplication
tekton.dev: PipelineRun TaskRun
trust.cert-manager.io: Bundle
velero.io: Backup Restore Schedule
work.karmada.io: ResourceBinding
zookeeper.pravega.io: ZookeeperCluster
"""


def named(text: str) -> list[tuple[str, str]]:
    rows = [line.split(": ") for line in text.split("\n") if line]
    return [(group, kind) for group, kinds in rows for kind in kinds.split()]


@pytest.mark.parametrize(("api", "kind"), named(BUILT_IN))
def test_a_kind_that_argo_cd_checks_in_its_own_code_is_checked_here(api: str, kind: str) -> None:
    assert assess({"apiVersion": api, "kind": kind, "metadata": {"name": "x"}}) is not None


@pytest.mark.parametrize(("group", "kind"), named(DESCRIBED))
def test_a_kind_that_argo_cd_has_a_script_for_is_described_here_by_its_cases(group: str, kind: str) -> None:
    anything = GroupKind(group.replace("_", "any"), kind.replace("_", "Any"))
    assert knowledge.check_for(anything) is not None
    text = ROOT.joinpath(group, kind, "health.yaml").read_text(encoding="utf-8")
    assert rules.read(text, f"{group}/{kind}").source == "argo-cd case"


def test_nothing_else_claims_to_follow_a_case_of_argo_cd() -> None:
    claimed = {
        (group, kind)
        for group, kinds in knowledge.folders().items()
        for kind in kinds
        if "\nsource: argo-cd case\n" in ROOT.joinpath(group, kind, "health.yaml").read_text(encoding="utf-8")
    }
    assert claimed == set(named(DESCRIBED))
