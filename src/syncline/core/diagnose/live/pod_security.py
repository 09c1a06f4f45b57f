"""The lines that make containers meet the restricted level of pod security, from the words in which it refuses them.

Called where a refusal is told, with the workload as its file has it. Offered only where every demand is one for a
setting, the containers have no settings yet, and each has a line below which they fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from syncline.apimachinery.keys import Object
from syncline.core.diagnose.live.pods import containers, template
from syncline.model.desired import Origin
from syncline.model.finding import Edit

REMARK = "runAsNonRoot also needs an image that does not run as root"
_DEMAND = re.compile(r"[^()]+ \((?P<whose>[^()]*?) must set securityContext\.(?P<setting>[^()]+)\)(?:, |$)")
_NAME = re.compile(r"\"([^\"]+)\"")
_SETTINGS = {
    "allowPrivilegeEscalation=false": "allowPrivilegeEscalation: false",
    'capabilities.drop=["ALL"]': "capabilities: {drop: [ALL]}",
    "runAsNonRoot=true": "runAsNonRoot: true",
    'seccompProfile.type to "RuntimeDefault" or "Localhost"': "seccompProfile: {type: RuntimeDefault}",
}
_TOOLS = {"Directory", "Kustomize"}
"""What renders files as they are written, so that a line below another is one of the same container."""
_ANCHORS = ("image", "name", "imagePullPolicy")


def settled(obj: Object, origin: Origin, tools: Iterable[str], violated: str) -> tuple[Edit, ...]:
    """Return the lines to add to the file of a workload so that its pods are taken; nothing where that is not sure."""
    wanted = _demands(violated)
    if not wanted or not set(tools) <= _TOOLS:
        return ()
    base, spec = template(obj)
    found = []
    for at, entry in containers(spec):
        settings = wanted.pop(str(entry.get("name")), [])
        if not settings:
            continue
        line = _anchor(origin, f"{base}.{at}", entry)
        if not line or entry.get("securityContext") is not None:
            return ()
        place = origin.place(f"{base}.{at}.{line}")
        found.append(Edit(place=place, after=f"securityContext: {{{', '.join(settings)}}}"))
    return () if wanted else tuple(found)


def _demands(violated: str) -> dict[str, list[str]]:
    """Return the settings that each container must have; nothing where anything else is demanded too."""
    found: dict[str, list[str]] = {}
    at = 0
    while at < len(violated):
        demand = _DEMAND.match(violated, at)
        setting = _SETTINGS.get(demand["setting"]) if demand else None
        if demand is None or setting is None:
            return {}
        for name in _NAME.findall(demand["whose"]):
            found.setdefault(name, []).append(setting)
        at = demand.end()
    return found


def _anchor(origin: Origin, path: str, entry: Object) -> str:
    """Return a field of a container that has a line to itself, and not the one with the dash; empty without one."""
    positions = origin.positions
    known = set(positions.paths)
    lines = [positions.line(f"{path}.{name}") for name in entry if f"{path}.{name}" in known]
    for name in _ANCHORS:
        if isinstance(entry.get(name), str) and f"{path}.{name}" in known:
            line = positions.line(f"{path}.{name}")
            if line != positions.line(path) and lines.count(line) == 1:
                return name
    return ""
