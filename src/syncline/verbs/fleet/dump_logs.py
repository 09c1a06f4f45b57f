"""Tells from the path of a file in a dump whose log it is.

Called by `syncline.verbs.fleet.dump`. Three layouts are known: `logs/[NAMESPACE/]POD/CONTAINER[.previous].log`, that of
`kubectl cluster-info dump` (`NAMESPACE/POD/logs.txt`, with a heading for each container) and that of `oc adm inspect`
(`namespaces/NAMESPACE/pods/POD/CONTAINER/CONTAINER/logs/current.log`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

_HEADING = re.compile(r"^==== (?P<what>START|END) logs for container (?P<container>\S+) of pod (?P<pod>\S+) ====$")
_INSPECT = 4


class LogPlace(msgspec.Struct, frozen=True):
    """Whose log: without a namespace where the path does not say it, without a container where headings do."""

    namespace: str
    pod: str
    container: str
    previous: bool = False


def log_place(path: str) -> LogPlace | None:
    """Return whose log a file is; None where it is none."""
    parts = path.split("/")
    file = parts[-1]
    if file == "logs.txt" and len(parts) > 2:
        return LogPlace(parts[-3], parts[-2], "")
    if not file.endswith(".log"):
        return None
    name = file.removesuffix(".log")
    previous = name == "previous" or name.endswith(".previous")
    if parts[-2:-1] == ["logs"] and name in ("current", "previous") and "pods" in parts[:-_INSPECT]:
        return LogPlace(_before(parts, "pods"), _after(parts, "pods"), parts[-3], previous)
    folders = parts[:-1]
    if "logs" in folders:
        folders = folders[folders.index("logs") + 1 :]
    if not folders:
        return None
    namespace = folders[-2] if len(folders) > 1 else ""
    return LogPlace(namespace, folders[-1], name.removesuffix(".previous"), previous)


def _before(parts: list[str], name: str) -> str:
    place = parts.index(name)
    return parts[place - 1] if place else ""


def _after(parts: list[str], name: str) -> str:
    return parts[parts.index(name) + 1]


def sections(text: str, place: LogPlace) -> Iterator[tuple[LogPlace, list[str]]]:
    """Yield the logs of a file: one, or one for each container where there are headings."""
    if place.container:
        yield place, text.splitlines()
        return
    container, lines = "", list[str]()
    for line in text.splitlines():
        heading = _HEADING.match(line)
        if heading is None:
            lines.append(line)
        elif heading["what"] == "START":
            container, lines = heading["container"], []
        elif container:
            yield msgspec.structs.replace(place, container=container), lines
            container = ""
