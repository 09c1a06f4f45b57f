"""The git generator: one set of parameters for each folder of a commit, or for what each file of it says.

Called by `syncline.core.appset.generators`. A folder that any pattern excludes is out, whatever else takes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery import yaml
from syncline.core.appset.context import Context
from syncline.core.appset.globs import matches_folder
from syncline.core.appset.parameters import Origin, Parameters, Values, flat_texts, from_json, normalized
from syncline.core.appset.questions import (
    DirectoriesQuestion,
    File,
    FilesQuestion,
    GeneratorError,
    files,
    folders,
)
from syncline.model.applicationset import GitGenerator, GitItem


def git_parameters(generator: GitGenerator, context: Context, field: str) -> Iterator[Parameters]:
    """Yield folders where the generator names folders, else files."""
    if generator.directories:
        return _of_folders(generator, context, field)
    if generator.files:
        return _of_files(generator, context, field)
    raise GeneratorError(f"{field} names neither directories nor files: give one of them")


def _of_folders(generator: GitGenerator, context: Context, field: str) -> Iterator[Parameters]:
    found = folders(context.answers, DirectoriesQuestion(generator.repo_url, generator.revision, context.project))
    for path in found.paths:
        if _taken(path, generator.directories):
            named = _path_values(path, context, generator.path_param_prefix)
            origin = Origin(field, generator.repo_url, path)
            yield Parameters(context.with_values(named, generator.values), (origin,))


def _taken(path: str, items: tuple[GitItem, ...]) -> bool:
    matched = [item.exclude for item in items if matches_folder(item.path, path)]
    return bool(matched) and not any(matched)


def _of_files(generator: GitGenerator, context: Context, field: str) -> Iterator[Parameters]:
    question = FilesQuestion(
        generator.repo_url,
        generator.revision,
        context.project,
        tuple(item.path for item in generator.files if not item.exclude),
        tuple(item.path for item in generator.files if item.exclude),
    )
    for file in files(context.answers, question).files:
        for given, line in _said(file, generator.repo_url):
            own = from_json(given) if context.go_template else flat_texts(from_json(given))
            named = _file_values(file.path, context, generator.path_param_prefix)
            values = context.with_values({**own, **named}, generator.values)
            yield Parameters(values, (Origin(field, generator.repo_url, file.path, line),))


def _said(file: File, repo_url: str) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield the map that a file is, or the maps of the list that it is, each with its line; an empty file is a map."""
    try:
        documents = yaml.load_documents(file.content, source=file.path)
    except yaml.YamlError as error:
        raise GeneratorError(f"{repo_url}: {error}") from None
    if not documents or documents[0].value is None:
        yield {}, 1
        return
    document = documents[0]
    if isinstance(document.value, dict):
        yield document.value, document.line
        return
    if not isinstance(document.value, list):
        raise GeneratorError(f"{repo_url}: {file.path} is neither a map nor a list of maps")
    for number, one in enumerate(document.value):
        line = document.position_or_parent((number,)).line
        if not isinstance(one, dict | None):
            raise GeneratorError(f"{repo_url}: {file.path}:{line} is not a map")
        yield one or {}, line


def _path_values(path: str, context: Context, prefix: str, more: dict[str, str] | None = None) -> Values:
    """Return what is said of a folder: nested for Go templates, else under names with dots and brackets."""
    base = path.rpartition("/")[2]
    said = {"basename": base, "basenameNormalized": normalized(base), **(more or {})}
    segments = path.split("/")
    if context.go_template:
        values: Values = {"path": {"path": path, **said, "segments": tuple(segments)}}
        return {prefix: values} if prefix else values
    name = f"{prefix}.path" if prefix else "path"
    flat = {name: path} | {f"{name}.{part}": text for part, text in said.items()}
    return flat | {f"{name}[{index}]": segment for index, segment in enumerate(segments) if segment}


def _file_values(path: str, context: Context, prefix: str) -> Values:
    folder, _, name = path.rpartition("/")
    return _path_values(folder or ".", context, prefix, {"filename": name, "filenameNormalized": normalized(name)})
