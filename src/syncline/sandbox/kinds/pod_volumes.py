"""Volumes of pods: a name, one source, and what the source needs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from syncline.apimachinery import names
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks

_NEEDED: Final = {
    "secret": ("secretName",),
    "configMap": ("name",),
    "hostPath": ("path",),
    "persistentVolumeClaim": ("claimName",),
    "nfs": ("server", "path"),
    "csi": ("driver",),
}


def check(volumes: Iterable[Object], field: str) -> list[FieldCause]:
    """Return what is wrong with the volumes of a pod."""
    causes: list[FieldCause] = []
    seen: set[str] = set()
    for index, volume in enumerate(volumes):
        where, name = f"{field}[{index}]", str(volume.get("name") or "")
        if not name:
            causes.append(errors.required(f"{where}.name"))
        elif name in seen:
            causes.append(FieldCause(f"{where}.name", "FieldValueDuplicate", f'Duplicate value: "{name}"'))
        else:
            causes += checks.refused(f"{where}.name", name, names.label(name))
        seen.add(name)
        causes += _check_sources(volume, where)
    return causes


def _check_sources(volume: Object, where: str) -> list[FieldCause]:
    sources = [key for key, value in volume.items() if key != "name" and isinstance(value, dict)]
    if not sources:
        return [errors.required(where, "must specify a volume type")]
    # A real server looks at them in an order of its own; the plain one comes first in it.
    ordered = sorted(sources, key=lambda name: name != "emptyDir")
    text = "may not specify more than 1 volume type"
    causes = [errors.forbidden_field(f"{where}.{name}", text) for name in ordered[1:]]
    for field in _NEEDED.get(ordered[0], ()):
        causes += checks.needed(f"{where}.{ordered[0]}.{field}", volume[ordered[0]].get(field))
    return causes
