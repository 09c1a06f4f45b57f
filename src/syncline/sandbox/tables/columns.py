"""The pieces tables are made of: columns, ages, lists of containers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import msgspec

from syncline.apimachinery import selectors, times
from syncline.apimachinery.keys import Object

Cell = Callable[[Object, datetime], Any]


class TableColumn(msgspec.Struct, frozen=True):
    """One column: its head, and how a cell is made from an object and the time."""

    name: str
    cell: Cell
    wide: bool = False
    type: str = "string"
    format: str = ""

    def definition(self) -> dict[str, Any]:
        """Return the column as a Table describes it."""
        return {
            "name": self.name,
            "type": self.type,
            "format": self.format,
            "description": "",
            "priority": 1 if self.wide else 0,
        }


def human_duration(seconds: float) -> str:
    """Print a duration as kubectl's ages do: `45s`, `5m30s`, `3h`, `2d4h`, `400d`."""
    if seconds < -1:
        return "<invalid>"
    total = max(0, int(seconds))
    minutes, hours, days = total // 60, total // 3600, total // 86400
    if total < 120:
        return f"{total}s"
    if minutes < 10:
        return _pair(minutes, "m", total % 60, "s")
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return _pair(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return _pair(days, "d", hours % 24, "h")
    if days < 730:
        return f"{days}d"
    return _pair(days // 365, "y", days % 365, "d") if days < 8 * 365 else f"{days // 365}y"


def _pair(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large}{large_unit}{small}{small_unit}" if small else f"{large}{large_unit}"


def since(text: str | None, now: datetime) -> str:
    """Print how long ago a timestamp was."""
    if not text:
        return "<unknown>"
    return human_duration((now - times.parse(text)).total_seconds())


def name(obj: Object, _now: datetime) -> str:
    """The name of the object."""
    return str(obj["metadata"].get("name", ""))


def age(obj: Object, now: datetime) -> str:
    """How long ago the object was created."""
    return since(obj["metadata"].get("creationTimestamp"), now)


def created(obj: Object, _now: datetime) -> str:
    """When the object was created."""
    return str(obj["metadata"].get("creationTimestamp", ""))


NAME = TableColumn("Name", name, format="name")
AGE = TableColumn("Age", age)
CREATED = TableColumn("Created At", created, type="date")


def at(*path: str, default: Any = "") -> Cell:
    """Return a cell that shows one field."""

    def cell(obj: Object, _now: datetime) -> Any:
        return dig(obj, path, default)

    return cell


def number(*path: str) -> Cell:
    """Return a cell that shows a number, 0 when it is not there."""
    return at(*path, default=0)


def dig(obj: Any, path: Sequence[str], default: Any = "") -> Any:
    """Return a value deep inside an object."""
    for part in path:
        obj = obj.get(part) if isinstance(obj, dict) else None
    return default if obj is None else obj


def _containers(obj: Object) -> list[Object]:
    spec = obj.get("spec") or {}
    template = spec.get("template") or ((spec.get("jobTemplate") or {}).get("spec") or {}).get("template") or {}
    found: list[Object] = (template.get("spec") or {}).get("containers") or []
    return found


def _container_names(obj: Object, _now: datetime) -> str:
    return ",".join(one.get("name", "") for one in _containers(obj))


def _images(obj: Object, _now: datetime) -> str:
    return ",".join(one.get("image", "") for one in _containers(obj))


def _selector(obj: Object, _now: datetime) -> str:
    selector = (obj.get("spec") or {}).get("selector")
    return selector_text(selector) if selector else "<none>"


def selector_text(selector: Object) -> str:
    """Print a selector object."""
    return str(selectors.LabelSelector.from_object(selector))


def labels_text(labels: Object | None) -> str:
    """Print a map of labels."""
    return ",".join(f"{key}={value}" for key, value in sorted((labels or {}).items())) or "<none>"


CONTAINERS = TableColumn("Containers", _container_names, wide=True)
IMAGES = TableColumn("Images", _images, wide=True)
SELECTOR = TableColumn("Selector", _selector, wide=True)
