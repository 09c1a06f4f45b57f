"""Merges `.argocd-source.yaml` and `.argocd-source-<app>.yaml` of a folder into an Application's source.

Called by `syncline.adapters.render.choice` before the tool is chosen. The files come from the repository, so they
may say how to render and never what: repository, revision, path and chart stay as the Application has them.
"""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.apimachinery import yaml
from syncline.apimachinery.patch import json_merge
from syncline.apimachinery.patch.errors import PatchError
from syncline.model.errors import Place, RenderError
from syncline.model.sources.source import ApplicationSource

_FIXED = ("repoURL", "path", "targetRevision", "chart", "ref", "name", "tagPrefix")


def file_names(app_name: str) -> tuple[str, str]:
    """Return the names of the files that override a source, in the order in which they are merged."""
    return ".argocd-source.yaml", f".argocd-source-{app_name}.yaml"


def merge(source: ApplicationSource, file: str, text: bytes) -> ApplicationSource:
    """Return the source with one file merged into it."""
    try:
        documents = yaml.load_documents(text, source=file)
    except yaml.YamlError as error:
        raise RenderError(error.message, place=Place(file, error.line, error.column)) from None
    if not documents:
        return source
    patch: Any = documents[0].value
    if len(documents) > 1 or not isinstance(patch, dict):
        raise RenderError("this file must contain one map with fields of an Application's source", place=Place(file))
    patch = {name: value for name, value in patch.items() if name not in _FIXED}
    try:
        merged = json_merge.apply(msgspec.to_builtins(source), patch)
        return msgspec.convert(merged, ApplicationSource)
    except (msgspec.ValidationError, PatchError) as error:
        raise RenderError(f"this is not a source of an Application: {error}", place=Place(file)) from None
