"""Evaluates the Jsonnet files of a directory source in a program of its own.

Called by `syncline.adapters.render.directory` with the files it chose. The private folder gets those files and what
they import, found by reading: Jsonnet imports literal names only. Libraries count from the root of the repository.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence

import orjson

from syncline.adapters.render import manifests, workspace
from syncline.adapters.render.build_environment import substitute
from syncline.adapters.render.programs import ProgramFailed, Programs
from syncline.adapters.render.workspace import Workspace
from syncline.model.desired import Input
from syncline.model.errors import Place, RenderError, SourceError
from syncline.model.sources.source import JsonnetSource, JsonnetVariable
from syncline.ports.source import Tree

_IMPORT = re.compile(r"\bimport(?:str|bin)?\s*@?(?P<quote>[\"'])(?P<name>(?:(?!(?P=quote)).)+)(?P=quote)")
_PLACE = re.compile(r"(?P<file>\S+?):\(?(?P<line>\d+):(?P<column>\d+)\)?")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_WORKER = "syncline.adapters.render.jsonnet.worker"
_MAX_FILES = 2_000
_MAX = 500


class JsonnetOutput:
    """What became of the Jsonnet files of one folder: a JSON text each, or what is wrong."""

    def __init__(self) -> None:
        self.texts: dict[str, bytes] = {}
        self.errors: dict[str, manifests.BrokenFile] = {}
        self.inputs: list[Input] = []
        self.files: list[str] = []
        self.unfound: dict[str, Place] = {}
        """Imports that lead to no file, and where they stand: not an error until one is evaluated."""


async def evaluate(
    files: Sequence[str], tree: Tree, settings: JsonnetSource, variables: Mapping[str, str], programs: Programs
) -> JsonnetOutput:
    """Evaluate files of a tree."""
    done = JsonnetOutput()
    libraries = [_library(substitute(library, variables)) for library in settings.libs]
    async with workspace.opened() as space:
        await workspace.in_thread(lambda: _copy(files, libraries, tree, space, done))
        order = {
            "root": str(space.repository),
            "files": list(files),
            "libraries": [*libraries],
            **_variables("ext", settings.ext_vars, variables),
            **_variables("tla", settings.tlas, variables),
        }
        path = space.put_extra(orjson.dumps(order), ".json")
        try:
            printed = await programs.run_python(_WORKER, (str(path),), "jsonnet", space)
        except ProgramFailed as failure:
            what = f"jsonnet failed: {_cause(failure.complaint)}"
            raise RenderError(what, place=Place(files[0]), passing=True) from None
        for answer in orjson.loads(printed):
            file = answer["file"]
            if "error" in answer:
                done.errors[file] = _broken(file, space.plain(answer["error"]), done.unfound)
            else:
                done.texts[file] = answer["text"].encode()
    return done


def _copy(files: Sequence[str], libraries: Sequence[str], tree: Tree, space: Workspace, done: JsonnetOutput) -> None:
    """Copy the files and all they import, noting what was looked for."""
    pending = list(files)
    seen: set[str] = set()
    while pending:
        path = pending.pop()
        if path in seen:
            continue
        seen.add(path)
        if len(seen) > _MAX_FILES:
            raise RenderError(f"Jsonnet imports more than {_MAX_FILES} files", place=Place(files[0]))
        content = tree.read(path)
        space.put_file(tree, path)
        done.inputs.append(Input(path, tree.digest_of(path)))
        done.files.append(path)
        text = content.decode("utf-8", "replace")
        for named in _IMPORT.finditer(text):
            place = Place(path, text.count("\n", 0, named.start()) + 1)
            if imported := _imported(named["name"], place, libraries, tree, done):
                pending.append(imported)
            else:
                done.unfound.setdefault(named["name"], place)


def _imported(name: str, place: Place, libraries: Sequence[str], tree: Tree, done: JsonnetOutput) -> str:
    for base in (posixpath.dirname(place.file), *reversed(libraries)):
        path = posixpath.normpath(posixpath.join(base, name))
        if name.startswith("/") or path == ".." or path.startswith("../"):
            what = f"import {name!r} resolved to outside repository root"
            raise RenderError(what, place=place, hint="import a file of the same repository")
        try:
            tree.read(path)
        except SourceError as error:
            if "symlink" in error.what:
                raise RenderError(error.what, place=place, hint=error.hint) from None
            done.inputs.append(Input(path, ""))
            continue
        return path
    return ""


def _library(path: str) -> str:
    found = posixpath.normpath(path.lstrip("/") or ".")
    if found == ".." or found.startswith("../"):
        hint = "in spec.source.directory.jsonnet.libs name folders of the repository"
        raise RenderError(f"Jsonnet library {path!r} resolved to outside repository root", hint=hint)
    return "" if found == "." else found


def _variables(prefix: str, given: Sequence[JsonnetVariable], variables: Mapping[str, str]) -> dict[str, object]:
    return {
        f"{prefix}_vars": {one.name: substitute(one.value, variables) for one in given if not one.code},
        f"{prefix}_codes": {one.name: substitute(one.value, variables) for one in given if one.code},
    }


def _broken(file: str, error: str, unfound: Mapping[str, Place]) -> manifests.BrokenFile:
    """Return jsonnet's complaint with the innermost place of the repository it names."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    what = lines[0].removeprefix("RUNTIME ERROR: ") if lines else "it gave no reason"
    place = next((found for name, found in unfound.items() if repr(name) in what), Place(file))
    for line in lines:
        if found := _PLACE.search(line):
            place = Place(found["file"], int(found["line"]), int(found["column"]))
            what = what.replace(found[0], "").strip(" :-")
            break
    what = _clean(what)[:_MAX]
    return manifests.BrokenFile(f'Failed to evaluate jsonnet "{posixpath.basename(file)}": {what}', place)


def _cause(complaint: str) -> str:
    """Return the line that says why the program died; after it Go prints registers, which are never the same."""
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    fatal = next((line for line in lines if line.startswith(("fatal error:", "panic:"))), "")
    return _clean(_ADDRESS.sub("0x…", fatal or (lines or ["it gave no reason"])[-1]))[:_MAX]


def _clean(text: str) -> str:
    """Return a text without what a terminal would act on."""
    return "".join(one if one.isprintable() else " " for one in text).strip()
