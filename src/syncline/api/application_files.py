"""Applications out of a file, or of all files below a folder, for whoever renders without a cluster.

Used by `syncline.cli.render.rendering` and `syncline.api.rendering`. In a folder most files hold something else, and
some are templates that are not YAML: those are passed over; a file that somebody has named has to make sense.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from syncline.api import object_files
from syncline.model.errors import InvalidSpec

if TYPE_CHECKING:
    from syncline.model.application import Application
    from syncline.model.desired import DesiredObject

_ENDINGS = (".yaml", ".yml", ".json")
_KIND = "Application"
_SET = "ApplicationSet"


def is_file(name: str) -> bool:
    """Whether Applications are named by the file or folder they stand in; NAMESPACE/NAME is one on a cluster.

    An app often has the name of the folder it is delivered from: a plain word means a folder only where Applications
    stand in it.
    """
    if name == "-" or name.startswith((".", "/")) or name.count("/") > 1 or name.endswith(("/", *_ENDINGS)):
        return True
    return Path(name).is_file() or (Path(name).is_dir() and any(map(_may_have_some, _files(Path(name)))))


def _may_have_some(file: Path) -> bool:
    try:
        content = file.read_bytes()
    except OSError:
        return False
    return b"argoproj.io" in content and _KIND.encode() in content


def located(name: str) -> list[DesiredObject]:
    """Return the objects of a file, or of all files below a folder that can be read, each with its place."""
    folder = name != "-" and Path(name).is_dir()
    return [one for file in _files(Path(name)) for one in _readable(file)] if folder else _named(name)


def labelled(name: str, found: Sequence[DesiredObject]) -> list[tuple[str, Application]]:
    """Return the Applications among objects, each under a name that no other one has."""
    from syncline.model import application

    items = [item for item in found if item.obj.get("kind") == _KIND]
    if not items:
        raise InvalidSpec(f"{name} contains no {_KIND}", hint=_instead([item.obj for item in found]))
    return list(zip(_labels(items), [application.parse(item.obj) for item in items], strict=True))


def _labels(items: Sequence[DesiredObject]) -> list[str]:
    """Return the name of each Application: with its namespace, and then its place, where others have the same one."""
    labels = [item.key.name for item in items]
    for longer in (_with_namespace, _with_place):
        count = Counter(labels)
        labels = [longer(item) if count[label] > 1 else label for item, label in zip(items, labels, strict=True)]
    return labels


def _with_namespace(item: DesiredObject) -> str:
    return f"{item.key.namespace}/{item.key.name}" if item.key.namespace else item.key.name


def _with_place(item: DesiredObject) -> str:
    return f"{_with_namespace(item)} of {item.origin.place()}"


def _named(name: str) -> list[DesiredObject]:
    if name != "-" and not Path(name).exists():
        raise InvalidSpec(f"{name}: no such file or folder", hint=beside(Path(name)))
    return object_files.located(name)


def _readable(file: Path) -> list[DesiredObject]:
    try:
        return object_files.located(file)
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
        return f"{_SET} {', '.join(sets[:5])} creates none"
    kinds = sorted({str(obj.get("kind")) for obj in objects})
    return f"it contains {', '.join(kinds[:5])}" if kinds else ""
