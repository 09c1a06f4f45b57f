"""Finds the patches and settings of kustomizations that touch a field, from their texts.

Called by `syncline.verbs.blaming` with the files a render has read. Only kustomizations that the object has passed
on its way count: those that lead to its file, and the components that they use. They are walked from the outermost
inwards, and each in the order opposite to that in which kustomize works, so the strongest cause comes first.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from syncline.apimachinery import yaml
from syncline.apimachinery.paths import FieldPath
from syncline.core.provenance import blamed_field, kustomize_generators, kustomize_labels, kustomize_replacements
from syncline.core.provenance.blame import BlameCause
from syncline.core.provenance.blamed_field import BlamedField
from syncline.core.provenance.kustomize_patches import touched_line
from syncline.core.provenance.read_files import ReadFiles, parsed
from syncline.model.desired import DesiredObject
from syncline.model.errors import Place
from syncline.model.sources.source import KustomizeSource

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_MAX = 500


def causes(folder: str, files: ReadFiles, item: DesiredObject, path: FieldPath) -> tuple[BlameCause, ...]:
    """Return what in the kustomizations of a folder and its bases touches a field of an object."""
    name = blamed_field.declared_name(item, files.documents(item.origin.file))
    walk = _Walk(files, BlamedField(item, path, name))
    return tuple(dict.fromkeys(walk.causes(folder, set())))


def of_application(settings: KustomizeSource, item: DesiredObject, path: FieldPath) -> tuple[BlameCause, ...]:
    """Return which of an Application's own settings touch a field; they count above the kustomization's."""
    return tuple(
        BlameCause("patch" if name.startswith("patches") else name, Place(f"spec.source.kustomize.{name}"), text)
        for name, text in _named(settings, BlamedField(item, path))
    )


def _named(settings: KustomizeSource, field: BlamedField) -> Iterator[tuple[str, str]]:
    text, value = str(field.path), str(field.value)
    for image in settings.images if text.endswith("image") else ():
        new = image.partition("=")[2] or image
        if value == new or value.startswith((f"{new}:", f"{new}@")):
            yield "images", image
    for replica in settings.replicas if text == "spec.replicas" else ():
        if field.is_named(replica.name):
            yield "replicas", f"{replica.name}: {replica.count}"
    if text == "metadata.name":
        yield from ((name, given) for name, given in _affixes(settings) if given)
    if text == "metadata.namespace" and settings.namespace:
        yield "namespace", settings.namespace
    if label := _label(settings, field):
        yield "commonLabels", label
    if annotation := kustomize_labels.common_annotations(settings.common_annotations, field):
        yield "commonAnnotations", annotation
    for index, patch in enumerate(settings.patches):
        target = msgspec.to_builtins(patch.target) if patch.target else None
        documents = parsed("", (patch.patch or "").encode())
        if any(touched_line(one, field, target, patch.options) for one in documents):
            yield f"patches[{index}]", "an inline patch"


def _label(settings: KustomizeSource, field: BlamedField) -> str:
    pairs = settings.common_labels
    if not settings.label_without_selector:
        return kustomize_labels.common_labels(pairs, field)
    block = {"pairs": dict(pairs), "includeTemplates": settings.label_include_templates}
    return next((key for _path, key in kustomize_labels.label_blocks([block], field)), "")


def _affixes(settings: KustomizeSource) -> tuple[tuple[str, str], ...]:
    return ("namePrefix", settings.name_prefix), ("nameSuffix", settings.name_suffix)


class _Walk:
    """The kustomizations of one render."""

    def __init__(self, files: ReadFiles, field: BlamedField) -> None:
        self._files = files
        self._field = field
        self._origin = field.item.origin.file
        self._known = self._origin in files

    def causes(self, folder: str, seen: set[str]) -> Iterator[BlameCause]:
        """Yield the causes in the kustomization of a folder, then in its components, then in its bases."""
        found = _opened(self._files, folder)
        if found is None or folder in seen or len(seen) >= _MAX:
            return
        seen.add(folder)
        file, document = found
        yield from _Kustomization(file, document, self._files).causes(self._field)
        for component in reversed(list(_folders(folder, document, "components"))):
            yield from self.causes(component, seen)
        for base in _bases(self._files, folder, document):
            if not self._known or self._origin in _below(self._files, base):
                yield from self.causes(base, seen)


def _opened(files: ReadFiles, folder: str) -> tuple[str, yaml.Document] | None:
    """Return the kustomization of a folder, and its file; None where it has none."""
    return files.remembered(("kustomization", folder), lambda: _found(files, folder))


def _found(files: ReadFiles, folder: str) -> tuple[str, yaml.Document] | None:
    file = next((name for name in (posixpath.join(folder, one) for one in NAMES) if name in files), "")
    document = next(iter(files.documents(file)), None) if file else None
    return (file, document) if document is not None and isinstance(document.value, dict) else None


def _bases(files: ReadFiles, folder: str, document: yaml.Document) -> list[str]:
    """Return the folders that a kustomization stands on; its own files have none of their own."""

    def with_own() -> list[str]:
        named = (*_folders(folder, document, "resources"), *_folders(folder, document, "bases"))
        return [one for one in named if _opened(files, one) is not None]

    return files.remembered(("bases", folder), with_own)


def _below(files: ReadFiles, folder: str) -> frozenset[str]:
    """Return the files that a kustomization and all that it stands on are made of."""
    return files.remembered(("below", folder), lambda: _walked(files, folder))


def _walked(files: ReadFiles, folder: str) -> frozenset[str]:
    found: set[str] = set()
    waiting, seen = [folder], set[str]()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        kustomization = _opened(files, one)
        if kustomization is None:
            found.add(one)
            continue
        found.add(kustomization[0])
        for name in ("resources", "bases", "components"):
            waiting += _folders(one, kustomization[1], name)
    return frozenset(found)


def _folders(folder: str, document: yaml.Document, field: str) -> Iterator[str]:
    """Yield the paths of this repository that a list of a kustomization names."""
    for entry in _list(document.value, field):
        if isinstance(entry, str) and "://" not in entry:
            path = posixpath.normpath(posixpath.join(folder, entry))
            yield "" if path == "." else path


class _Kustomization:
    """One kustomization file."""

    def __init__(self, file: str, document: yaml.Document, files: ReadFiles) -> None:
        self._file = file
        self._document = document
        self._files = files

    def causes(self, field: BlamedField) -> Iterator[BlameCause]:
        """Yield what touches the field, in the order opposite to that in which kustomize works."""
        yield from self._replacements(field)
        yield from self._images(field)
        yield from self._replicas(field)
        yield from self._patches(field, "patchesJson6902")
        yield from self._settings(field)
        yield from self._patches(field, "patches")
        yield from self._patches(field, "patchesStrategicMerge")
        yield from self._generators(field)

    def _replacements(self, field: BlamedField) -> Iterator[BlameCause]:
        for index, entry in reversed(list(enumerate(_list(self._document.value, "replacements")))):
            named = entry.get("path") if isinstance(entry, dict) else None
            if not isinstance(named, str):
                found = kustomize_replacements.written_at(self._document, ("replacements", index), field)
                yield from (BlameCause("replacement", Place(self._file, line), text) for line, text in found)
                continue
            file = self._beside(named)
            for document in self._files.documents(file):
                found = kustomize_replacements.written_at(document, (), field)
                yield from (BlameCause("replacement", Place(file, line), text) for line, text in found)

    def _images(self, field: BlamedField) -> Iterator[BlameCause]:
        if not str(field.path).endswith("image"):
            return
        value = str(field.value)
        for index, image in enumerate(_list(self._document.value, "images")):
            if not isinstance(image, dict):
                continue
            wanted = [str(image[part]) for part in ("newName", "newTag", "digest") if image.get(part)]
            name = str(image.get("newName") or image.get("name") or "")
            fits = value == name or value.startswith((f"{name}:", f"{name}@"))
            if wanted and fits and all(part in value for part in wanted):
                yield self._cause("images", ("images", index), f"images: {image.get('name')}")

    def _replicas(self, field: BlamedField) -> Iterator[BlameCause]:
        if str(field.path) != "spec.replicas":
            return
        for index, entry in enumerate(_list(self._document.value, "replicas")):
            if isinstance(entry, dict) and field.is_named(str(entry.get("name") or "\0")):
                yield self._cause("replicas", ("replicas", index), f"replicas: {entry.get('name')}")

    def _settings(self, field: BlamedField) -> Iterator[BlameCause]:
        value = self._document.value
        plain = {"metadata.name": ("namePrefix", "nameSuffix"), "metadata.namespace": ("namespace",)}
        for name in plain.get(str(field.path), ()):
            if value.get(name):
                yield self._cause(name, (name,), f"{name}: {value[name]}")
        for name, find in (
            ("commonAnnotations", kustomize_labels.common_annotations),
            ("commonLabels", kustomize_labels.common_labels),
        ):
            if key := find(value.get(name), field):
                yield self._cause(name, (name, key), f"{name}: {key}")
        for path, key in kustomize_labels.label_blocks(_list(value, "labels"), field):
            yield self._cause("labels", ("labels", *path), f"labels: {key}")

    def _patches(self, field: BlamedField, name: str) -> Iterator[BlameCause]:
        for index, entry in reversed(list(enumerate(_list(self._document.value, name)))):
            patch = entry if isinstance(entry, dict) else {"path": entry} if isinstance(entry, str) else {}
            if isinstance(entry, str) and "\n" in entry:
                patch = {"patch": entry}
            yield from self._patch(patch, (name, index), field)

    def _patch(self, patch: Mapping[str, Any], place: yaml.Path, field: BlamedField) -> Iterator[BlameCause]:
        file = self._beside(patch["path"]) if isinstance(patch.get("path"), str) else ""
        text = str(patch.get("patch") or "")
        documents = self._files.documents(file) if file else self._files.inline(self._file, text)
        target = patch.get("target") if isinstance(patch.get("target"), dict) else None
        for document in documents:
            line = touched_line(document, field, target, patch.get("options"))
            if line:
                yield BlameCause("patch", Place(file, line)) if file else self._cause("patch", place, "an inline patch")

    def _generators(self, field: BlamedField) -> Iterator[BlameCause]:
        for name, kind in (("configMapGenerator", "ConfigMap"), ("secretGenerator", "Secret")):
            if field.item.key.kind != kind or not str(field.path).startswith(("data", "stringData")):
                continue
            for index, entry in enumerate(_list(self._document.value, name)):
                if isinstance(entry, dict) and str(entry.get("name") or "\0") in field.item.key.name:
                    yield from self._generated(entry, (name, index), field)

    def _generated(self, entry: Mapping[str, Any], place: yaml.Path, field: BlamedField) -> Iterator[BlameCause]:
        """Yield the line that gives a generated object one of its keys; the entry's own where that cannot be told."""
        text = f"{place[0]}: {entry.get('name')}"
        key = str(field.path.steps[1]) if len(field.path.steps) > 1 else ""
        found = kustomize_generators.file_of(entry, key, lambda path: self._files.lines(self._beside(path)))
        if literal := kustomize_generators.literal_of(entry, key):
            yield self._cause("generator", (*place, *literal), text)
        elif found and self._beside(found[0]) in self._files:
            yield BlameCause("generator", Place(self._beside(found[0]), found[1]), text)
        elif found or entry.get("behavior") != "merge":
            # What merges and does not name the key leaves it as the base has it.
            yield self._cause("generator", place, text)

    def _beside(self, path: str) -> str:
        return posixpath.normpath(posixpath.join(posixpath.dirname(self._file), path))

    def _cause(self, kind: str, place: yaml.Path, text: str) -> BlameCause:
        return BlameCause(kind, Place(self._file, self._document.position_or_parent(place).line), text)


def _list(value: Mapping[str, Any], field: str) -> list[Any]:
    found = value.get(field)
    return found if isinstance(found, list) else []
