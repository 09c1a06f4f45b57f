"""Every kind known to have a check in Argo CD is described here; `tests/argocd` compares what the two say."""

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
_.services.k8s.aws: _
_.upbound.io: _
acid.zalan.do: postgresql
acme.cert-manager.io: Challenge Order
addons.cluster.x-k8s.io: ClusterResourceSet
addons.projectcapsule.dev: GlobalSopsSecret SopsProvider SopsSecret
apps.3scale.net: APIManager
apps.kruise.io: AdvancedCronJob BroadcastJob CloneSet DaemonSet StatefulSet
apps.openshift.io: DeploymentConfig
argoproj.io: AnalysisRun ApplicationSet CronWorkflow EventBus Experiment Rollout
astra.netapp.io: AppVault Application Backup ExecHook ExecHooksRun ResourceBackup ResticVolumeBackup Schedule Snapshot
beat.k8s.elastic.co: Beat
bitnami.com: SealedSecret
camel.apache.org: Integration
capabilities.3scale.net: ActiveDoc Application ApplicationAuth Backend CustomPolicyDefinition DeveloperAccount
capabilities.3scale.net: DeveloperUser OpenAPI Product ProxyConfigPromote Tenant
capsule.clastix.io: CapsuleConfiguration CustomQuota GlobalCustomQuota GlobalProxySettings GlobalTenantResource
capsule.clastix.io: ProxySetting ResourcePool ResourcePoolClaim Tenant TenantOwner TenantResource
cassandra.rook.io: Cluster
cdi.kubevirt.io: DataVolume
ceph.rook.io: CephCluster CephObjectStore
cert-manager.io: Certificate CertificateRequest ClusterIssuer Issuer
certmanager.k8s.io: Certificate Issuer
clickhouse-keeper.altinity.com: ClickHouseKeeperInstallation
clickhouse.altinity.com: ClickHouseInstallation
cloudfront.aws.crossplane.io: Distribution
cluster.x-k8s.io: Cluster Machine MachineDeployment MachineHealthCheck MachinePool
controlplane.cluster.x-k8s.io: AWSManagedControlPlane
coralogix.com: Alert RecordingRuleGroupSet
core.gardener.cloud: Shoot
core.humio.com: HumioAction HumioAlert HumioCluster HumioIngestToken HumioParser HumioRepository HumioView
core.spinkube.dev: SpinApp
datadoghq.com: DatadogMetric
db.atlasgo.io: AtlasMigration AtlasSchema
elasticsearch.k8s.elastic.co: Elasticsearch
external-secrets.io: ClusterExternalSecret ClusterSecretStore ExternalSecret PushSecret SecretStore
flagger.app: Canary
flink.apache.org: FlinkDeployment FlinkSessionJob
game.kruise.io: GameServer GameServerSet
gateway.envoyproxy.io: Backend BackendTrafficPolicy ClientTrafficPolicy EnvoyExtensionPolicy EnvoyPatchPolicy
gateway.envoyproxy.io: SecurityPolicy
gateway.networking.k8s.io: BackendTLSPolicy GRPCRoute Gateway GatewayClass HTTPRoute ListenerSet TLSRoute
gateway.solo.io: Gateway MatchableHttpGateway RouteOption RouteTable VirtualHostOption VirtualService
gloo.solo.io: Proxy Settings Upstream UpstreamGroup
grafana-org-operator.kubitus-project.gitlab.io: _
grafana.integreatly.org: Grafana GrafanaDashboard GrafanaDatasource GrafanaFolder
helm.toolkit.fluxcd.io: HelmRelease
iam.aws.crossplane.io: Policy Role RolePolicyAttachment
iammanager.keikoproj.io: Iamrole
image.toolkit.fluxcd.io: ImagePolicy ImageRepository ImageUpdateAutomation
install.istio.io: IstioOperator
jaegertracing.io: Jaeger
k8s.keycloak.org: Keycloak
k8s.mariadb.com: Backup Database Grant MariaDB SqlJob User
kafka.banzaicloud.io: KafkaCluster
kafka.strimzi.io: Kafka KafkaBridge KafkaConnect KafkaConnector KafkaTopic KafkaUser
karpenter.k8s.aws: EC2NodeClass
karpenter.sh: NodeClaim NodePool
keda.sh: ScaledJob ScaledObject
kiali.io: Kiali
kro.run: ResourceGraphDefinition _
kubernetes-client.io: ExternalSecret
kubevirt.io: VirtualMachine VirtualMachineInstance
kustomize.toolkit.fluxcd.io: Kustomization
kyverno.io: ClusterPolicy Policy
lifecycle.keptn.sh: KeptnAppVersion KeptnEvaluation KeptnTask KeptnWorkloadInstance KeptnWorkloadVersion
logstash.k8s.elastic.co: Logstash
mariadb.mmontes.io: MariaDB
medusa.k8ssandra.io: MedusaBackupJob MedusaTask
metrics.keptn.sh: Analysis KeptnMetric
microgateway.airlock.com: _
minio.min.io: Tenant
monitoring.coreos.com: Alertmanager Prometheus ThanosRuler
networking.gke.io: ManagedCertificate
nmstate.io: NodeNetworkConfigurationPolicy
notification.toolkit.fluxcd.io: Receiver
numaflow.numaproj.io: InterStepBufferService MonoVertex Pipeline Vertex
numaplane.numaproj.io: ISBServiceRollout MonoVertexRollout NumaflowControllerRollout PipelineRollout
objectbucket.io: ObjectBucketClaim
ocs.openshift.io: StorageCluster
onepassword.com: OnePasswordItem
openfaas.com: Function
opentelemetry.io: OpenTelemetryCollector
operator.knative.dev: KnativeEventing KnativeServing
operator.openshift.io: IngressController
operator.victoriametrics.com: _
operators.coreos.com: Subscription
pkg.crossplane.io: Provider
platform.confluent.io: Connect Connector ControlCenter Kafka KsqlDB SchemaRegistry Zookeeper
policies.kyverno.io: DeletingPolicy GeneratingPolicy ImageValidatingPolicy MutatingPolicy NamespacedDeletingPolicy
policies.kyverno.io: NamespacedGeneratingPolicy NamespacedImageValidatingPolicy NamespacedMutatingPolicy
policies.kyverno.io: NamespacedValidatingPolicy ValidatingPolicy
policy.open-cluster-management.io: CertificatePolicy ConfigurationPolicy OperatorPolicy Policy
postgresql.cnpg.io: Backup Cluster Database
proclaim.dogmatiq.io: DNSSDServiceInstance
projectcontour.io: ExtensionService HTTPProxy
promoter.argoproj.io: ArgoCDCommitStatus ChangeTransferPolicy ClusterScmProvider CommitStatus GitCommitStatus
promoter.argoproj.io: GitRepository PromotionStrategy PullRequest ScmProvider TimedCommitStatus WebRequestCommitStatus
psmdb.percona.com: PerconaServerMongoDB
pulumi.com: Stack
pxc.percona.com: PerconaXtraDBCluster
rabbitmq.com: Binding Exchange Permission Policy Queue RabbitmqCluster Shovel User Vhost
rds.aws.crossplane.io: DBCluster DBInstance
rollouts.kruise.io: Rollout
route.openshift.io: Route
route53.aws.crossplane.io: ResourceRecordSet
s3.aws.crossplane.io: Bucket
services.cloud.sap.com: ServiceBinding ServiceInstance
serving.knative.dev: Service
serving.kserve.io: InferenceService LLMInferenceService
snapshot.storage.k8s.io: VolumeSnapshot VolumeSnapshotContent
solr.apache.org: SolrCloud
source.toolkit.fluxcd.io: Bucket GitRepository HelmChart HelmRepository OCIRepository
sparkoperator.k8s.io: SparkApplication
spot.io: SpotDeployment
stacks.crossplane.io: ClusterStackInstall
tekton.dev: PipelineRun TaskRun
tower.ansible.com: AnsibleJob
trident.netapp.io: TridentBackendConfig TridentOrchestrator
trust.cert-manager.io: Bundle
velero.io: Backup Restore Schedule
work.karmada.io: ClusterResourceBinding ResourceBinding
zookeeper.pravega.io: ZookeeperCluster
"""
PROPOSED = """
apigee.cloud.google.com: ApigeeDatastore ApigeeDeployment ApigeeEnvironment ApigeeOrganization ApigeeRedis
apigee.cloud.google.com: ApigeeTelemetry
argocd-image-updater.argoproj.io: ImageUpdater
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
WORDS = {"argo-cd case": REPLAYED, "argo-cd proposal": PROPOSED}


def named(text: str) -> list[tuple[str, str]]:
    rows = [line.split(": ") for line in text.split("\n") if line]
    return [(group, kind) for group, kinds in rows for kind in kinds.split()]


@pytest.mark.parametrize(("api", "kind"), named(BUILT_IN))
def test_a_kind_that_argo_cd_checks_in_its_own_code_is_checked_here(api: str, kind: str) -> None:
    assert assess({"apiVersion": api, "kind": kind, "metadata": {"name": "x"}}) is not None


@pytest.mark.parametrize(("group", "kind"), named(REPLAYED + PROPOSED))
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
