"""What the templates of a chart in the repository read of its values.

Shared by the rules on values. Templates are searched for `.Values`, not run, so the answer is "nothing can be said"
where they hand all values on, or where a part of the chart is elsewhere.
"""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from syncline.apimachinery import yaml
from syncline.core.diagnose.repository.pointing import dig, entries
from syncline.core.diagnose.subjects import Repo

Path = tuple[str, ...]
_USE = re.compile(rb"\.Values\b((?:\.\w+)*)")
_BY_NAME = re.compile(rb'\b(?:index|get|hasKey|dig)\s+\$?\.Values\s+"([^"]+)"')
_KEY = re.compile(r"( *)(?:- )?([A-Za-z_][\w.-]*):(?=\s|$)\s*(.*)")
_BLOCK = re.compile(r"[|>][+-]?\d?\s*(#.*)?$")
_LOCAL = "file://"


class Reads(msgspec.Struct, frozen=True, dict=True):
    """The values that templates read, each with everything below it, and those that the chart declares itself."""

    read: frozenset[Path]
    declared: frozenset[Path]
    passed: frozenset[str]
    """Keys that go to other charts."""

    def unread(self, path: Path) -> bool:
        """Whether nothing reads a value, nor anything below it."""
        if path[0] in self.passed or path in self.declared:
            return False
        above = (path[:depth] for depth in range(1, len(path)))
        return path not in self._led_over and not any(one in self.read for one in above)

    @functools.cached_property
    def _led_over(self) -> frozenset[Path]:
        """What is read, and everything on the way to it."""
        return frozenset(one[:depth] for one in self.read for depth in range(1, len(one) + 1))

    def siblings(self, path: Path) -> list[str]:
        """Return the names that are known where a path ends."""
        depth = len(path) - 1
        known = (one for one in (*self.read, *self.declared) if len(one) > depth and one[:depth] == path[:depth])
        return sorted({one[depth] for one in known})


def templates(repo: Repo) -> Mapping[str, list[bytes]]:
    """Return the templates of all charts that apps use, by the folder of the chart."""
    found: dict[str, list[bytes]] = {}
    for name, content in repo.files.items():
        folder, is_template, _ = name.partition("/templates/")
        if is_template:
            found.setdefault(folder, []).append(content)
    return found


def chart_reads(repo: Repo, folder: str, known: Mapping[str, list[bytes]]) -> Reads | None:
    """Return what the chart in a folder reads, given all templates; None where that is not known."""
    files = repo.files
    about = _load(files.get(f"{folder}/Chart.yaml"))
    if not isinstance(about, dict):
        return None
    passed, read = {"global", "tags"}, set[Path]()
    parts = [folder]
    for one in entries(about, "dependencies"):
        name = str(one.get("name") or "")
        passed |= {name, str(one.get("alias") or name)}
        for condition in str(one.get("condition") or "").split(","):
            if condition.strip():
                read.add(tuple(condition.strip().split(".")))
        part = _part(repo, folder, name, str(one.get("repository") or ""))
        if part is None:
            return None
        parts.append(part)
    for part in parts:
        found = _used(known.get(part, ()))
        if found is None:
            return None
        read |= found
    declared = frozenset(path for path, _ in keys(files.get(f"{folder}/values.yaml", b"")))
    return Reads(frozenset(read), declared, frozenset(passed))


def _part(repo: Repo, folder: str, name: str, repository: str) -> str | None:
    """Return the folder of a dependency; None where its templates are not in the repository."""
    vendored = f"{folder}/charts/{name}"
    if f"{vendored}/Chart.yaml" in repo.tree:
        return vendored
    if repository.startswith(_LOCAL):
        local = posixpath.normpath(posixpath.join(folder, repository.removeprefix(_LOCAL)))
        return local if f"{local}/Chart.yaml" in repo.tree else None
    return None


def _used(contents: Sequence[bytes]) -> frozenset[Path] | None:
    found = set[Path]()
    for content in contents:
        used = uses(content)
        if used is None:
            return None
        found |= used
    return frozenset(found) if contents else None


@functools.lru_cache(maxsize=4096)
def uses(template: bytes) -> frozenset[Path] | None:
    """Return the values that a template reads; None where it reads all, or text that is elsewhere."""
    found = {(match[1].decode(errors="replace"),) for match in _BY_NAME.finditer(template)}
    rest = _BY_NAME.sub(b"", template)
    for match in _USE.finditer(rest):
        if not match[1]:
            return None
        found.add(tuple(match[1].decode(errors="replace").strip(".").split(".")))
    return None if b".Files" in template and b"tpl" in template else frozenset(found)


@functools.lru_cache(maxsize=4096)
def keys(content: bytes) -> tuple[tuple[Path, int], ...]:
    """Return the keys of a values file with their lines, by its lines alone: reading YAML costs a hundred times that.

    What is in one line, or in a list, is not among them.
    """
    return tuple(_keys(content.decode(errors="replace")))


def _keys(text: str) -> Iterator[tuple[Path, int]]:
    above: list[tuple[int, str]] = []
    skipped = -1
    for number, line in enumerate(text.splitlines(), start=1):
        indent = len(line) - len(line.lstrip(" "))
        if not line.strip() or line.lstrip().startswith("#") or (0 <= skipped < indent):
            continue
        skipped = -1
        found = _KEY.match(line)
        if line.lstrip().startswith("- "):
            skipped = indent - 1 if indent else 0
            if not above or indent > above[-1][0]:
                skipped = above[-1][0] if above else 0
            continue
        if found is None:
            continue
        while above and above[-1][0] >= indent:
            above.pop()
        above.append((indent, found[2]))
        yield tuple(name for _, name in above), number
        if _BLOCK.match(found[3]):
            skipped = indent


def _load(content: bytes | None) -> object:
    try:
        return yaml.load(content, source="Chart.yaml") if content else None
    except yaml.YamlError:
        return None


def chart_of(source: object) -> str:
    """Return the folder that a source of an Application takes from Git."""
    return str(dig(source, "path") or "").strip("/") if not dig(source, "chart") else ""
