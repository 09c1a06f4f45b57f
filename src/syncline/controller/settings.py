"""Reads the settings of an installation from the ConfigMaps in its namespace.

Called when a controller starts, with the cluster it lives on, and again whenever one of the ConfigMaps changes; the
settings go into `syncline.controller.world.World`, the problems to whoever tells people. A ConfigMap that is absent or
may not be read leaves its defaults: only the first is normal, so the second is told.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.core.settings import parse
from syncline.core.settings.keys import Home
from syncline.core.settings.report import ProblemCode, SettingProblem, SettingsReport
from syncline.model.finding import Severity
from syncline.model.settings.settings import Profile, Settings
from syncline.ports.kube import ApiError, ApiResource, ClusterReader

_CONFIG_MAPS = ApiResource(gvk=GroupVersionKind("", "v1", "ConfigMap"), plural="configmaps", namespaced=True)
HOMES = (Home.CM, Home.PARAMS, Home.RBAC)
"""The ConfigMaps that hold settings, by name."""
_REFUSED = (401, 403)


async def read_settings(
    cluster: ClusterReader, namespace: str, *, profile: Profile = Profile.UPSTREAM
) -> SettingsReport:
    """Return the settings in force for the installation in a namespace."""
    found_maps: list[Object] = []
    refused: list[SettingProblem] = []
    for home in HOMES:
        try:
            found = await cluster.get(_CONFIG_MAPS, namespace, home)
        except ApiError as error:
            if error.code not in _REFUSED:
                raise
            refused.append(_refused(home, namespace, error))
            continue
        if found is not None:
            found_maps.append(found)
    report = settings_of(found_maps, namespace, profile=profile)
    return msgspec.structs.replace(report, problems=(*refused, *report.problems))


async def read_permissions(cluster: ClusterReader, namespace: str) -> Object | None:
    """Return the ConfigMap with who may do what; None where there is none, so that only built-in roles have rights."""
    found = await cluster.get(_CONFIG_MAPS, namespace, Home.RBAC)
    return None if found is None else {**found, "apiVersion": "v1", "kind": "ConfigMap"}


def settings_of(
    config_maps: Iterable[Object], namespace: str, *, profile: Profile = Profile.UPSTREAM
) -> SettingsReport:
    """Return the settings that ConfigMaps amount to."""
    # Single objects come with their kind, but nothing here depends on it.
    sources = [parse.SettingsInput({**found, "apiVersion": "v1", "kind": "ConfigMap"}) for found in config_maps]
    report = parse.parse(sources, profile=profile, start=Settings(namespace=namespace))
    return msgspec.structs.replace(report, settings=msgspec.structs.replace(report.settings, namespace=namespace))


def _refused(home: Home, namespace: str, error: ApiError) -> SettingProblem:
    return SettingProblem(
        kind=ProblemCode.UNREADABLE,
        severity=Severity.WARNING,
        key=home,
        home=home,
        message=f"{home} in namespace {namespace} cannot be read, so its defaults apply: {error.message}",
        fix=f"allow get on ConfigMaps in namespace {namespace}",
    )
