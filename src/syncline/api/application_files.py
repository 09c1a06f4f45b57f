"""Applications out of a file, or of all files below a folder, for whoever renders without a cluster.

Used by `syncline.cli.render.rendering` and `syncline.api.rendering`. In a folder most files hold something else, and
some are templates that are not YAML: those are passed over; a file that somebody has named has to make sense.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from syncline.api import object_files
from syncline.model.errors import InvalidSpec

if TYPE_CHECKING:
    from syncline.model.application import Application

_ENDINGS = (".yaml", ".yml", ".json")
_KIND = "Application"
_SET = "ApplicationSet"


def is_file(name: str) -> bool:
    """Whether Applications are named by the file or folder they stand in; NAMESPACE/NAME is one on a cluster."""
    path = name.startswith((".", "/")) or name.count("/") > 1 or name.endswith(("/", *_ENDINGS))
    return name == "-" or path or Path(name).exists()


def applications(name: str) -> list[Application]:
    """Return the Applications of a file, or of all files below a folder."""
    from syncline.model import application

    folder = name != "-" and Path(name).is_dir()
    objects = [obj for file in _files(Path(name)) for obj in _readable(file)] if folder else _objects(name)
    found = [obj for obj in objects if obj.get("kind") == _KIND]
    if not found:
        raise InvalidSpec(f"{name} contains no {_KIND}", hint=_instead(objects))
    return [application.parse(obj) for obj in found]


def _objects(name: str) -> list[dict[str, Any]]:
    if name != "-" and not Path(name).exists():
        raise InvalidSpec(f"{name}: no such file or folder", hint=beside(Path(name)))
    return object_files.objects(name)


def _readable(file: Path) -> list[dict[str, Any]]:
    try:
        return object_files.objects(file)
    except InvalidSpec:
        return []


def _files(folder: Path) -> list[Path]:
    found = (path for path in folder.rglob("*") if path.suffix in _ENDINGS)
    return sorted(path for path in found if path.is_file() and ".git" not in path.parts)


def beside(path: Path) -> str:
    """Return words about a file that may have been meant."""
    import difflib

    folder = path.parent
    known = sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []
    close = difflib.get_close_matches(path.name, known, 1)
    return f"did you mean {folder / close[0]}?" if close else ""


def _instead(objects: list[dict[str, Any]]) -> str:
    sets = [str(obj.get("metadata", {}).get("name")) for obj in objects if obj.get("kind") == _SET]
    if sets:
        return (
            f"{_SET} {', '.join(sets[:5])} creates Applications on a cluster: show a folder that it names with `render`"
        )
    kinds = sorted({str(obj.get("kind")) for obj in objects})
    return f"it contains {', '.join(kinds[:5])}" if kinds else ""
