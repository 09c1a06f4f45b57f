"""What must hold for the containers and volumes of a pod spec, in the API server's words.

Called by `syncline.sandbox.kinds.pods` for pods and for the templates of workloads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from syncline.apimachinery import names, quantity
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.errors import Cause

_PORT: Final = "must be between 1 and 65535, inclusive"
_VARIABLE: Final = re.compile(r"[ -<>-~]+")
_VARIABLE_TEXT: Final = (
    "a valid environment variable name must consist only of printable ASCII characters other than '='"
)
_PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")
_RESTART_POLICIES: Final = ("Always", "OnFailure", "Never")
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "grpc")


def check_spec(spec: Mapping[str, Any], field: str, claimed: Iterable[str] = ()) -> list[Cause]:
    """Return what is wrong with a pod spec; `claimed` volumes are added to its pods later."""
    causes: list[Cause] = []
    volumes: set[Any] = set()
    for index, volume in enumerate(spec.get("volumes") or ()):
        if volume.get("name") in volumes:
            text = f'Duplicate value: "{volume.get("name")}"'
            causes.append(Cause(f"{field}.volumes[{index}].name", "FieldValueDuplicate", text))
        volumes.add(volume.get("name"))
    if not spec.get("containers"):
        causes.append(errors.required(f"{field}.containers"))
    seen: set[str] = set()
    for part in ("initContainers", "containers"):
        for index, container in enumerate(spec.get(part) or ()):
            causes += _check_container(container, f"{field}.{part}[{index}]", volumes | set(claimed), seen)
    account = spec.get("serviceAccountName") or ""
    causes += [
        errors.invalid_value(f"{field}.serviceAccountName", f'"{account}"', text)
        for text in (names.subdomain(account) if account else ())
    ]
    return causes


def check_restart_policy(spec: Mapping[str, Any]) -> list[Cause]:
    """Return what is wrong with the restart policy of a pod."""
    policy = spec.get("restartPolicy") or "Always"
    if policy in _RESTART_POLICIES:
        return []
    return [errors.not_supported("spec.restartPolicy", policy, _RESTART_POLICIES)]


def _check_container(container: Object, field: str, volumes: set[Any], seen: set[str]) -> list[Cause]:
    causes = _check_name(container, field, seen)
    if not container.get("image"):
        causes.append(errors.required(f"{field}.image"))
    for index, port in enumerate(container.get("ports") or ()):
        number = port.get("containerPort") or 0
        if not 0 < number < 65536:
            causes.append(errors.invalid_value(f"{field}.ports[{index}].containerPort", str(number), _PORT))
    for index, variable in enumerate(container.get("env") or ()):
        name = str(variable.get("name") or "")
        if name and not _VARIABLE.fullmatch(name):
            causes.append(errors.invalid_value(f"{field}.env[{index}].name", f'"{name}"', _VARIABLE_TEXT))
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        if mount.get("name") not in volumes:
            text = f'Not found: "{mount.get("name")}"'
            causes.append(Cause(f"{field}.volumeMounts[{index}].name", "FieldValueNotFound", text))
    causes += [
        errors.required(f"{field}.{probe}", "must specify a handler type")
        for probe in _PROBES
        if container.get(probe) is not None and not any(container[probe].get(handler) for handler in _HANDLERS)
    ]
    policy = container.get("imagePullPolicy")
    if policy and policy not in _PULL_POLICIES:
        causes.append(errors.not_supported(f"{field}.imagePullPolicy", policy, _PULL_POLICIES))
    return causes + _check_resources(container.get("resources") or {}, f"{field}.resources")


def _check_name(container: Object, field: str, seen: set[str]) -> list[Cause]:
    name = container.get("name")
    if not name:
        return [errors.required(f"{field}.name")]
    if name in seen:
        return [Cause(f"{field}.name", "FieldValueDuplicate", f'Duplicate value: "{name}"')]
    seen.add(name)
    return [errors.invalid_value(f"{field}.name", f'"{name}"', text) for text in names.label(name)]


def _check_resources(resources: Mapping[str, Any], field: str) -> list[Cause]:
    causes: list[Cause] = []
    limits = resources.get("limits") or {}
    for name, asked in (resources.get("requests") or {}).items():
        limit = limits.get(name)
        if limit is not None and quantity.parse(str(asked)) > quantity.parse(str(limit)):
            text = f"must be less than or equal to {name} limit of {limit}"
            causes.append(errors.invalid_value(f"{field}.requests", f'"{asked}"', text))
    return causes
