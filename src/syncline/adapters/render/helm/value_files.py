"""Decides which files a Helm source's `valueFiles` and `fileParameters` name, and reads them from their trees.

Called by `syncline.adapters.render.helm.chart`. Paths count from the app's folder, with a leading slash from the
root of the repository, with `$name/` from the root of the source that has `ref: name`. What leads out of a repository
is refused by its text alone, so that no error tells whether a file exists there.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from syncline.adapters.render import nearest
from syncline.adapters.render.build_environment import substitute
from syncline.adapters.render.helm import path_globs
from syncline.model.desired import Input
from syncline.model.errors import RenderError, SourceError
from syncline.ports.source import Tree

_HINTS = {
    "value file": "in spec.source.helm.valueFiles name a file of the repository, from the folder of the chart",
    "file parameter": "in spec.source.helm.fileParameters name a file of the repository, from the folder of the chart",
}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/{1,2}")


@dataclass(frozen=True, slots=True)
class Named:
    """A path in the repository itself (`ref` empty) or in that of another source."""

    ref: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueFileReader:
    """Reads files that a source names; `inputs` collects what it has looked at."""

    folder: str
    tree: Tree
    refs: Mapping[str, Tree]
    variables: Mapping[str, str]
    inputs: list[Input] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def value_files(self, entries: tuple[str, ...], *, ignore_missing: bool) -> Iterator[tuple[str, bytes]]:
        """Yield name and content of each value file in order; a file named outright is not used for a pattern too."""
        resolved = [(entry, self.resolve(entry, "value file")) for entry in entries]
        seen = {named for _entry, named in resolved if not path_globs.is_glob(named.path)}
        for entry, named in resolved:
            if not path_globs.is_glob(named.path):
                content = self._content(entry, named, ignore_missing=ignore_missing)
                if content is not None:
                    yield entry, content
                continue
            matches = self._matches(named)
            if not matches and not ignore_missing:
                folder = path_globs.fixed_folder(named.path)
                there = self._tree(named).digest_of(folder)
                words = f"no such file in {folder or 'the repository'}/" if there else f"no folder {folder}"
                hint = f"{words}; skip it with ignoreMissingValueFiles"
                raise RenderError(f"values file glob {entry!r} matched no files", hint=hint)
            for match in matches:
                if match not in seen:
                    seen.add(match)
                    content = self._content(match.path, match, ignore_missing=False)
                    yield match.path, content or b""

    def file_parameter(self, entry: str) -> bytes:
        """Return the content of the file that a file parameter names."""
        content = self._content(entry, self.resolve(entry, "file parameter"), ignore_missing=False)
        return content or b""

    def resolve(self, entry: str, kind: str) -> Named:
        """Return what an entry names; raises `RenderError` for what is never read."""
        scheme = _SCHEME.match(entry)
        if scheme:
            hint = "name a file of the repository"
            raise RenderError(f"{kind} {entry!r} is not read: {scheme[1]} addresses are not allowed", hint=hint)
        first, slash, rest = entry.partition("/")
        ref = first[1:] if first.startswith("$") and first[1:] in self.refs else ""
        if ref:
            path = substitute(rest, self.variables)
        elif slash and first.startswith("$") and first.strip("${}") not in self.variables:
            known = ", ".join(f"${name}" for name in self.refs) or "none"
            what = f"{kind} {entry!r} refers to a source, but no source has ref: {first[1:]}"
            raise RenderError(what, hint=f"sources with a ref: {known}")
        else:
            path = substitute(entry, self.variables)
            path = path[1:] if path.startswith("/") else posixpath.join(self.folder, path)
        steps: list[str] = []
        for step in path.split("/"):
            if step == ".." and not steps:
                raise RenderError(f"{kind} {entry!r} resolved to outside repository root", hint=_HINTS[kind])
            steps = steps[:-1] if step == ".." else [*steps, step] if step not in ("", ".") else steps
        if not steps or "\0" in path or "\n" in path or any(step.lower() == ".git" for step in steps):
            raise RenderError(f"{kind} {entry!r} names no file", hint=_HINTS[kind])
        return Named(ref, "/".join(steps))

    def _tree(self, named: Named) -> Tree:
        return self.refs[named.ref] if named.ref else self.tree

    def _content(self, entry: str, named: Named, *, ignore_missing: bool) -> bytes | None:
        tree = self._tree(named)
        digest = tree.digest_of(named.path)
        self.inputs.append(Input(named.path, digest, named.ref))
        try:
            content = tree.read(named.path)
        except SourceError as error:
            if "symlink" in error.what:
                raise RenderError(error.what, hint=error.hint) from None
            if ignore_missing and not digest:
                self.left_out.append(f"${named.ref}/{named.path}" if named.ref else named.path)
                return None
            where = f"source {named.ref}" if named.ref else "the repository"
            what = f"open {named.path}: no such file in {where}"
            words = nearest.path(named.path, tree)
            raise RenderError(
                what, hint="; ".join(filter(None, (f"named as {entry!r}", words))), missing=named.path
            ) from None
        self.files.append(f"${named.ref}/{named.path}" if named.ref else named.path)
        return content

    def _matches(self, named: Named) -> list[Named]:
        folder = path_globs.fixed_folder(named.path)
        tree = self._tree(named)
        self.inputs.append(Input(folder, tree.digest_of(folder), named.ref))
        try:
            files = tree.below(folder).files()
        except SourceError:
            return []
        return [Named(named.ref, path) for path in path_globs.matching(named.path, (file.path for file in files))]
