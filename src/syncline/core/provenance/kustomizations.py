"""Finds the patches and settings of kustomizations that touch a field, from their texts.

Called by `syncline.cli.render.blame` with the files a render has read. Kustomizations are walked from the outermost
inwards, so the strongest cause comes first. A name may have got a prefix or suffix on its way: a target whose name is
part of the object's counts.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from syncline.apimachinery import yaml
from syncline.apimachinery.paths import FieldPath
from syncline.core.provenance.blame import IDENTITY, BlameCause, indexed
from syncline.model.desired import DesiredObject
from syncline.model.errors import Place
from syncline.model.sources.source import KustomizeSource

_NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_BASES = ("resources", "bases", "components")
_MAX = 500


def causes(folder: str, files: Mapping[str, bytes], item: DesiredObject, path: FieldPath) -> tuple[BlameCause, ...]:
    """Return what in the kustomizations of a folder and its bases touches a field of an object."""
    found: list[BlameCause] = []
    pending, seen = [folder], set[str]()
    while pending and len(seen) < _MAX:
        current = pending.pop(0)
        file = next((name for name in (posixpath.join(current, one) for one in _NAMES) if name in files), "")
        if current in seen or not file:
            continue
        seen.add(current)
        document = _document(file, files[file])
        if document is None:
            continue
        found += _Kustomization(file, document, files).causes(item, path)
        entries = [entry for field in _BASES for entry in _list(document.value, field) if isinstance(entry, str)]
        pending += [posixpath.normpath(posixpath.join(current, entry)) for entry in entries if "://" not in entry]
    return tuple(dict.fromkeys(found))


def of_application(settings: KustomizeSource, item: DesiredObject, path: FieldPath) -> tuple[BlameCause, ...]:
    """Return which of an Application's own settings touch a field; they count above the kustomization's."""
    return tuple(
        BlameCause("patch" if name.startswith("patches") else name, Place(f"spec.source.kustomize.{name}"), text)
        for name, text in _named(settings, item, path)
    )


def _named(settings: KustomizeSource, item: DesiredObject, path: FieldPath) -> Iterator[tuple[str, str]]:
    text, value = str(path), str(path.resolve(item.obj))
    last = path.steps[-1] if path.steps else None
    for image in settings.images if text.endswith("image") else ():
        new = image.partition("=")[2] or image
        if value == new or value.startswith((f"{new}:", f"{new}@")):
            yield "images", image
    for replica in settings.replicas if text == "spec.replicas" else ():
        if replica.name in item.key.name:
            yield "replicas", f"{replica.name}: {replica.count}"
    if text == "metadata.name":
        yield from ((name, given) for name, given in _affixes(settings) if given)
    if text == "metadata.namespace" and settings.namespace:
        yield "namespace", settings.namespace
    if isinstance(last, str) and "abels" in text and last in settings.common_labels:
        yield "commonLabels", last
    if isinstance(last, str) and "annotations" in text and last in settings.common_annotations:
        yield "commonAnnotations", last
    for index, patch in enumerate(settings.patches):
        target = {"kind": patch.target.kind, "name": patch.target.name} if patch.target else None
        if any(_touched(one, item, path, target) for one in _documents("", (patch.patch or "").encode())):
            yield f"patches[{index}]", "an inline patch"


def _affixes(settings: KustomizeSource) -> tuple[tuple[str, str], ...]:
    return ("namePrefix", settings.name_prefix), ("nameSuffix", settings.name_suffix)


class _Kustomization:
    """One kustomization file."""

    def __init__(self, file: str, document: yaml.Document, files: Mapping[str, bytes]) -> None:
        self._file = file
        self._document = document
        self._files = files

    def causes(self, item: DesiredObject, path: FieldPath) -> Iterator[BlameCause]:
        """Yield what touches the field, in the order opposite to that in which kustomize works."""
        yield from self._images(item, path)
        yield from self._replicas(item, path)
        yield from self._settings(path)
        yield from self._patches(item, path)
        yield from self._generators(item, path)

    def _images(self, item: DesiredObject, path: FieldPath) -> Iterator[BlameCause]:
        if not str(path).endswith("image"):
            return
        value = str(path.resolve(item.obj))
        for index, image in enumerate(_list(self._document.value, "images")):
            if not isinstance(image, dict):
                continue
            wanted = [str(image[field]) for field in ("newName", "newTag", "digest") if image.get(field)]
            name = str(image.get("newName") or image.get("name") or "")
            if wanted and value.startswith(name) and all(part in value for part in wanted):
                yield self._cause("images", ("images", index), f"images: {image.get('name')}")

    def _replicas(self, item: DesiredObject, path: FieldPath) -> Iterator[BlameCause]:
        if str(path) != "spec.replicas":
            return
        for index, entry in enumerate(_list(self._document.value, "replicas")):
            if isinstance(entry, dict) and str(entry.get("name") or "\0") in item.key.name:
                yield self._cause("replicas", ("replicas", index), f"replicas: {entry.get('name')}")

    def _settings(self, path: FieldPath) -> Iterator[BlameCause]:
        text = str(path)
        plain = {"metadata.name": ("namePrefix", "nameSuffix"), "metadata.namespace": ("namespace",)}
        for field in plain.get(text, ()):
            if self._document.value.get(field):
                yield self._cause(field, (field,), f"{field}: {self._document.value[field]}")
        last = path.steps[-1] if path.steps else None
        for field, words in (("commonLabels", ("abels",)), ("commonAnnotations", ("annotations",))):
            value = self._document.value.get(field)
            if isinstance(value, dict) and last in value and any(word in text for word in words):
                yield self._cause(field, (field, str(last)), f"{field}: {last}")
        for index, block in enumerate(_list(self._document.value, "labels")):
            pairs = block.get("pairs") if isinstance(block, dict) else None
            if isinstance(pairs, dict) and last in pairs and "abels" in text:
                yield self._cause("labels", ("labels", index, "pairs", str(last)), f"labels: {last}")

    def _patches(self, item: DesiredObject, path: FieldPath) -> Iterator[BlameCause]:
        for field in ("patches", "patchesStrategicMerge", "patchesJson6902"):
            for index, entry in enumerate(_list(self._document.value, field)):
                patch = entry if isinstance(entry, dict) else {"path": entry} if isinstance(entry, str) else {}
                if isinstance(entry, str) and "\n" in entry:
                    patch = {"patch": entry}
                yield from self._patch(patch, (field, index), item, path)

    def _patch(
        self, patch: Mapping[str, Any], place: tuple[str | int, ...], item: DesiredObject, path: FieldPath
    ) -> Iterator[BlameCause]:
        file = ""
        if isinstance(patch.get("path"), str):
            file = posixpath.normpath(posixpath.join(posixpath.dirname(self._file), patch["path"]))
        content = self._files.get(file) if file else str(patch.get("patch") or "").encode()
        target = patch.get("target") if isinstance(patch.get("target"), dict) else None
        for document in _documents(file or self._file, content or b""):
            line = _touched(document, item, path, target)
            if line:
                yield BlameCause("patch", Place(file, line)) if file else self._cause("patch", place, "an inline patch")

    def _generators(self, item: DesiredObject, path: FieldPath) -> Iterator[BlameCause]:
        for field, kind in (("configMapGenerator", "ConfigMap"), ("secretGenerator", "Secret")):
            if item.key.kind != kind or not str(path).startswith(("data", "stringData")):
                continue
            for index, entry in enumerate(_list(self._document.value, field)):
                if isinstance(entry, dict) and str(entry.get("name") or "\0") in item.key.name:
                    yield self._cause("generator", (field, index), f"{field}: {entry.get('name')}")

    def _cause(self, kind: str, place: yaml.Path, text: str) -> BlameCause:
        return BlameCause(kind, Place(self._file, self._document.position_or_parent(place).line), text)


def _touched(document: yaml.Document, item: DesiredObject, path: FieldPath, target: Mapping[str, Any] | None) -> int:
    """Return the line at which a patch touches the field; 0 where it does not, or is for other objects."""
    value: Any = document.value
    if isinstance(value, list):
        if target is None or not _is_for(target, item):
            return 0
        pointer = "/" + "/".join(str(step).replace("~", "~0").replace("/", "~1") for step in _pointer(item, path))
        for index, operation in enumerate(value):
            named = str(operation.get("path") or "") if isinstance(operation, dict) else ""
            if named and (pointer == named or pointer.startswith(f"{named}/") or named.startswith(f"{pointer}/")):
                return document.position_or_parent((index, "path")).line
        return 0
    if not isinstance(value, dict):
        return 0
    metadata = value.get("metadata") if isinstance(value.get("metadata"), dict) else {}
    own = {"kind": value.get("kind"), "name": (metadata or {}).get("name")}
    if not _is_for(target or own, item):
        return 0
    if str(path) in IDENTITY:  # a patch names these to say which object it is for
        return 0
    steps = indexed(value, path)
    return document.position_or_parent(steps).line if steps else 0


def _pointer(item: DesiredObject, path: FieldPath) -> tuple[str | int, ...]:
    return indexed(item.obj, path) or tuple(step for step in path.steps if isinstance(step, str | int))


def _is_for(target: Mapping[str, Any], item: DesiredObject) -> bool:
    kind, name = str(target.get("kind") or ""), str(target.get("name") or "")
    if kind and kind != item.key.kind:
        return False
    if not name or name in item.key.name:
        return True
    try:
        return re.fullmatch(name, item.key.name) is not None
    except re.error:
        return False


def _document(file: str, content: bytes) -> yaml.Document | None:
    found = next(iter(_documents(file, content)), None)
    return found if found is not None and isinstance(found.value, dict) else None


def _documents(file: str, content: bytes) -> list[yaml.Document]:
    try:
        return yaml.load_documents(content, source=file)
    except yaml.YamlError:
        return []


def _list(value: Mapping[str, Any], field: str) -> list[Any]:
    found = value.get(field)
    return found if isinstance(found, list) else []
