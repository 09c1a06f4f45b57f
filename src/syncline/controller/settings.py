"""Reads the settings of an installation from the ConfigMaps in its namespace.

Called when a controller starts, with the cluster it lives on; the settings go into `syncline.controller.world.World`,
the problems to whoever tells people. A ConfigMap that is absent or may not be read leaves its defaults: only the first
is normal, so the second is told.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import GroupVersionKind
from syncline.core.settings import parse
from syncline.core.settings.keys import Home
from syncline.core.settings.report import Problem, SettingProblem, SettingsReport
from syncline.model.finding import Severity
from syncline.model.settings import Profile, Settings
from syncline.ports.kube import ApiError, ApiResource, Reader

_CONFIG_MAPS = ApiResource(gvk=GroupVersionKind("", "v1", "ConfigMap"), plural="configmaps", namespaced=True)
_HOMES = (Home.CM, Home.PARAMS, Home.RBAC)
_REFUSED = (401, 403)


async def read_settings(cluster: Reader, namespace: str, *, profile: Profile = Profile.UPSTREAM) -> SettingsReport:
    """Return the settings in force for the installation in a namespace."""
    sources: list[parse.Source] = []
    refused: list[SettingProblem] = []
    for home in _HOMES:
        try:
            found = await cluster.get(_CONFIG_MAPS, namespace, home)
        except ApiError as error:
            if error.code not in _REFUSED:
                raise
            refused.append(_refused(home, namespace, error))
            continue
        if found is not None:
            # Single objects come with their kind, but nothing here depends on it.
            sources.append(parse.Source({**found, "apiVersion": "v1", "kind": "ConfigMap"}))
    report = parse.parse(sources, profile=profile, start=Settings(namespace=namespace))
    settings = msgspec.structs.replace(report.settings, namespace=namespace)
    return msgspec.structs.replace(report, settings=settings, problems=(*refused, *report.problems))


def _refused(home: Home, namespace: str, error: ApiError) -> SettingProblem:
    return SettingProblem(
        code=Problem.UNREADABLE,
        severity=Severity.WARNING,
        key=home,
        home=home,
        message=f"{home} in namespace {namespace} may not be read, so its defaults hold: {error.message}",
        fix=f"allow get on ConfigMaps in namespace {namespace}",
    )
