"""Lists the values that come with a chart itself: its own file, and those of its subcharts below their names.

Called by `syncline.adapters.render.helm.chart` with a chart on disk. A packed subchart is read from its archive. A
subchart that the chart takes in under other names has its values there.
"""

from __future__ import annotations

import gzip
import io
import posixpath
import tarfile
from collections.abc import Callable, Iterator
from typing import Any

from syncline.adapters.render.workspace import Workspace
from syncline.apimachinery import yaml
from syncline.model.desired import ValuesLayer

_MAX_DEPTH = 5
_MAX_BYTES = 100_000_000
_WANTED = ("Chart.yaml", "requirements.yaml", "values.yaml")
Files = dict[str, bytes]
"""The files of a chart that say something about values, by their path in it."""


def layers(space: Workspace, folder: str) -> list[ValuesLayer]:
    """Return the files that give a chart its values, weakest first: the deepest subchart's before its parent's."""
    return list(_layers(_read(space, folder), folder, (), 0))


def _layers(files: Files, shown: str, below: tuple[str, ...], depth: int) -> Iterator[ValuesLayer]:
    if depth < _MAX_DEPTH:
        names = _names(files)
        for name, (place, inner) in sorted(_subcharts(files).items()):
            for alias in names.get(name, [name]):
                yield from _layers(inner, posixpath.join(shown, place), (*below, alias), depth + 1)
    if "values.yaml" in files:
        yield ValuesLayer(name=posixpath.join(shown, "values.yaml"), text=files["values.yaml"], below=below, own=True)


def _read(space: Workspace, folder: str) -> Files:
    found: Files = {}
    prefix = f"{folder}/" if folder else ""
    for path in space.written:
        name = path.removeprefix(prefix)
        if path.startswith(prefix) and _is_wanted(name):
            found[name] = space.read(path)
    return found


def _is_wanted(name: str) -> bool:
    return name in _WANTED or (name.startswith("charts/") and name.endswith((*_WANTED, ".tgz")))


def _subcharts(files: Files) -> dict[str, tuple[str, Files]]:
    """Return the direct subcharts by name: where each is, and its own files."""
    folders: dict[str, Files] = {}
    for path, content in files.items():
        if not path.startswith("charts/"):
            continue
        place, _, name = path.removeprefix("charts/").partition("/")
        if name:
            folders.setdefault(f"charts/{place}", {})[name] = content
        elif place.endswith(".tgz"):
            folders[f"charts/{place}"] = _unpacked(content)
    return {_name(inner) or place.removeprefix("charts/"): (place, inner) for place, inner in folders.items()}


def _unpacked(content: bytes) -> Files:
    return dict(members(content, _is_wanted))


def members(content: bytes, is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a packed chart by their path in it; what helm makes of a broken one is helm's to say."""
    left = _MAX_BYTES
    try:
        with gzip.open(io.BytesIO(content)) as plain, tarfile.open(fileobj=plain, mode="r|") as archive:
            for member in archive:
                left -= member.size
                if left < 0:
                    break
                name = member.name.partition("/")[2]
                file = archive.extractfile(member) if member.isreg() and is_wanted(name) else None
                if file is not None:
                    yield name, file.read()
    except (OSError, EOFError, tarfile.TarError, ValueError):
        return


def _map(content: bytes) -> dict[str, Any]:
    try:
        value = yaml.load(content, source="chart")
    except yaml.YamlError:
        return {}
    return value if isinstance(value, dict) else {}


def _name(files: Files) -> str:
    return str(_map(files.get("Chart.yaml", b"")).get("name") or "")


def _names(files: Files) -> dict[str, list[str]]:
    """Return under which names a chart takes in each subchart."""
    entries = _map(files.get("Chart.yaml", b"")).get("dependencies") or _map(files.get("requirements.yaml", b"")).get(
        "dependencies"
    )
    found: dict[str, list[str]] = {}
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            found.setdefault(str(entry.get("name")), []).append(str(entry.get("alias") or entry.get("name")))
    return found
