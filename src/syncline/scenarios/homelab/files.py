"""Writes the repository of the homelab: Applications by waves, ApplicationSets, and a folder for each component."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from syncline.apimachinery import yaml
from syncline.scenarios import files
from syncline.scenarios.story import REPOSITORY

HERE: Final = "syncline.scenarios.homelab"
APPS: Final = "infrastructure/controllers/argocd/apps"
SETTINGS: Final = "infrastructure/controllers/argocd/values.yaml"
OPTIONS: Final = ("CreateNamespace=true", "ServerSideApply=true")
_SET_OPTIONS: Final = (*OPTIONS, "RespectIgnoreDifferences=true", "Replace=false")


class Homelab(msgspec.Struct, frozen=True, kw_only=True):
    """What the cluster is made of: components by wave, and those that ApplicationSets find in folders."""

    secrets: tuple[str, ...] = ("1password-connect", "external-secrets")
    storage: tuple[str, ...] = ("longhorn", "snapshot-controller", "volsync")
    checker: str = "pvc-plumber"
    infrastructure: tuple[str, ...] = ("cert-manager", "kyverno", "gpu-operator", "databases", "gateway")
    monitoring: tuple[str, ...] = ("prometheus-stack", "loki-stack", "tempo")
    users: tuple[str, ...] = ("ai/llama", "media/player", "home/frigate", "dev/gitea", "web/blog")

    @property
    def total(self) -> int:
        """How many apps there are, with the root, Cilium, Argo CD itself and the projects."""
        found = (*self.secrets, *self.storage, self.checker, *self.infrastructure, *self.monitoring, *self.users)
        return len(found) + 4

    @property
    def changed(self) -> str:
        """The app whose ConfigMap is changed in Git."""
        return self.users[0]


def first(lab: Homelab) -> dict[str, str]:
    """Return the repository from which the cluster was bootstrapped."""
    made = files.tree(HERE)
    apps = [
        _app("cilium", "infrastructure/cilium", 0, "kube-system"),
        _app("argocd", "infrastructure/controllers/argocd", 0, "argocd"),
        _app("projects", "infrastructure/projects", 0, "argocd"),
        *(_app(name, f"infrastructure/{name}", 0) for name in lab.secrets),
        *(_app(name, f"infrastructure/{name}", 1) for name in lab.storage),
        _app(lab.checker, f"infrastructure/{lab.checker}", 2),
    ]
    made |= {f"{APPS}/{one['metadata']['name']}-app.yaml": yaml.dump(one) for one in apps}
    made["infrastructure/projects/projects.yaml"] = yaml.dump_all([_project(name) for name in PROJECTS])
    for name in (*lab.secrets, *lab.storage, lab.checker):
        made |= _component(f"infrastructure/{name}", name)
    listed = [f"infrastructure/services/{name}" for name in lab.infrastructure]
    for name, wave, paths in (
        ("infrastructure", 4, listed),
        ("monitoring", 5, ["monitoring/*"]),
        ("my-apps", 6, ["my-apps/*/*"]),
    ):
        made[f"{APPS}/{name}-appset.yaml"] = yaml.dump(_set(name, wave, paths))
    for folder in (*listed, *(f"monitoring/{one}" for one in lab.monitoring), *(f"my-apps/{one}" for one in lab.users)):
        made |= _component(folder, folder.rpartition("/")[2])
    return made | presets(lab, "context = 8192")


def presets(lab: Homelab, content: str) -> dict[str, str]:
    """Return the file of the ConfigMap that one app reads its presets from."""
    return {f"my-apps/{lab.changed}/presets.ini": f"[default]\n{content}\n"}


PROJECTS: Final = ("infrastructure", "monitoring", "my-apps")


def _project(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": {"name": name},
        "spec": {
            "sourceRepos": ["*"],
            "destinations": [{"server": "*", "namespace": "*"}],
            "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
        },
    }


def _app(name: str, path: str, wave: int, destination: str = "") -> dict[str, Any]:
    return files.application(name, path, wave=wave, destination=destination or name, options=OPTIONS)


def _set(name: str, wave: int, paths: list[str]) -> dict[str, Any]:
    spec = files.application("x", "{{.path.path}}", destination="{{.path.basename}}", options=_SET_OPTIONS)["spec"]
    found = [{"path": path} for path in paths]
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {
            "name": name,
            "namespace": "argocd",
            "annotations": {"argocd.argoproj.io/sync-wave": str(wave)},
        },
        "spec": {
            "goTemplate": True,
            "goTemplateOptions": ["missingkey=error"],
            "generators": [{"git": {"repoURL": REPOSITORY, "revision": "main", "directories": found}}],
            "template": {"metadata": {"name": "{{.path.basename}}"}, "spec": {**spec, "project": name}},
        },
    }


def _component(folder: str, name: str) -> dict[str, str]:
    generated: dict[str, Any] = {"resources": ["workload.yaml"], "namespace": name}
    if name == "llama":
        generated["configMapGenerator"] = [
            {"name": "presets", "files": ["presets.ini"], "options": {"disableNameSuffixHash": True}}
        ]
    workload = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [_container(name)]}},
        },
    }
    return {f"{folder}/kustomization.yaml": yaml.dump(generated), f"{folder}/workload.yaml": yaml.dump(workload)}


def _container(name: str) -> dict[str, Any]:
    probe = {"httpGet": {"path": "/", "port": 8080}, "periodSeconds": 5}
    image = f"registry.example/homelab/{name}:1.0"
    return {"name": "main", "image": image, "ports": [{"containerPort": 8080}], "readinessProbe": probe}
