"""Probes and lifecycle hooks of containers: one handler, and numbers that make sense."""

from __future__ import annotations

from typing import Final

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks

_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_NUMBERS: Final = (
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
)


def check_probe(probe: Object, field: str, *, steady: bool) -> list[FieldCause]:
    """Return what is wrong with a probe; a steady one must succeed once and no more often."""
    causes = check(probe, field) + checks.at_least_zero(probe, field, *_NUMBERS)
    threshold = probe.get("successThreshold")
    if steady and threshold not in (None, 0, 1):
        causes.append(errors.invalid_value(f"{field}.successThreshold", str(threshold), "must be 1"))
    return causes


def check(handler: Object, field: str) -> list[FieldCause]:
    """Return what is wrong with what is called."""
    found = [name for name in _HANDLERS if handler.get(name) is not None]
    if not found:
        return [errors.required(field, "must specify a handler type")]
    causes = [
        errors.forbidden_field(f"{field}.{name}", "may not specify more than 1 handler type") for name in found[1:]
    ]
    chosen = handler[found[0]]
    match found[0]:
        case "exec":
            causes += checks.needed(f"{field}.exec.command", chosen.get("command"))
        case "httpGet":
            causes += checks.needed(f"{field}.httpGet.path", chosen.get("path"))
            causes += checks.port(f"{field}.httpGet.port", chosen.get("port"))
            causes += checks.one_of(f"{field}.httpGet.scheme", chosen.get("scheme"), ("HTTP", "HTTPS"))
        case "tcpSocket" | "grpc":
            causes += checks.port(f"{field}.{found[0]}.port", chosen.get("port"))
    return causes
