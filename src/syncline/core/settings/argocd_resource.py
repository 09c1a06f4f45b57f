"""Reads settings from an `ArgoCD` resource, from which the operator of OpenShift GitOps writes the ConfigMaps.

Called by `syncline.core.settings.parse`. `extraConfig` and `cmdParams` win over the fields that mean the same. A field
that does not exist is dropped by the API server without a word, which is worth one here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from syncline.apimachinery import yaml
from syncline.apimachinery.yaml import Path
from syncline.core.settings import nearest
from syncline.core.settings.entries import RESOURCE, ParsedSettings, Places, SettingEntry
from syncline.core.settings.keys import Home
from syncline.core.settings.report import ProblemCode, SettingProblem

_FIELDS: Final[dict[str, tuple[Home, str]]] = {
    "applicationInstanceLabelKey": (Home.CM, "application.instanceLabelKey"),
    "resourceTrackingMethod": (Home.CM, "application.resourceTrackingMethod"),
    "installationID": (Home.CM, "installationID"),
    "kustomizeBuildOptions": (Home.CM, "kustomize.buildOptions"),
    "resourceExclusions": (Home.CM, "resource.exclusions"),
    "resourceInclusions": (Home.CM, "resource.inclusions"),
    "resourceCustomizations": (Home.CM, "resource.customizations"),
    "oidcConfig": (Home.CM, "oidc.config"),
    "statusBadgeEnabled": (Home.CM, "statusbadge.enabled"),
    "usersAnonymousEnabled": (Home.CM, "users.anonymous.enabled"),
    "gaTrackingID": (Home.CM, "ga.trackingid"),
    "gaAnonymizeUsers": (Home.CM, "ga.anonymizeusers"),
    "helpChatURL": (Home.CM, "help.chatUrl"),
    "helpChatText": (Home.CM, "help.chatText"),
    "banner.content": (Home.CM, "ui.bannercontent"),
    "banner.url": (Home.CM, "ui.bannerurl"),
    "controller.appSync": (Home.CM, "timeout.reconciliation"),
    "controller.respectRBAC": (Home.CM, "resource.respectRBAC"),
    "controller.processors.status": (Home.PARAMS, "controller.status.processors"),
    "controller.processors.operation": (Home.PARAMS, "controller.operation.processors"),
    "controller.parallelismLimit": (Home.PARAMS, "controller.kubectl.parallelism.limit"),
    "controller.logLevel": (Home.PARAMS, "controller.log.level"),
    "controller.logFormat": (Home.PARAMS, "controller.log.format"),
    "controller.sharding.replicas": (Home.ENV, "ARGOCD_CONTROLLER_REPLICAS"),
    "repo.logLevel": (Home.PARAMS, "reposerver.log.level"),
    "repo.logFormat": (Home.PARAMS, "reposerver.log.format"),
    "server.insecure": (Home.PARAMS, "server.insecure"),
    "server.logLevel": (Home.PARAMS, "server.log.level"),
    "server.logFormat": (Home.PARAMS, "server.log.format"),
    "applicationSet.logLevel": (Home.PARAMS, "applicationsetcontroller.log.level"),
    "rbac.policy": (Home.RBAC, "policy.csv"),
    "rbac.defaultPolicy": (Home.RBAC, "policy.default"),
    "rbac.scopes": (Home.RBAC, "scopes"),
    "rbac.policyMatcherMode": (Home.RBAC, "policy.matchMode"),
}
_LISTS: Final[dict[str, tuple[Home, str]]] = {
    "sourceNamespaces": (Home.PARAMS, "application.namespaces"),
    "applicationSet.sourceNamespaces": (Home.PARAMS, "applicationsetcontroller.namespaces"),
    "applicationSet.scmProviders": (Home.PARAMS, "applicationsetcontroller.allowed.scm.providers"),
}
_ENVIRONMENTS: Final = {
    "controller": "controller",
    "repo": "reposerver",
    "server": "server",
    "applicationSet": "applicationsetcontroller",
}
_KINDS: Final = {"resourceHealthChecks": ("health", "check"), "resourceActions": ("actions", "action")}
_MAPS: Final = {"extraConfig": Home.CM, "cmdParams": Home.PARAMS}
_OTHER_FIELDS: Final = frozenset(
    {
        "aggregatedClusterRoles",
        "argoCDAgent",
        "clusterDomain",
        "configManagementPlugins",
        "defaultClusterScopedRoleDisabled",
        "disableAdmin",
        "grafana",
        "ha",
        "image",
        "imagePullPolicy",
        "imageUpdater",
        "import",
        "initialRepositories",
        "initialSSHKnownHosts",
        "kustomizeVersions",
        "localUsers",
        "monitoring",
        "namespaceManagement",
        "networkPolicy",
        "nodePlacement",
        "notifications",
        "prometheus",
        "redis",
        "repositoryCredentials",
        "resourceIgnoreDifferences",
        "sso",
        "tls",
        "version",
    }
)
_OLD_FIELDS: Final = frozenset({"dex", "resourceCustomizations"})


def read(obj: dict[str, Any], places: Places) -> ParsedSettings:
    """Return the settings of the resource."""
    spec = obj.get("spec")
    if not isinstance(spec, dict):
        return ParsedSettings(RESOURCE, whole_cm=True)
    reader = _Reader(spec, places)
    return ParsedSettings(
        RESOURCE, tuple(reader.entries()), tuple(reader.problems(str(obj.get("apiVersion")))), whole_cm=True
    )


class _Reader:
    def __init__(self, spec: dict[str, Any], places: Places) -> None:
        self._spec = spec
        self._places = places

    def entries(self) -> Iterator[SettingEntry]:
        """List what the fields say, then what overrides them."""
        for path, (home, key) in _FIELDS.items():
            yield from self._entry(home, key, self._at(path), tuple(path.split(".")))
        for path, (home, key) in _LISTS.items():
            value = self._at(path)
            if isinstance(value, list):
                yield from self._entry(home, key, ",".join(map(str, value)), tuple(path.split(".")))
        if isinstance(self._spec.get("disableAdmin"), bool):
            yield from self._entry(Home.CM, "admin.enabled", not self._spec["disableAdmin"], ("disableAdmin",))
        yield from self._kinds()
        yield from self._ignored()
        yield from self._kustomize()
        yield from self._environment()
        for name, home in _MAPS.items():
            content = self._spec.get(name)
            for key, value in content.items() if isinstance(content, dict) else ():
                yield from self._entry(home, str(key), value, (name, key))

    def problems(self, api_version: str) -> Iterator[SettingProblem]:
        """Name the fields that do not exist."""
        known = {*_OTHER_FIELDS, *_MAPS, *_KINDS, *(path.partition(".")[0] for path in (*_FIELDS, *_LISTS))}
        if api_version.endswith("/v1alpha1"):
            known |= _OLD_FIELDS
        else:
            known -= _OLD_FIELDS
        for name in self._spec:
            if name not in known:
                yield self._unknown(str(name), known)

    def _unknown(self, name: str, known: set[str]) -> SettingProblem:
        meant = "resourceHealthChecks" if name == "resourceCustomizations" else nearest.nearest_of(name, known)
        return SettingProblem(
            kind=ProblemCode.UNKNOWN_FIELD,
            key=f"spec.{name}",
            home="ArgoCD",
            message=f"spec.{name} does not exist on ArgoCD; it is dropped silently",
            nearest=f"spec.{meant}" if meant else "",
            right_home="ArgoCD" if meant else "",
            fix=f"write spec.{meant}" if meant else "remove it, or put settings of argocd-cm into spec.extraConfig",
            place=self._places(("spec", name)),
        )

    def _entry(self, home: Home, key: str, value: Any, path: Path, component: str = "") -> Iterator[SettingEntry]:
        if value is not None:
            place = self._places(("spec", *path))
            yield SettingEntry(home=home, key=key, value=value, place=place, form=RESOURCE, component=component)

    def _at(self, path: str) -> Any:
        value: Any = self._spec
        for step in path.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        return value

    def _kinds(self) -> Iterator[SettingEntry]:
        for name, (part, field) in _KINDS.items():
            for index, item in enumerate(_items(self._spec.get(name))):
                key = f"resource.customizations.{part}.{_kind(item)}"
                yield from self._entry(Home.CM, key, item.get(field), (name, index, field))

    def _ignored(self) -> Iterator[SettingEntry]:
        rules = self._spec.get("resourceIgnoreDifferences")
        if not isinstance(rules, dict):
            return
        stem, path = "resource.customizations.ignoreDifferences.", ("resourceIgnoreDifferences",)
        if isinstance(rules.get("all"), dict):
            yield from self._entry(Home.CM, f"{stem}all", yaml.dump(rules["all"]), (*path, "all"))
        for index, item in enumerate(_items(rules.get("resourceIdentifiers"))):
            if isinstance(item.get("customization"), dict):
                text = yaml.dump(item["customization"])
                yield from self._entry(Home.CM, stem + _kind(item), text, (*path, "resourceIdentifiers", index))

    def _kustomize(self) -> Iterator[SettingEntry]:
        for index, item in enumerate(_items(self._spec.get("kustomizeVersions"))):
            if item.get("version"):
                key = f"kustomize.version.{item['version']}"
                yield from self._entry(Home.CM, key, item.get("path"), ("kustomizeVersions", index))

    def _environment(self) -> Iterator[SettingEntry]:
        for name, component in _ENVIRONMENTS.items():
            for index, item in enumerate(_items(self._at(f"{name}.env"))):
                key, path = str(item.get("name") or ""), (name, "env", index)
                yield from self._entry(Home.ENV, key, item.get("value"), path, component)


def _items(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _kind(item: dict[str, Any]) -> str:
    group, kind = str(item.get("group") or ""), str(item.get("kind") or "")
    return f"{group}_{kind}" if group else kind
