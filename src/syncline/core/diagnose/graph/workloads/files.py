"""Which ConfigMap holds the file that a program complains about: it is mounted where the line says the file is.

Asked by the check on containers that crash. A Secret is left out: what is wrong in it nobody may read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.fault import Node
from syncline.core.diagnose.graph.workloads.crashes import Crash
from syncline.core.diagnose.graph.workloads.log_lines import About

_PATH = re.compile(r"(?P<path>/[\w./-]*\w)(?::(?P<line>\d+))?")


_LAST = 5
"""The file may be named in a line before the one that tells."""


class File(msgspec.Struct, frozen=True):
    """A key of a ConfigMap that is mounted as a file, and the line of it that was complained about."""

    key: ObjectKey
    part: str
    line: str = ""

    def __str__(self) -> str:
        where = f"line {self.line} of {self.part}" if self.line else self.part
        return f"{where} in {self.key.short} of {self.key.namespace}"


def named(node: Node, crash: Crash) -> File | None:
    """Return the file that a complaint about configuration names; None where it is of the image, or nobody's."""
    if crash.told is None or crash.told.about not in (About.CONFIG, About.OTHER):
        return None
    mounted = list(_mounted(node, crash))
    for text in (crash.told.line, *reversed(node.cluster.log(node.key, crash.name)[-_LAST:])):
        for found in _PATH.finditer(text):
            for folder, key, items, sub_path in mounted:
                part = _part(found["path"], folder, items, sub_path)
                there = node.cluster.get(key) or {}
                if part and part in {**(there.get("data") or {}), **(there.get("binaryData") or {})}:
                    return File(key, part, found["line"] or "")
    return None


def _mounted(node: Node, crash: Crash) -> Iterator[tuple[str, ObjectKey, dict[str, str], str]]:
    """Yield where ConfigMaps are mounted: the path, the ConfigMap, which keys have other names, and the subPath."""
    volumes = {one.get("name"): one for one in (node.obj.get("spec") or {}).get("volumes") or ()}
    for mount in crash.container.spec.get("volumeMounts") or ():
        volume = volumes.get(mount.get("name")) or {}
        for source in (volume, *((volume.get("projected") or {}).get("sources") or ())):
            config = source.get("configMap")
            if isinstance(config, dict) and config.get("name"):
                items = {str(one.get("path")): str(one.get("key")) for one in config.get("items") or ()}
                key = ObjectKey("", "ConfigMap", node.key.namespace, str(config["name"]))
                yield str(mount.get("mountPath") or "").rstrip("/"), key, items, str(mount.get("subPath") or "")


def _part(path: str, folder: str, items: dict[str, str], sub_path: str) -> str:
    """Return the key of a ConfigMap that a path is, if it is mounted there."""
    if sub_path:
        return items.get(sub_path, sub_path) if path == folder else ""
    file = path.removeprefix(f"{folder}/")
    return items.get(file, file) if file != path else ""
