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
            last = failure.complaint.strip().splitlines()[-1:] or ["it gave no reason"]
            raise RenderError(f"jsonnet failed: {last[0][:_MAX]}", place=Place(files[0])) from None
        for answer in orjson.loads(printed):
            file = answer["file"]
            if "error" in answer:
                done.errors[file] = _broken(file, space.plain(answer["error"]))
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
        named = [found["name"] for found in _IMPORT.finditer(content.decode("utf-8", "replace"))]
        pending += filter(None, [_imported(name, path, libraries, tree, done) for name in named])


def _imported(name: str, file: str, libraries: Sequence[str], tree: Tree, done: JsonnetOutput) -> str:
    for base in (posixpath.dirname(file), *reversed(libraries)):
        path = posixpath.normpath(posixpath.join(base, name))
        if name.startswith("/") or path == ".." or path.startswith("../"):
            raise RenderError(f"import {name!r} resolved to outside repository root", place=Place(file))
        try:
            tree.read(path)
        except SourceError as error:
            if "symlink" in error.what:
                raise RenderError(error.what, place=Place(file), hint=error.hint) from None
            done.inputs.append(Input(path, ""))
            continue
        return path
    return ""


def _library(path: str) -> str:
    found = posixpath.normpath(path.lstrip("/") or ".")
    if found == ".." or found.startswith("../"):
        raise RenderError(f"Jsonnet library {path!r} resolved to outside repository root")
    return "" if found == "." else found


def _variables(prefix: str, given: Sequence[JsonnetVariable], variables: Mapping[str, str]) -> dict[str, object]:
    return {
        f"{prefix}_vars": {one.name: substitute(one.value, variables) for one in given if not one.code},
        f"{prefix}_codes": {one.name: substitute(one.value, variables) for one in given if one.code},
    }


def _broken(file: str, error: str) -> manifests.BrokenFile:
    """Return jsonnet's complaint with the innermost place of the repository it names."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    what = lines[0].removeprefix("RUNTIME ERROR: ") if lines else "it gave no reason"
    place = Place(file)
    for line in lines:
        if found := _PLACE.search(line):
            place = Place(found["file"], int(found["line"]), int(found["column"]))
            what = what.replace(found[0], "").strip(" :-")
            break
    return manifests.BrokenFile(f'Failed to evaluate jsonnet "{posixpath.basename(file)}": {what[:_MAX]}', place)
