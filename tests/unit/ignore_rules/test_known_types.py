"""knownTypeFields: every core type Argo CD supports is known, and a field of such a type is compared as that type."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.apimachinery.schema import builtin
from syncline.core.compare.compare import compare_object
from syncline.model.comparison import Verdict
from syncline.model.settings.resources import KnownTypeField, ResourceOverride
from syncline.model.settings.settings import Settings
from tests.support.objects import as_applied, context, obj, prepared

CORE_TYPES = """
AWSElasticBlockStoreVolumeSource Affinity AppArmorProfile AttachedVolume AvoidPods AzureDiskVolumeSource
AzureFilePersistentVolumeSource AzureFileVolumeSource Binding CSIPersistentVolumeSource CSIVolumeSource Capabilities
CephFSPersistentVolumeSource CephFSVolumeSource CinderPersistentVolumeSource CinderVolumeSource ClientIPConfig
ClusterTrustBundleProjection ComponentCondition ComponentStatus ComponentStatusList ConfigMap ConfigMapEnvSource
ConfigMapKeySelector ConfigMapList ConfigMapNodeConfigSource ConfigMapProjection ConfigMapVolumeSource Container
ContainerExtendedResourceRequest ContainerImage ContainerPort ContainerResizePolicy ContainerRestartRule
ContainerRestartRuleOnExitCodes ContainerState ContainerStateRunning ContainerStateTerminated ContainerStateWaiting
ContainerStatus ContainerUser DaemonEndpoint DownwardAPIProjection DownwardAPIVolumeFile DownwardAPIVolumeSource
EmptyDirVolumeSource EndpointAddress EndpointPort EndpointSubset Endpoints EndpointsList EnvFromSource EnvVar
EnvVarSource EphemeralContainer EphemeralContainerCommon EphemeralVolumeSource Event EventList EventSeries
EventSource ExecAction FCVolumeSource FileKeySelector FlexPersistentVolumeSource FlexVolumeSource
FlockerVolumeSource GCEPersistentDiskVolumeSource GRPCAction GitRepoVolumeSource GlusterfsPersistentVolumeSource
GlusterfsVolumeSource HTTPGetAction HTTPHeader HostAlias HostIP HostPathVolumeSource ISCSIPersistentVolumeSource
ISCSIVolumeSource ImageVolumeSource ImageVolumeStatus KeyToPath Lifecycle LifecycleHandler LimitRange LimitRangeItem
LimitRangeList LimitRangeSpec LinuxContainerUser List LoadBalancerIngress LoadBalancerStatus LocalObjectReference
LocalVolumeSource ModifyVolumeStatus NFSVolumeSource Namespace NamespaceCondition NamespaceList NamespaceSpec
NamespaceStatus Node NodeAddress NodeAffinity NodeAllocatableResourceClaimStatus NodeCondition NodeConfigSource
NodeConfigStatus NodeDaemonEndpoints NodeFeatures NodeList NodeProxyOptions NodeRuntimeHandler
NodeRuntimeHandlerFeatures NodeSelector NodeSelectorRequirement NodeSelectorTerm NodeSpec NodeStatus NodeSwapStatus
NodeSystemInfo ObjectFieldSelector ObjectReference PersistentVolume PersistentVolumeClaim
PersistentVolumeClaimCondition PersistentVolumeClaimList PersistentVolumeClaimSpec PersistentVolumeClaimStatus
PersistentVolumeClaimTemplate PersistentVolumeClaimVolumeSource PersistentVolumeList PersistentVolumeSource
PersistentVolumeSpec PersistentVolumeStatus PhotonPersistentDiskVolumeSource Pod PodAffinity PodAffinityTerm
PodAntiAffinity PodAttachOptions PodCertificateProjection PodCondition PodDNSConfig PodDNSConfigOption
PodExecOptions PodExtendedResourceClaimStatus PodIP PodList PodLogOptions PodOS PodPortForwardOptions
PodProxyOptions PodReadinessGate PodResourceClaim PodResourceClaimStatus PodSchedulingGate PodSchedulingGroup
PodSecurityContext PodSignature PodSpec PodStatus PodTemplate PodTemplateList PodTemplateSpec PortStatus
PortworxVolumeSource Preconditions PreferAvoidPodsEntry PreferredSchedulingTerm Probe ProbeHandler
ProjectedVolumeSource QuobyteVolumeSource RBDPersistentVolumeSource RBDVolumeSource RangeAllocation
ReplicationController ReplicationControllerCondition ReplicationControllerList ReplicationControllerSpec
ReplicationControllerStatus ResourceClaim ResourceFieldSelector ResourceHealth ResourceList ResourceQuota
ResourceQuotaList ResourceQuotaSpec ResourceQuotaStatus ResourceRequirements ResourceStatus SELinuxOptions
ScaleIOPersistentVolumeSource ScaleIOVolumeSource ScopeSelector ScopedResourceSelectorRequirement SeccompProfile
Secret SecretEnvSource SecretKeySelector SecretList SecretProjection SecretReference SecretVolumeSource
SecurityContext SerializedReference Service ServiceAccount ServiceAccountList ServiceAccountTokenProjection
ServiceList ServicePort ServiceProxyOptions ServiceSpec ServiceStatus SessionAffinityConfig SleepAction
StorageOSPersistentVolumeSource StorageOSVolumeSource Sysctl TCPSocketAction Taint Toleration
TopologySelectorLabelRequirement TopologySelectorTerm TopologySpreadConstraint TypedLocalObjectReference
TypedObjectReference Volume VolumeDevice VolumeMount VolumeMountStatus VolumeNodeAffinity VolumeProjection
VolumeResourceRequirements VolumeSource VolumeStatus VsphereVirtualDiskVolumeSource WeightedPodAffinityTerm
WindowsSecurityContextOptions
"""


def test_every_core_type_of_argo_cd_is_known() -> None:
    wanted = ["core/Quantity", "meta/v1/Duration", *(f"core/v1/{name}" for name in CORE_TYPES.split())]
    assert [name for name in wanted if builtin.for_type(name) is None] == []
    assert set(wanted) - set(builtin.types()) == set()


@pytest.mark.parametrize("name", ["", "PodSpec", "core/v1/podSpec", "core/v1/Deployment", "core/v2/Pod", "v1/PodSpec"])
def test_other_names_are_not(name: str) -> None:
    assert builtin.for_type(name) is None


def test_types_of_other_groups_are_known_beyond_argo_cd() -> None:
    assert builtin.for_type("apps/v1/DeploymentSpec") is not None
    assert builtin.for_type("meta/v1/LabelSelector") is not None


def verdict(kind: str, written: Any, stored: Any, *known: KnownTypeField) -> Verdict:
    def holding(value: Any) -> Object:
        return obj(kind, "one", api="argoproj.io/v1alpha1", spec={"part": value, "template": {"spec": value}})

    overrides = (ResourceOverride(pattern=f"argoproj.io/{kind}", known_type_fields=known),) if known else ()
    item = prepared(holding(written)).objects[0]
    live = as_applied(prepared(holding(stored)).objects[0].obj)
    return compare_object(item, live, context(settings=Settings(overrides=overrides))).verdict


@pytest.mark.parametrize(
    ("type_", "written", "stored"),
    [
        ("core/v1/ResourceRequirements", {"limits": {"cpu": "1000m"}, "requests": {}}, {"limits": {"cpu": "1"}}),
        ("core/v1/Container", {"name": "a", "stdin": False, "args": []}, {"name": "a"}),
        ("core/v1/VolumeSource", {"emptyDir": {"sizeLimit": "1024Mi"}}, {"emptyDir": {"sizeLimit": "1Gi"}}),
        ("core/v1/ProbeHandler", {"httpGet": {"port": 80, "host": ""}}, {"httpGet": {"port": 80}}),
        ("core/v1/LimitRangeItem", {"type": "Pod", "max": {"cpu": "2000m"}}, {"type": "Pod", "max": {"cpu": "2"}}),
    ],
)
def test_a_field_is_compared_as_its_type_prints_it_alone_and_in_every_item_of_a_list(
    type_: str, written: Any, stored: Any
) -> None:
    known = (KnownTypeField("spec.part", type_), KnownTypeField("spec.template.spec", type_))
    assert verdict("Widget", written, stored) is Verdict.OUT_OF_SYNC
    assert verdict("Widget", written, stored, *known) is Verdict.SYNCED
    assert verdict("Widget", [written, written], [stored, stored], *known) is Verdict.SYNCED


def test_fields_that_settings_name_for_rollouts_take_the_place_of_the_one_known_by_itself() -> None:
    written, stored = {"nodeName": "a", "hostNetwork": False}, {"nodeName": "a"}
    part = KnownTypeField("spec.part", "core/v1/PodSpec")
    template = KnownTypeField("spec.template.spec", "core/v1/PodSpec")
    assert verdict("Rollout", written, stored, part) is Verdict.OUT_OF_SYNC
    assert verdict("Rollout", written, stored, part, template) is Verdict.SYNCED
