"""Brings remote bases of a kustomization into the private folder, or leaves them out where somebody only looks.

Called by `syncline.adapters.render.kustomize.build` with what `syncline.adapters.render.kustomize.files` found to be
remote. A base that may be fetched is laid beside the repository's own folders, and the kustomization that names it is
made to name that place; a base's own remote bases follow. Nothing is fetched by kustomize itself.
"""

from __future__ import annotations

import asyncio
import functools
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from syncline.adapters.render.kustomize import entries, references
from syncline.adapters.render.kustomize.files import Copier
from syncline.adapters.render.remote import (
    Base,
    RemoteSources,
    fetched_base,
    fetched_file,
    is_single_file,
    parse_base,
)
from syncline.adapters.render.workspace import Workspace, in_thread
from syncline.apimachinery import yaml
from syncline.model.desired import Fetched
from syncline.model.errors import Place, RenderError, SourceError
from syncline.model.logins import without_logins
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree

_FOLDER = "syncline-remote"
_MAX_BASES = 50


@dataclass(frozen=True, slots=True)
class _Refused:
    """A remote base that is not there: where it is named, and why."""

    place: Place
    reference: str
    why: str


@dataclass(slots=True)
class Bases:
    """The remote bases of one render: where each reference of each kustomization leads, empty for nowhere."""

    request: RenderRequest
    remote: RemoteSources
    space: Workspace
    warnings: list[str] = field(default_factory=list)
    fetched: list[Fetched] = field(default_factory=list)
    run_plugins: bool = False
    unsteady: bool = False
    """Whether something was left out, and nobody can tell later whether it still is out of reach."""
    shown: dict[str, str] = field(default_factory=dict)
    """The addresses of files that lie beside kustomizations."""
    _answers: dict[str, Tree | bytes | RenderError | SourceError] = field(default_factory=dict)
    _places: dict[tuple[str, str], str] = field(default_factory=dict)
    _fetched: dict[Base, str] = field(default_factory=dict)
    _prefixes: dict[Base, tuple[str, Tree]] = field(default_factory=dict)
    """Where the files of each base lie, and the base itself."""

    async def bring(self, found: list[tuple[str, str]]) -> None:
        """Fetch what was found to be remote, and what that stands on; raises `RenderError` naming all that cannot."""
        pending, refused = list(found), list[_Refused]()
        while pending:
            await self._fetch(dict.fromkeys(reference for _file, reference in pending))
            following: list[tuple[str, str]] = []
            for file, reference in pending:
                try:
                    place, more = await self._laid(file, reference)
                except (RenderError, SourceError) as error:
                    self._note(reference, error)
                    refused.append(_Refused(self.place(file, reference), reference, error.what))
                    self._places[file, reference] = ""
                    continue
                self._places[file, reference] = posixpath.relpath(place, posixpath.dirname(file) or ".")
                following += more
            pending = following
        if refused and not self.request.partial:
            refusal = _refusal(refused)
            refusal.passing, refusal.fetched = self.unsteady, tuple(self.fetched)
            raise refusal
        self.warnings += [f"{one.place}: remote base {one.reference} is skipped: {one.why}" for one in refused]

    def place(self, file: str, reference: str) -> Place:
        """Return where a kustomization names something, with the address of one that was fetched."""
        found = entries.place(file, self.space.read(file), reference)
        return Place(self.known(found.file), found.line)

    def known(self, path: str) -> str:
        """Return a file of the private folder as people know it: of a base that was fetched, by its address."""
        for base, (prefix, tree) in self._prefixes.items():
            if path.startswith(f"{prefix}/"):
                at = f"?ref={base.revision or tree.revision[:7]}"
                return f"{without_logins(base.repo_url)}//{path[len(prefix) + 1 :]}{at}"
        return self.shown.get(path, path)

    def named(self, text: str) -> str:
        """Return a text with the addresses of what was fetched in place of where it lies."""
        for base, (prefix, _tree) in self._prefixes.items():
            text = text.replace(f"{prefix}/", f"{without_logins(base.repo_url)}//")
        for path, url in self.shown.items():
            text = text.replace(path, url).replace(posixpath.basename(path), url)
        return text

    def read(self, path: str) -> bytes | None:
        """Return a file of a base as it was fetched; None for a file of the repository itself."""
        for prefix, tree in self._prefixes.values():
            if path.startswith(f"{prefix}/"):
                return tree.read(path[len(prefix) + 1 :])
        answer = self._answers.get(self.shown.get(path, ""))
        return answer if isinstance(answer, bytes) else None

    def rewritten(self, file: str, kustomization: Mapping[str, Any]) -> dict[str, Any]:
        """Return a kustomization with the places of its remote bases instead of their addresses."""
        here = {reference: place for (named, reference), place in self._places.items() if named == file}
        if not here:
            return dict(kustomization)
        changed = dict(kustomization)
        for name, value in kustomization.items():
            if str(name).casefold() in references.FETCHED and isinstance(value, list):
                entries = [here.get(str(entry), entry) for entry in value]
                changed[name] = [entry for entry in entries if entry]
        return changed

    def rewrite(self, top: str) -> None:
        """Rewrite every kustomization but the top one, which is written later."""
        for file in sorted({file for file, _reference in self._places} - {top}):
            content = yaml.load(self.space.read(file), source=file)
            self.space.replace(file, yaml.dump(self.rewritten(file, content)).encode())

    async def _fetch(self, found: Iterable[str]) -> None:
        """Ask for all addresses that are new, side by side; what goes wrong is kept for whoever lays them down."""
        new = [reference for reference in found if reference not in self._answers]
        if len(self._answers) + len(new) > _MAX_BASES:
            raise RenderError(f"there are more than {_MAX_BASES} remote bases")
        answers = await asyncio.gather(*map(self._asked, new))
        self._answers.update(zip(new, answers, strict=True))

    def _note(self, reference: str, error: RenderError | SourceError) -> None:
        """Note what could not be fetched; what the project or the form of an address forbids stays so."""
        if isinstance(error, RenderError):
            return
        base = parse_base(reference)
        if is_single_file(reference):
            self.fetched.append(Fetched(reference, "", "", is_file=True))
        elif base is not None and error.is_unanswered:
            self.fetched.append(Fetched(base.repo_url, base.revision, ""))
        else:
            self.unsteady = True

    async def _asked(self, reference: str) -> Tree | bytes | RenderError | SourceError:
        base = parse_base(reference)
        try:
            if is_single_file(reference):
                return await self.remote.file(self.request, reference)
            if base is None:
                raise RenderError("it is not the address of a repository or file that can be fetched")
            return await self.remote.base(self.request, base)
        except (RenderError, SourceError) as error:
            return error

    async def _laid(self, file: str, reference: str) -> tuple[str, list[tuple[str, str]]]:
        """Lay down what was fetched; return where, and what that stands on."""
        answer = self._answers[reference]
        if isinstance(answer, RenderError | SourceError):
            raise answer
        if isinstance(answer, bytes):
            return self._lay_file(file, reference, answer), []
        return await self._lay_base(reference, answer)

    def _lay_file(self, file: str, reference: str, content: bytes) -> str:
        """Put a single file beside the kustomization that names it: kustomize reads none from elsewhere."""
        number = len(self.shown)
        path = posixpath.join(posixpath.dirname(file), f"{_FOLDER}-{number}.yaml")
        if path in self.space.written:
            raise RenderError(f"{path} is a name that is needed here")
        self.space.put_content(path, content)
        self.shown[path] = reference
        self.fetched.append(fetched_file(reference, content))
        return path

    async def _lay_base(self, reference: str, tree: Tree) -> tuple[str, list[tuple[str, str]]]:
        base = parse_base(reference) or Base(reference, "", "")
        if base in self._fetched:
            return self._fetched[base], []
        self.fetched += fetched_base(base, tree)
        prefix = f"{_FOLDER}/{len(self._fetched)}"
        self._prefixes[base] = prefix, tree
        copier = Copier(tree, _Beside(self.space, prefix))
        await in_thread(functools.partial(copier.copy, base.path))
        self.run_plugins = self.run_plugins or copier.runs_plugins
        self._fetched[base] = posixpath.join(prefix, base.path) if base.path else prefix
        return self._fetched[base], [(posixpath.join(prefix, file), named) for file, named in copier.remote]


class _Beside:
    """A workspace in which everything lands below a prefix."""

    def __init__(self, space: Workspace, prefix: str) -> None:
        self._space = space
        self._prefix = prefix

    def put_folder(self, tree: Tree, folder: str) -> None:
        place = posixpath.join(self._prefix, folder) if folder else self._prefix
        self._space.put_tree(tree.below(folder), place, below=folder)

    def put_file(self, tree: Tree, path: str) -> None:
        self._space.put_content(posixpath.join(self._prefix, path), tree.read(path))


def _refusal(refused: Sequence[_Refused]) -> RenderError:
    hint = "commit a copy to the repository and name its path, or permit its repository in the project"
    first = refused[0]
    if len(refused) == 1:
        return RenderError(f"remote base {first.reference} is not fetched: {first.why}", place=first.place, hint=hint)
    named = "; ".join(dict.fromkeys(f"{one.reference} ({one.place}): {one.why}" for one in refused))
    return RenderError(f"remote bases are not fetched: {named}", place=first.place, hint=hint)
