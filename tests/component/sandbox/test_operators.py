"""Shipped operators in virtual time: what becomes of their objects, and how our health knowledge reads it."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.apimachinery.keys import gvk_of
from syncline.core.health import assess
from syncline.sandbox.cluster.outside import KnownImages, Outside
from syncline.sandbox.cluster.settings import FailureMode, OperatorSpec, SandboxSettings
from tests.unit.sandbox.driving import Kube, play, pod_spec

FAIL = "sandbox.syncline.io/mode"


def obj(kind: str, api: str, name: str = "one", *, mode: str = "", **rest: Any) -> dict[str, Any]:
    metadata = {"name": name, **rest.pop("metadata", {})}
    if mode:
        metadata["annotations"] = {**metadata.get("annotations", {}), FAIL: mode}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **rest}


def path_of(kube: Kube, one: dict[str, Any], name: str = "") -> str:
    resource = kube.sandbox.backend.registry.of_kind(gvk_of(one))
    assert resource is not None, f"{one['apiVersion']} {one['kind']} is not served"
    start = f"/apis/{one['apiVersion']}" if resource.group else f"/api/{one['apiVersion']}"
    inside = f"/namespaces/{one['metadata'].get('namespace', 'default')}" if resource.namespaced else ""
    return f"{start}{inside}/{resource.plural}{f'/{name}' if name else ''}"


async def create(kube: Kube, *objects: dict[str, Any]) -> None:
    for one in objects:
        await kube.create(path_of(kube, one), one)


async def live(kube: Kube, one: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = await kube.get(path_of(kube, one, one["metadata"]["name"]))
    return found


def outcome(found: dict[str, Any]) -> tuple[str, str]:
    health = assess.assess(found)
    assert health is not None, f"no health knowledge of {found['kind']}"
    return str(health.status), health.reason


def installed(*names: str, **rest: Any) -> SandboxSettings:
    return SandboxSettings(operators=tuple(OperatorSpec(name=name) for name in names), **rest)


SERVICE = obj("Service", "v1", "vault", spec={"ports": [{"port": 8200}], "selector": {"app": "vault"}})
VAULT = obj(
    "Pod",
    "v1",
    "vault-0",
    metadata={"labels": {"app": "vault", "app.kubernetes.io/name": "vault", "component": "server"}},
    spec=pod_spec("hashicorp/vault:1.20", container={"readinessProbe": {"exec": {"command": ["vault", "status"]}}}),
)
STORE = obj(
    "SecretStore",
    "external-secrets.io/v1",
    spec={"provider": {"vault": {"server": "http://vault.default.svc.cluster.local:8200", "path": "secret"}}},
)
ENTRY = {"secretKey": "password", "remoteRef": {"key": "prod/db"}}
SECRET = obj(
    "ExternalSecret",
    "external-secrets.io/v1",
    spec={"secretStoreRef": {"name": "one"}, "target": {"name": "db"}, "data": [ENTRY]},
)
ISSUER = obj("Issuer", "cert-manager.io/v1", spec={"selfSigned": {}})
CERTIFICATE = obj("Certificate", "cert-manager.io/v1", spec={"secretName": "tls", "issuerRef": {"name": "one"}})
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": pod_spec("example/app:1")}
KNATIVE = obj("Service", "serving.knative.dev/v1", spec={"template": {"spec": {"containers": [{"image": "a/b:1"}]}}})
MODEL = {"predictor": {"model": {"modelFormat": {"name": "sklearn"}, "storageUri": "s3://models/one"}}}
RAW = {"annotations": {"serving.kserve.io/deploymentMode": "RawDeployment"}}
ROUTE = obj("Route", "route.openshift.io/v1", spec={"to": {"name": "web"}, "tls": {"termination": "edge"}})
BUILD = {"source": {"type": "Git", "git": {"uri": "https://example.com/a.git"}}, "output": {"to": {"name": "a:latest"}}}
CATALOG = obj("CatalogSource", "operators.coreos.com/v1alpha1", "redhat", spec={"sourceType": "grpc"})
GROUP = obj("OperatorGroup", "operators.coreos.com/v1", spec={})
WANTED = {"name": "gpu-operator", "source": "redhat", "sourceNamespace": "default", "startingCSV": "gpu-operator.v1"}
SUBSCRIPTION = obj("Subscription", "operators.coreos.com/v1alpha1", spec=WANTED)
POSTGRES = obj("Cluster", "postgresql.cnpg.io/v1", spec={"instances": 1, "storage": {"size": "1Gi"}})
KAFKA = obj("Kafka", "kafka.strimzi.io/v1beta2", spec={"kafka": {"replicas": 1, "storage": {"size": "1Gi"}}})
TOPIC = obj("KafkaTopic", "kafka.strimzi.io/v1beta2", metadata={"labels": {"strimzi.io/cluster": "one"}}, spec={})
ROLLOUT = obj(
    "Rollout",
    "argoproj.io/v1alpha1",
    spec={"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE},
)
RUN = obj("TaskRun", "tekton.dev/v1", spec={"taskSpec": {"steps": [{"name": "main", "image": "busybox:1"}]}})
NOTEBOOK = obj("Notebook", "kubeflow.org/v1", spec={"template": {"spec": pod_spec("example/lab:1")}})
SCIENCE = obj("DataScienceCluster", "datasciencecluster.opendatahub.io/v1", spec={})
INITIALISED = obj("DSCInitialization", "dscinitialization.opendatahub.io/v1", "default-dsci", spec={})
SEALED = {"encryptedData": {"token": "AgB"}}
VAULT_SECRET = {"vaultAuthRef": "one", "mount": "kv", "path": "app", "destination": {"name": "made", "create": True}}


@pytest.mark.parametrize(
    ("operators", "objects", "expected"),
    [
        (["external-secrets"], [SERVICE, VAULT, STORE, SECRET], ("Healthy", "")),
        (["external-secrets"], [STORE, SECRET], ("Degraded", "SecretSyncedError")),
        (["external-secrets"], [STORE], ("Degraded", "InvalidProviderConfig")),
        (["external-secrets"], [{**STORE, "spec": {"provider": {"aws": {}}}}], ("Healthy", "")),
        (["sealed-secrets"], [obj("SealedSecret", "bitnami.com/v1alpha1", spec=SEALED)], ("Healthy", "")),
        (
            ["sealed-secrets"],
            [obj("SealedSecret", "bitnami.com/v1alpha1", mode="wrong-key", spec=SEALED)],
            ("Degraded", "NotSynced"),
        ),
        (
            ["vault"],
            [
                obj("VaultAuth", "secrets.hashicorp.com/v1beta1", spec={"kubernetes": {"serviceAccount": "default"}}),
                obj("VaultStaticSecret", "secrets.hashicorp.com/v1beta1", spec=VAULT_SECRET),
            ],
            ("Healthy", ""),
        ),
        (
            ["vault"],
            [obj("VaultStaticSecret", "secrets.hashicorp.com/v1beta1", spec=VAULT_SECRET)],
            ("Degraded", "VaultClientConfigError"),
        ),
        (["cert-manager"], [ISSUER, CERTIFICATE], ("Healthy", "")),
        (["cert-manager"], [CERTIFICATE], ("Progressing", "DoesNotExist")),
        (
            ["cert-manager"],
            [obj("Issuer", "cert-manager.io/v1", spec={"ca": {"secretName": "none"}})],
            ("Degraded", "ErrGetKeyPair"),
        ),
        (["istio"], [obj("VirtualService", "networking.istio.io/v1", spec={"gateways": ["mesh"]})], ("Healthy", "")),
        (
            ["istio"],
            [obj("VirtualService", "networking.istio.io/v1", spec={"gateways": ["none"]})],
            ("Degraded", "ReferencedResourceNotFound"),
        ),
        (["knative"], [KNATIVE], ("Healthy", "")),
        (["tekton"], [RUN], ("Healthy", "")),
        (["tekton"], [{**RUN, "spec": {"taskRef": {"name": "gone"}}}], ("Degraded", "TaskRunResolutionFailed")),
        (["tekton"], [obj("PipelineRun", "tekton.dev/v1", mode="failed", spec={})], ("Degraded", "Failed")),
        (["prometheus"], [obj("Prometheus", "monitoring.coreos.com/v1", spec={"replicas": 2})], ("Healthy", "")),
        (["prometheus"], [obj("Alertmanager", "monitoring.coreos.com/v1", spec={})], ("Healthy", "")),
        (
            ["prometheus"],
            [obj("Prometheus", "monitoring.coreos.com/v1", mode="invalid", spec={})],
            ("Degraded", "ReconciliationFailed"),
        ),
        (["openshift-ai"], [NOTEBOOK], ("Healthy", "")),
        (
            ["openshift-ai"],
            [obj("Notebook", "kubeflow.org/v1", mode="image-missing", spec=NOTEBOOK["spec"])],
            ("Degraded", "ImagePullBackOff"),
        ),
        (["openshift-ai"], [INITIALISED, SCIENCE], ("Healthy", "")),
        (["openshift-ai"], [SCIENCE], ("Progressing", "NotReady")),
        (["knative", "kserve"], [obj("InferenceService", "serving.kserve.io/v1beta1", spec=MODEL)], ("Healthy", "")),
        (["kserve"], [obj("InferenceService", "serving.kserve.io/v1beta1", metadata=RAW, spec=MODEL)], ("Healthy", "")),
        (
            ["kserve"],
            [obj("InferenceService", "serving.kserve.io/v1beta1", mode="load-failed", spec=MODEL)],
            ("Degraded", "ModelLoadFailed"),
        ),
        (["openshift"], [ROUTE], ("Healthy", "")),
        (
            ["openshift"],
            [obj("Route", "route.openshift.io/v1", mode="host-taken", spec={"host": "a.b", "to": {"name": "web"}})],
            ("Degraded", "HostAlreadyClaimed"),
        ),
        (["openshift"], [obj("Build", "build.openshift.io/v1", spec=BUILD)], ("Healthy", "")),
        (
            ["openshift"],
            [obj("Build", "build.openshift.io/v1", spec={**BUILD, "serviceAccount": "nobody"})],
            ("Progressing", "New"),
        ),
        (["openshift"], [obj("Build", "build.openshift.io/v1", mode="failed", spec=BUILD)], ("Degraded", "Failed")),
        (
            ["openshift"],
            [
                obj(
                    "DeploymentConfig",
                    "apps.openshift.io/v1",
                    spec={"replicas": 1, "selector": {"app": "web"}, "template": TEMPLATE},
                )
            ],
            ("Healthy", ""),
        ),
        (
            ["openshift"],
            [
                obj(
                    "ImageStream",
                    "image.openshift.io/v1",
                    mode="import-failed",
                    spec={"tags": [{"name": "1", "from": {"kind": "DockerImage", "name": "a/b:1"}}]},
                )
            ],
            ("Degraded", "NotFound"),
        ),
        (["olm"], [CATALOG, GROUP, SUBSCRIPTION], ("Healthy", "")),
        (["olm"], [GROUP, SUBSCRIPTION], ("Degraded", "UnhealthyCatalogSourceFound")),
        (
            ["olm"],
            [CATALOG, GROUP, {**SUBSCRIPTION, "spec": {**WANTED, "installPlanApproval": "Manual"}}],
            ("Progressing", "RequiresApproval"),
        ),
        (["cnpg"], [POSTGRES], ("Healthy", "")),
        (["strimzi"], [KAFKA, TOPIC], ("Healthy", "")),
        (["strimzi"], [TOPIC], ("Degraded", "KafkaError")),
        (["longhorn"], [obj("Volume", "longhorn.io/v1beta2", spec={"nodeID": "sandbox-node"})], ("Healthy", "")),
        (["longhorn"], [obj("Volume", "longhorn.io/v1beta2", mode="faulted", spec={})], ("Degraded", "faulted")),
        (["rollouts"], [ROLLOUT], ("Healthy", "")),
        (
            ["rollouts"],
            [{**ROLLOUT, "metadata": {"name": "one", "annotations": {FAIL: "paused"}}}],
            ("Suspended", "Paused"),
        ),
        (
            ["rollouts"],
            [{**ROLLOUT, "metadata": {"name": "one", "annotations": {FAIL: "aborted"}}}],
            ("Degraded", "RolloutAborted"),
        ),
    ],
)
def test_the_last_object_gets_the_health_it_deserves(
    operators: list[str], objects: list[dict[str, Any]], expected: tuple[str, str]
) -> None:
    async def story(kube: Kube) -> Any:
        await create(kube, *objects)
        await kube.clock.sleep(30)
        return await live(kube, objects[-1])

    found = play(story, installed(*operators))
    assert outcome(found) == expected, found.get("status")


async def settle(kube: Kube, seconds: float, *objects: dict[str, Any]) -> None:
    await create(kube, *objects)
    await kube.clock.sleep(seconds)


def test_a_route_without_a_host_is_given_one_by_the_cluster() -> None:
    async def story(kube: Kube) -> Any:
        await settle(kube, 3, ROUTE)
        return await live(kube, ROUTE)

    found = play(story, installed("openshift"))
    assert found["spec"] == {
        "host": "one-default.apps.sandbox.example.com",
        "to": {"kind": "Service", "name": "web", "weight": 100},
        "tls": {"termination": "edge", "insecureEdgeTerminationPolicy": "None"},
        "wildcardPolicy": "None",
    }
    assert found["metadata"]["annotations"] == {"openshift.io/host.generated": "true"}
    writers = {one["manager"]: one["fieldsV1"] for one in found["metadata"]["managedFields"]}
    assert "f:host" in writers["openshift-apiserver"]["f:spec"]


LOGIN = "http://vault.default.svc.cluster.local:8200/v1/auth/kubernetes/login"


@pytest.mark.parametrize(
    ("objects", "event"),
    [
        (
            [],
            (
                f'unable to log in with Kubernetes auth: Put "{LOGIN}": dial tcp: '
                "lookup vault.default.svc.cluster.local on 10.96.0.10:53: no such host"
            ),
        ),
        ([SERVICE], f'unable to log in with Kubernetes auth: Put "{LOGIN}": dial tcp: connect: connection refused'),
        (
            [SERVICE, {**VAULT, "metadata": {**VAULT["metadata"], "annotations": {FAIL: "sealed"}}}],
            (
                "unable to log in with Kubernetes auth: Error making API request.\n\n"
                f"URL: PUT {LOGIN}\nCode: 503. Errors:\n\n* Vault is sealed"
            ),
        ),
    ],
)
def test_a_store_says_why_vault_cannot_be_reached(objects: list[dict[str, Any]], event: str) -> None:
    async def story(kube: Kube) -> Any:
        await settle(kube, 3, *objects)
        await settle(kube, 3, STORE)
        return (await live(kube, STORE))["status"]["conditions"][0], await kube.events("SecretStore")

    condition, events = play(story, installed("external-secrets", "vault"))
    told = (condition["status"], condition["reason"], condition["message"])
    assert told == ("False", "InvalidProviderConfig", "unable to create client")
    assert events == [("InvalidProviderConfig", event)]


def test_unsealing_vault_heals_everything_that_waits_for_it() -> None:
    async def story(kube: Kube) -> Any:
        consumer = obj("Pod", "v1", "app", spec=pod_spec(container={"envFrom": [{"secretRef": {"name": "db"}}]}))
        await settle(kube, 5, SERVICE, VAULT, STORE, SECRET, consumer)
        before = [(await live(kube, one))["status"] for one in (VAULT, STORE, SECRET, consumer)]
        pod = path_of(kube, VAULT, "vault-0")
        sealed = (await kube.get(pod))["metadata"]["labels"]["vault-sealed"]
        await kube.merge(pod, {"metadata": {"annotations": {FAIL: "unsealed"}}})
        await kube.clock.sleep(5)
        after = [(await live(kube, one))["status"] for one in (VAULT, STORE, SECRET, consumer)]
        return sealed, before, after

    modes = (FailureMode(kind="Pod", name="vault-*", mode="sealed"),)
    sealed, before, after = play(story, installed("external-secrets", "vault", modes=modes))
    assert sealed == "true"
    assert before[0]["containerStatuses"][0]["ready"] is False
    assert [one["conditions"][0]["reason"] for one in before[1:3]] == ["InvalidProviderConfig", "SecretSyncedError"]
    assert before[3]["containerStatuses"][0]["state"]["waiting"] == {
        "reason": "CreateContainerConfigError",
        "message": 'secret "db" not found',
    }
    assert after[0]["containerStatuses"][0]["ready"] is True
    assert [one["conditions"][0]["reason"] for one in after[1:3]] == ["Valid", "SecretSynced"]
    assert after[3]["phase"] == "Running"


def test_a_key_that_the_secret_manager_does_not_have_is_named() -> None:
    async def story(kube: Kube) -> Any:
        await settle(kube, 3, {**STORE, "spec": {"provider": {"aws": {}}}}, SECRET)
        return (await live(kube, SECRET))["status"]["conditions"][0]["message"], await kube.events("ExternalSecret")

    message, events = play(story, installed("external-secrets", outside=Outside(secrets={"prod/other": "x"})))
    assert message == "could not get secret data from provider"
    assert events[-1] == ("UpdateFailed", "error processing spec.data[0] (key: prod/db), err: Secret does not exist")


def test_pods_of_a_labelled_namespace_get_the_sidecar() -> None:
    async def story(kube: Kube) -> Any:
        await kube.merge("/api/v1/namespaces/default", {"metadata": {"labels": {"istio-injection": "enabled"}}})
        await kube.clock.sleep(3)
        body = {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
        await settle(kube, 5, obj("Deployment", "apps/v1", "web", spec=body))
        (pod,) = (await kube.get("/api/v1/namespaces/default/pods"))["items"]
        return pod

    pod = play(story, installed("istio"))
    assert [one["name"] for one in pod["spec"]["containers"]] == ["app", "istio-proxy"]
    assert [one["name"] for one in pod["spec"]["initContainers"]] == ["istio-init"]
    assert (pod["metadata"]["labels"]["security.istio.io/tlsMode"], pod["status"]["phase"]) == ("istio", "Running")


def test_a_pod_made_through_the_api_gets_the_sidecar_once() -> None:
    async def story(kube: Kube) -> Any:
        await kube.merge("/api/v1/namespaces/default", {"metadata": {"labels": {"istio-injection": "enabled"}}})
        await kube.clock.sleep(3)
        made = await kube.create("/api/v1/namespaces/default/pods", obj("Pod", "v1", "web", spec=pod_spec()))
        again = {"metadata": {"name": "copy", "labels": made["metadata"]["labels"]}, "spec": made["spec"]}
        spec = again["spec"]
        spec["containers"] = [{**one, "volumeMounts": []} for one in spec["containers"]]
        spec["initContainers"] = [{**one, "volumeMounts": []} for one in spec["initContainers"]]
        copy = await kube.create("/api/v1/namespaces/default/pods", {**again, "spec": {**spec, "volumes": []}})
        out = {"metadata": {"name": "out", "labels": {"sidecar.istio.io/inject": "false"}}, "spec": pod_spec()}
        return made, copy, await kube.create("/api/v1/namespaces/default/pods", out)

    found = play(story, installed("istio"))
    names = [[one["name"] for one in pod["spec"]["containers"]] for pod in found]
    assert names == [["app", "istio-proxy"], ["app", "istio-proxy"], ["app"]]
    proxy = found[0]["spec"]["containers"][1]
    assert (proxy["imagePullPolicy"], proxy["terminationMessagePath"]) == ("IfNotPresent", "/dev/termination-log")
    owned = found[0]["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]["f:containers"]
    assert list(owned) == ['k:{"name":"app"}']


def test_pods_are_refused_while_nobody_answers_the_webhook() -> None:
    async def story(kube: Kube) -> Any:
        await kube.merge("/api/v1/namespaces/default", {"metadata": {"labels": {"istio-injection": "enabled"}}})
        await kube.clock.sleep(3)
        istiod = "/apis/apps/v1/namespaces/istio-system/deployments/istiod"
        await kube.merge(istiod, {"spec": {"replicas": 0}})
        await kube.clock.sleep(3)
        body = {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
        await settle(kube, 3, obj("Deployment", "apps/v1", "web", spec=body))
        told = await kube.events("ReplicaSet")
        await kube.merge(istiod, {"spec": {"replicas": 1}})
        await kube.clock.sleep(10)
        return told, len(await kube.names("/api/v1/namespaces/default/pods"))

    told, pods = play(story, installed("istio"))
    assert told == [
        (
            "FailedCreate",
            (
                "Error creating: Internal error occurred: "
                'failed calling webhook "namespace.sidecar-injector.istio.io": '
                'failed to call webhook: Post "https://istiod.istio-system.svc:443/inject?timeout=10s": '
                'no endpoints available for service "istiod"'
            ),
        )
    ]
    assert pods == 1


def test_an_operator_whose_deployment_is_down_does_nothing() -> None:
    async def story(kube: Kube) -> Any:
        await settle(kube, 5, ISSUER)
        before = (await live(kube, ISSUER)).get("status")
        body = {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
        await settle(kube, 5, obj("Deployment", "apps/v1", "cert-manager", spec=body))
        return before, (await live(kube, ISSUER))["status"]["conditions"][0]["status"]

    gate = OperatorSpec(name="cert-manager", deployment="default/cert-manager")
    assert play(story, SandboxSettings(operators=(gate,))) == (None, "True")


def test_a_rollout_replaces_the_pods_of_its_old_template() -> None:
    async def story(kube: Kube) -> Any:
        await settle(kube, 5, ROLLOUT)
        changed = {**TEMPLATE, "spec": pod_spec("example/app:2")}
        await kube.merge(path_of(kube, ROLLOUT, "one"), {"spec": {"template": changed}})
        await kube.clock.sleep(5)
        pods = (await kube.get("/api/v1/namespaces/default/pods"))["items"]
        return sorted(one["spec"]["containers"][0]["image"] for one in pods), outcome(await live(kube, ROLLOUT))

    assert play(story, installed("rollouts")) == (["example/app:2", "example/app:2"], ("Healthy", ""))


def test_a_knative_service_whose_image_is_missing_fails_with_its_revision() -> None:
    async def story(kube: Kube) -> Any:
        await settle(kube, 700, KNATIVE)
        return outcome(await live(kube, KNATIVE))

    settings = installed("knative", images=KnownImages(unknown=("a/b:1",)))
    assert play(story, settings) == ("Degraded", "ProgressDeadlineExceeded")


def test_an_image_of_the_clusters_own_registry_is_there_once_it_is_built() -> None:
    image = "image-registry.openshift-image-registry.svc:5000/default/a:latest"
    stream = obj("ImageStream", "image.openshift.io/v1", "a", spec={})
    config = obj("BuildConfig", "build.openshift.io/v1", spec={**BUILD, "triggers": [{"type": "ConfigChange"}]})
    consumer = obj("Pod", "v1", "app", spec=pod_spec(image))

    async def story(kube: Kube) -> Any:
        await settle(kube, 5, stream, consumer)
        before = (await live(kube, consumer))["status"]["containerStatuses"][0]["state"]["waiting"]["reason"]
        await settle(kube, 40, config)
        tags = (await live(kube, stream))["status"]["tags"]
        return before, [one["tag"] for one in tags], (await live(kube, consumer))["status"]["phase"]

    assert play(story, installed("openshift")) == ("ImagePullBackOff", ["latest"], "Running")
