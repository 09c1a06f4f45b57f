"""Writes the repository of the platform: bases of the foundation, bases of the applications, an Application for each.

Handed to whoever makes a repository of it. `example/kustomization.yaml` installs everything at once, for people who try
the platform out; the mistake is that an Application of the foundation points there.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from syncline.apimachinery import yaml
from syncline.scenarios import manifests as m
from syncline.scenarios.kubeflow import parts, training
from syncline.scenarios.manifests import Manifest

Files = dict[str, str]
BOOTSTRAP = "bootstrap/apps/kubeflow"
SPLIT = "example/common-component-chart"
COMMON = "kubeflow-common-services"
GATEWAY = "common/istio/cluster-local-gateway/base"
_FOUNDATION = (
    "cert-manager/base", "cert-manager/kubeflow-issuer/base", "istio/istio-crds/base", "istio/istio-namespace/base",
    "istio/istio-install/overlays/oauth2-proxy", "oauth2-proxy/overlays/m2m-dex-only", "dex/overlays/oauth2-proxy",
    "knative/knative-serving/overlays/gateways", "istio/cluster-local-gateway/base", "kubeflow-namespace/base",
    "networkpolicies/base", "kubeflow-roles/base", "istio/kubeflow-istio-resources/base",
)  # fmt: skip


class App(msgspec.Struct, frozen=True, kw_only=True):
    """An Application of the platform: its name behind `kubeflow-`, its wave and the folders that it consists of."""

    name: str
    wave: int
    namespace: str = parts.KUBEFLOW
    folders: Mapping[str, list[Manifest]]


class Platform(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between the story and its look-alikes.

    `runtimes` is how many runtimes the trainer has, `order` the order in which the apps are written down. With
    `gateway_account` it is an account of the foundation that has no namespace, and not the ConfigMap of the first user.
    """

    runtimes: int = 5
    gateway_account: bool = False
    order: tuple[int, ...] = ()


def apps(platform: Platform = Platform()) -> list[App]:  # noqa: B008 - a value
    """Return the Applications, the foundation left out."""
    made = _apps(platform)
    return [made[number] for number in platform.order] or made


def _apps(platform: Platform) -> list[App]:
    return [
        App(name="external", wave=-1, namespace="kubeflow-external", folders={"external/base": _external()}),
        App(name="profiles", wave=1, folders={"profiles/base": _profiles()}),
        App(name="admission-webhook", wave=1, folders={"admission-webhook/base": _admission()}),
        App(name="pipelines", wave=2, folders={"pipeline/base": _pipelines()}),
        App(name="katib", wave=2, folders={"katib/base": _katib()}),
        App(name="jupyter", wave=2, folders={"jupyter/base": _jupyter()}),
        App(name="kserve", wave=3, folders={"kserve/base": _kserve()}),
        App(
            name="trainer",
            wave=3,
            namespace=training.SYSTEM,
            folders={"trainer/jobset": training.job_sets(), "trainer/base": training.trainer(platform.runtimes)},
        ),
        App(
            name="web-apps",
            wave=4,
            folders={
                "centraldashboard/base": parts.web("centraldashboard", "/"),
                "volumes-web-app/base": parts.web("volumes-web-app", "/volumes"),
                "tensorboards-web-app/base": parts.web("tensorboards-web-app", "/tensorboards"),
            },
        ),
        App(name="spark", wave=5, namespace=training.SPARK, folders={"spark/base": training.spark()}),
        App(name="model-registry", wave=5, folders={"model-registry/base": _registry()}),
    ]


def first(platform: Platform) -> Files:
    """Return the repository as the team had it."""
    files = _foundation(platform)
    for app in apps(platform):
        for folder, objects in app.folders.items():
            files |= _base(f"applications/{folder}", objects)
        names = [f"../{folder}" for folder in app.folders]
        files[f"applications/_apps/{app.name}/kustomization.yaml"] = m.kustomization(*names).replace("../", "../../")
        path = f"applications/_apps/{app.name}"
        files[f"{BOOTSTRAP}/{app.name}.yaml"] = yaml.dump(
            m.application(f"kubeflow-{app.name}", path, wave=app.wave, namespace=app.namespace)
        )
    files[f"{BOOTSTRAP}/common-services.yaml"] = _common("example")
    everything = [f"../common/{folder}" for folder in (*_FOUNDATION, "user-namespace/base")]
    everything += [f"../applications/{folder}" for app in apps(platform) if app.wave >= 0 for folder in app.folders]
    files["example/kustomization.yaml"] = m.kustomization(*everything)
    return files


def split() -> Files:
    """Return the change of the team: a kustomization of the foundation alone, and the Application that points there."""
    return {
        f"{SPLIT}/kustomization.yaml": m.kustomization(*(f"../../common/{folder}" for folder in _FOUNDATION)),
        f"{BOOTSTRAP}/common-services.yaml": _common(SPLIT),
    }


def _common(path: str) -> str:
    return yaml.dump(m.application(COMMON, path, wave=0))


def _foundation(platform: Platform) -> Files:
    istio, user = "common/istio", "user"
    files = {
        **_base("common/cert-manager/base", parts.certificates()),
        **_base("common/cert-manager/kubeflow-issuer/base", parts.issuer()),
        **_base(f"{istio}/istio-crds/base", parts.istio_kinds()),
        **_base(f"{istio}/istio-namespace/base", [m.namespace("istio-system", **{"istio-injection": "disabled"})]),
        **_base(f"{istio}/istio-install/base", parts.istio()),
        f"{istio}/istio-install/overlays/oauth2-proxy/kustomization.yaml": m.kustomization("../../base"),
        **_base(
            "common/oauth2-proxy/base",
            parts.sign_on("oauth2-proxy", "oauth2-proxy", "quay.io/oauth2-proxy/oauth2-proxy:v7.7.1"),
        ),
        "common/oauth2-proxy/overlays/m2m-dex-only/kustomization.yaml": m.kustomization("../../base"),
        **_base("common/dex/base", parts.sign_on("dex", "auth", "ghcr.io/dexidp/dex:v2.41.1")),
        "common/dex/overlays/oauth2-proxy/kustomization.yaml": m.kustomization("../../base"),
        **_base("common/knative/knative-serving/base", parts.knative()),
        "common/knative/knative-serving/overlays/gateways/kustomization.yaml": m.kustomization("../../base"),
        **_base(GATEWAY, _gateway(placed=not platform.gateway_account)),
        **_base("common/kubeflow-namespace/base", [m.namespace("kubeflow", **{"istio-injection": "enabled"})]),
        **_base("common/networkpolicies/base", parts.network_policies()),
        **_base("common/kubeflow-roles/base", parts.roles()),
        **_base(f"{istio}/kubeflow-istio-resources/base", parts.mesh_of_kubeflow()),
        **_base("common/user-namespace/base", parts.profile(user)),
    }
    placed = {"namespace": parts.KUBEFLOW} if platform.gateway_account else {}
    generator = [{"name": "default-install-config", **placed, "envs": ["params.env"]}]
    kustomization = m.kustomization("resources.yaml", configMapGenerator=generator)
    files["common/user-namespace/base/kustomization.yaml"] = kustomization
    files["common/user-namespace/base/params.env"] = (
        f"user={user}@example.com\nprofile-name=kubeflow-{user}-example-com\n"
    )
    return files


def account_placed() -> Files:
    """Return the change that says where the account of the gateway belongs."""
    return _base(GATEWAY, _gateway(placed=True))


def _gateway(*, placed: bool) -> list[Manifest]:
    account = m.account("cluster-local-gateway-account", "istio-system" if placed else "")
    return [*parts.local_gateway(), account]


def _base(folder: str, objects: list[Manifest]) -> Files:
    return {
        f"{folder}/kustomization.yaml": m.kustomization("resources.yaml"),
        f"{folder}/resources.yaml": m.as_file(objects),
    }


def _external() -> list[Manifest]:
    return [
        m.config("object-store", "kubeflow-external", {"endpoint": "https://minio.example.com"}),
        m.config("identity-provider", "kubeflow-external", {"issuer": "https://login.example.com"}),
    ]


def _profiles() -> list[Manifest]:
    kinds = parts.controller("profiles-controller", "kubeflow.org", ("Profile", "profiles"), scope="Cluster")
    return [*kinds, *parts.api("profiles-kfam", "/kfam/", "ghcr.io/kubeflow/kubeflow/access-management:v1.10.0")]


def _admission() -> list[Manifest]:
    kinds = parts.controller("poddefaults-webhook", "kubeflow.org", ("PodDefault", "poddefaults"))
    return [*kinds, *parts.certificate("poddefaults-webhook")]


def _pipelines() -> list[Manifest]:
    names = ("ml-pipeline-persistenceagent", "ml-pipeline-scheduledworkflow", "ml-pipeline-viewer-crd",
             "ml-pipeline-visualizationserver", "metadata-grpc-deployment", "metadata-writer", "cache-server",
             "workflow-controller")  # fmt: skip
    made = parts.controller(
        "kubeflow-pipelines-profile-controller", "kubeflow.org", ("ScheduledWorkflow", "scheduledworkflows")
    )
    for name in names:
        made += parts.workload(name, parts.KUBEFLOW, f"ghcr.io/kubeflow/kfp-{name}:2.5.0")
    made += parts.api("ml-pipeline", "/pipeline/apis", "ghcr.io/kubeflow/kfp-api-server:2.5.0")
    return made + parts.api("ml-pipeline-ui", "/pipeline", "ghcr.io/kubeflow/kfp-frontend:2.5.0")


def _katib() -> list[Manifest]:
    kinds = (("Experiment", "experiments"), ("Suggestion", "suggestions"), ("Trial", "trials"))
    return [
        *parts.controller("katib-controller", "kubeflow.org", *kinds),
        *parts.certificate("katib-webhook"),
        *parts.workload("katib-db-manager", parts.KUBEFLOW, "ghcr.io/kubeflow/katib/katib-db-manager:v0.18.0"),
        *parts.api("katib-ui", "/katib/", "ghcr.io/kubeflow/katib/katib-ui:v0.18.0"),
    ]


def _jupyter() -> list[Manifest]:
    return [
        *parts.controller("notebook-controller", "kubeflow.org", ("Notebook", "notebooks")),
        *parts.controller("pvcviewer-controller", "kubeflow.org", ("PVCViewer", "pvcviewers")),
        *parts.web("jupyter-web-app", "/jupyter/"),
    ]


def _kserve() -> list[Manifest]:
    kinds = (("InferenceService", "inferenceservices"), ("ServingRuntime", "servingruntimes"))
    return [
        *parts.controller("kserve-controller-manager", "serving.kserve.io", *kinds),
        *parts.certificate("kserve-webhook-server"),
        *parts.web("kserve-models-web-app", "/kserve-endpoints/"),
    ]


def _registry() -> list[Manifest]:
    made = parts.workload("model-registry-db", parts.KUBEFLOW, "mysql:8.3.0", 3306)
    return made + parts.api(
        "model-registry-service", "/api/model_registry/", "ghcr.io/kubeflow/model-registry/server:v0.2.15"
    )
