"""Writes the repository of the platform: one chart, layers of values, a file per component, two ApplicationSets.

Handed to whoever makes a repository of it. `REPOSITORY` stands where Applications name the repository that they are in.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Any

from syncline.apimachinery import yaml
from syncline.scenarios.ameide.catalogue import (
    EMPTY_OVERRIDES,
    ENVIRONMENTS,
    EVERYWHERE,
    Component,
    Environment,
    cluster_components,
    components,
)

Files = dict[str, str]
CHART = "sources/charts/component"
VALUES = "sources/values"
APPLICATIONS = "argocd/applicationsets"
_CLUSTER = Environment(name="cluster", namespace="ameide-system", pool="system", tag="2.0")
_PARTS = ("Chart.yaml", "values.yaml", "templates/_helpers.tpl", "templates/workload.yaml", "templates/config.yaml",
          "templates/secrets.yaml", "templates/jobs.yaml", "templates/cluster.yaml")  # fmt: skip
_NOTHING: dict[str, Any] = {"nodeSelector": {}, "tolerations": []}


def first(without: frozenset[str] = frozenset()) -> Files:
    """Return the repository as it was begun: Vault, too, hid the tolerations of its environment."""
    files: Files = {f"{CHART}/{name}": _part(name) for name in _PARTS}
    files[f"{VALUES}/_shared/globals.yaml"] = _globals("ClusterSecretStore")
    for environment in (*ENVIRONMENTS, _CLUSTER):
        files[f"{VALUES}/{environment.name}/globals.yaml"] = _placement(environment)
    for component in components(without):
        files[f"{VALUES}/_shared/{component.file}"] = yaml.dump(_shared(component))
        for environment in ENVIRONMENTS:
            if environment.name in component.environments:
                files |= _listed(component, environment)
    for component in cluster_components(without):
        files[f"{VALUES}/_shared/{component.file}"] = yaml.dump(component.values)
        files |= _listed(component, _CLUSTER)
    files[f"{VALUES}/dev/foundation/foundation-vault-secret-store.yaml"] = _store("vault")
    files[f"{APPLICATIONS}/platform.yaml"] = yaml.dump(_application_set())
    return files


def vault_inherits() -> Files:
    """Return the change that gives Vault the tolerations of its environment: too late for pods that are there."""
    vault = next(one for one in components() if one.name == "foundation-vault-core")
    return {f"{VALUES}/_shared/{vault.file}": yaml.dump(vault.values)}


def without_cert_manager() -> dict[str, None]:
    """Return the files whose deletion leaves three Applications that nobody generates any more."""
    return {f"environments/{name}/foundation/foundation-cert-manager.yaml": None for name in EVERYWHERE}


def own_stores() -> Files:
    """Return the change that points every environment at the Vault beside it."""
    files = {f"{VALUES}/_shared/globals.yaml": _globals("SecretStore")}
    for environment in ENVIRONMENTS:
        files[f"{VALUES}/{environment.name}/foundation/foundation-vault-secret-store.yaml"] = _store(
            environment.namespace
        )
    return files


def without_overrides() -> dict[str, str | None]:
    """Return the change that lets the services inherit what their environment says."""
    hidden = {f"apps-{name}" for name in EMPTY_OVERRIDES}
    found = (one for one in components() if one.name in hidden)
    return {f"{VALUES}/_shared/{one.file}": yaml.dump(one.values) for one in found}


def _part(name: str) -> str:
    found = resources.files("syncline.scenarios.ameide") / "chart"
    for step in name.split("/"):
        found /= step
    return found.read_text(encoding="utf-8")


def _globals(store: str) -> str:
    return yaml.dump({"store": {"kind": store, "name": "ameide-vault"}})


def _placement(environment: Environment) -> str:
    taint = {"key": "CriticalAddonsOnly", "operator": "Exists"}
    if environment.name != "cluster":
        taint = {"key": "ameide.io/environment", "value": environment.name, "effect": "NoSchedule"}
    placed = {"nodeSelector": {"ameide.io/pool": environment.pool}, "tolerations": [taint]}
    return yaml.dump({"image": {"tag": environment.tag}, **placed})


def _shared(component: Component) -> dict[str, Any]:
    hides = component.name == "foundation-vault-core" or component.name.removeprefix("apps-") in EMPTY_OVERRIDES
    return component.values | (_NOTHING if hides else {})


def _store(namespace: str) -> str:
    return yaml.dump({"vault": {"namespace": namespace}})


def _listed(component: Component, environment: Environment) -> Files:
    """Return the file that makes the ApplicationSet generate an Application of a component."""
    everywhere = environment.name != "cluster"
    listed = {
        "app": f"{environment.name}-{component.name}" if everywhere else component.name,
        "name": component.name,
        "tier": component.tier,
        "environment": environment.name,
        "namespace": environment.namespace,
        "heal": not component.contested,
    }
    return {f"environments/{environment.name}/{component.file}": yaml.dump(listed)}


def _application_set() -> Mapping[str, Any]:
    layers = [
        "_shared/globals",
        "{{.environment}}/globals",
        "_shared/{{.tier}}/{{.name}}",
        "{{.environment}}/{{.tier}}/{{.name}}",
    ]
    helm = {
        "releaseName": "{{.name}}",
        "ignoreMissingValueFiles": True,
        "valueFiles": [f"/{VALUES}/{layer}.yaml" for layer in layers],
    }
    spec = {
        "project": "default",
        "source": {"repoURL": "REPOSITORY", "path": CHART, "targetRevision": "main", "helm": helm},
        "destination": {"server": "https://kubernetes.default.svc", "namespace": "{{.namespace}}"},
        "syncPolicy": {"automated": {"prune": True, "selfHeal": True}, "syncOptions": ["CreateNamespace=true"]},
    }
    patch = "{{- if not .heal }}\nspec: {syncPolicy: {automated: {selfHeal: false}}}\n{{- end }}\n"
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": "platform", "namespace": "argocd"},
        "spec": {
            "goTemplate": True,
            "goTemplateOptions": ["missingkey=error"],
            "generators": [
                {"git": {"repoURL": "REPOSITORY", "revision": "main", "files": [{"path": "environments/*/*/*.yaml"}]}}
            ],
            # Whatever is generated no more stays: nobody lost anything when a file was moved.
            "syncPolicy": {"applicationsSync": "create-update"},
            "template": {"metadata": {"name": "{{.app}}"}, "spec": spec},
            "templatePatch": patch,
        },
    }
