"""Writes the repository of the platform: a kustomization for each stage, an Application for each, and two old branches.

Handed to whoever makes a repository of it. The Applications name their branches: two of them never moved on to main.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import yaml
from syncline.scenarios import manifests as m
from syncline.scenarios.manifests import Manifest
from syncline.scenarios.private_ai import parts

Files = dict[str, str | None]
HOME = "openshift-gitops"
APPLICATIONS = "gitops/argocd/applications"
LEGACY, FEATURE = "stage1-complete", "feature/stage2-implementation"
SERVING, ALIGNMENT = "gitops/stage01/serving", "gitops/stage02/alignment"
_AUTOMATED = {"automated": {"prune": True, "selfHeal": True}, "syncOptions": ["CreateNamespace=true"]}
_UNHEALED = {"automated": {"prune": True}, "syncOptions": ["CreateNamespace=true"]}
_TRACKING = "/metadata/annotations/argocd.argoproj.io~1tracking-id"
_GATEWAYS = {
    "group": "networking.istio.io",
    "kind": "Gateway",
    "jsonPointers": ["/spec", "/status", "/metadata/annotations"],
}


def first() -> Files:
    """Return main as it was begun: stage 0, the registry, and all Applications."""
    return {
        **_folder("gitops/stage00/operators", parts.operators()),
        **_folder("gitops/stage00/gpu-infrastructure", parts.gpus()),
        **_folder("gitops/stage00/datasciencecluster", parts.data_science()),
        **_folder("gitops/stage00/minio", parts.storage()),
        **_folder("gitops/stage01/model-registry", parts.registry()),
        **_app("stage00", "operators", "gitops/stage00/operators"),
        **_app("stage00", "gpu-infrastructure", "gitops/stage00/gpu-infrastructure"),
        **_app(
            "stage00", "datasciencecluster", "gitops/stage00/datasciencecluster", ignore=[_GATEWAYS], policy=_UNHEALED
        ),
        **_app("stage00", "minio", "gitops/stage00/minio", policy=_UNHEALED),
        **_app("stage01", "model-registry", "gitops/stage01/model-registry", ignore=[_namespace()]),
        **_app("stage01", "model-serving", SERVING, revision=LEGACY),
        **_app("stage02", "model-alignment", ALIGNMENT, revision=FEATURE),
    }


def legacy() -> Files:
    """Return the branch of stage 1 as it was delivered."""
    return _folder(SERVING, parts.serving_before())


def feature() -> Files:
    """Return the branch of stage 2 as it was delivered."""
    return _folder(ALIGNMENT, parts.alignment(parts.OLD_LABELS, docling=False))


def merged(*, relabelled: bool = True) -> Files:
    """Return what main got when both stages were merged, in a new layout."""
    labels = parts.NEW_LABELS if relabelled else parts.OLD_LABELS
    stage2 = _folder(ALIGNMENT, parts.alignment(labels, docling=True))
    return {**_folder(SERVING, parts.serving()), **stage2}


def half_moved() -> Files:
    """Return the change that the legacy branch got then: the list of the new files, and none of the files."""
    listed = [name for name in parts.serving() if name != "namespace.yaml"]
    return {
        f"{SERVING}/kustomization.yaml": m.kustomization("namespace.yaml", *listed),
        f"{SERVING}/legacy/inference.yaml": None,
    }


def relabelled() -> Files:
    """Return the change of the feature branch that asks for the impossible: another selector."""
    return _folder(ALIGNMENT, parts.alignment(parts.NEW_LABELS, docling=False))


def with_image(image: str) -> Files:
    """Return the change of the feature branch that asks for another image."""
    made = parts.alignment(parts.OLD_LABELS, docling=False)
    made["playground.yaml"][0]["spec"]["template"]["spec"]["containers"][0]["image"] = image
    return _folder(ALIGNMENT, made)


def retried() -> Files:
    """Return a change of an Application that nobody synced."""
    return _app("stage00", "operators", "gitops/stage00/operators", policy={**_AUTOMATED, "retry": {"limit": 5}})


def routes_ignored() -> Files:
    """Return the smallest rule for what OpenShift fills in."""
    fields = ["/spec/host", "/spec/tls/insecureEdgeTerminationPolicy"]
    rule = {"group": "route.openshift.io", "kind": "Route", "jsonPointers": fields}
    return _app("stage00", "minio", "gitops/stage00/minio", ignore=[rule], policy=_UNHEALED)


def on_main() -> Files:
    """Return the Applications of stages 1 and 2, following main."""
    return {
        **_app("stage01", "model-serving", SERVING),
        **_app("stage02", "model-alignment", ALIGNMENT),
    }


def gateways_accepted() -> Files:
    """Return the acceptance of what the mesh operator writes, field by field and with a reason."""
    accepted = {
        "group": "networking.istio.io",
        "kind": "Gateway",
        "jsonPointers": ["/metadata/labels/release", "/spec/selector/istio"],
        "reason": "the Service Mesh operator keeps the gateways of Knative",
        "owner": "platform team",
    }
    note = {"annotations": {"syncline.io/accepted-drift": yaml.dump([accepted])}}
    return _app("stage00", "datasciencecluster", "gitops/stage00/datasciencecluster", policy=_UNHEALED, about=note)


def root() -> Manifest:
    """Return the Application of the Applications: synced by hand, and when it is created."""
    made = m.application("private-ai", APPLICATIONS, HOME, namespace=HOME, policy={})
    made["spec"]["source"]["directory"] = {"recurse": True}
    return {**made, "operation": {"sync": {}}}


def _namespace() -> Manifest:
    return {"kind": "Namespace", "jsonPointers": [_TRACKING]}


def _app(stage: str, name: str, path: str, **given: Any) -> Files:
    about = given.pop("about", {})
    made = m.application(f"{stage}-{name}", path, HOME, namespace=parts.DEMO, **{"policy": _AUTOMATED, **given})
    made["metadata"] |= about
    return {f"{APPLICATIONS}/{stage}/app-{stage}-{name}.yaml": yaml.dump(made)}


def _folder(path: str, files: dict[str, list[Manifest]]) -> Files:
    written: Files = {f"{path}/{name}": m.as_file(objects) for name, objects in files.items()}
    return {f"{path}/kustomization.yaml": m.kustomization(*files), **written}
