"""Writes an Application's Kustomize settings into a kustomization, as `kustomize edit` would.

Called by `syncline.adapters.render.kustomize.build` with the kustomization of the private folder. An outer
kustomization around it would give other names and images: a prefix would be added to the one there is instead of
replacing it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from syncline.adapters.render.build_environment import substitute
from syncline.model.errors import RenderError
from syncline.model.sources.source import KustomizePatch, KustomizeReplica, KustomizeSource

Kustomization = dict[str, Any]
_TAGGED = re.compile(r"(?P<name>.*):(?P<tag>[A-Za-z0-9._-]*|\*)")
_KEPT = "*"
_EDITED = (
    *("namePrefix", "nameSuffix", "namespace", "images", "replicas", "commonLabels", "commonAnnotations", "labels"),
    *("patches", "components", "buildMetadata"),
)
_SPELLINGS = {name.casefold(): name for name in _EDITED}


def edited(kustomization: Kustomization, settings: KustomizeSource, variables: Mapping[str, str]) -> Kustomization:
    """Return the kustomization with all settings but components, which need the files."""
    set_outright = {
        "namePrefix": settings.name_prefix,
        "nameSuffix": settings.name_suffix,
        "namespace": settings.namespace,
    }
    changed = {**canonical(kustomization), **{field: value for field, value in set_outright.items() if value}}
    if settings.images:
        images = [parse_image(substitute(image, variables)) for image in settings.images]
        changed["images"] = with_images(_maps(changed, "images"), images)
    if settings.replicas:
        changed["replicas"] = with_replicas(_maps(changed, "replicas"), settings.replicas)
    if settings.common_labels:
        labels = {name: substitute(value, variables) for name, value in settings.common_labels.items()}
        _add_labels(changed, settings, labels)
    if settings.common_annotations:
        annotations = dict(settings.common_annotations)
        if settings.common_annotations_envsubst:
            annotations = {name: substitute(value, variables) for name, value in annotations.items()}
        before = _map(changed, "commonAnnotations")
        changed["commonAnnotations"] = _added(
            before, annotations, "annotation", force=settings.force_common_annotations
        )
    if settings.patches:
        changed["patches"] = [*_maps(changed, "patches"), *map(_patch, settings.patches)]
    return changed


def canonical(kustomization: Kustomization) -> Kustomization:
    """Return the kustomization with the fields that may be edited spelt as documented: kustomize takes any case."""
    renamed: Kustomization = {}
    for field, value in kustomization.items():
        name = _SPELLINGS.get(str(field).casefold(), field)
        if name in renamed:
            raise RenderError(f"invalid Kustomization: {name} occurs twice")
        renamed[name] = value
    return renamed


def is_empty(kustomization: Kustomization) -> bool:
    """Whether kustomize would refuse it as empty: it says nothing but what it is."""
    return all(value is None or field in ("apiVersion", "kind") for field, value in kustomization.items())


def with_components(kustomization: Kustomization, components: Sequence[str]) -> Kustomization:
    """Return the kustomization with these components after its own; none occurs twice."""
    before = [str(entry) for entry in kustomization.get("components") or ()]
    return {**kustomization, "components": list(dict.fromkeys([*before, *components]))}


def with_origins(kustomization: Kustomization) -> tuple[Kustomization, bool]:
    """Return the kustomization so that each object names its origin, and whether it did so by itself."""
    before = [str(entry) for entry in kustomization.get("buildMetadata") or ()]
    if "originAnnotations" in before:
        return kustomization, True
    return {**kustomization, "buildMetadata": [*before, "originAnnotations"]}, False


def parse_image(text: str) -> dict[str, str]:
    """Read `name:tag`, `name@digest`, `name=other`, `name=other:tag` or `name=other@digest`."""
    name, equals, new = text.partition("=")
    if equals and name:
        return {"name": name, **_image(new, text, field="newName")}
    return _image(text, text, field="name")


def with_images(before: list[dict[str, Any]], images: Sequence[dict[str, str]]) -> list[dict[str, Any]]:
    """Return the images with new ones in the place of those of the same name, sorted by name."""
    known: dict[str, dict[str, Any]] = {str(image.get("name")): image for image in before}
    for image in images:
        old = known.get(image["name"], {})
        merged: dict[str, Any] = {}
        for field, value in image.items():
            value = old.get(field, "") if value == _KEPT else value
            if value:
                merged[field] = value
        known[image["name"]] = merged
    return [known[name] for name in sorted(known)]


def with_replicas(before: list[dict[str, Any]], replicas: Sequence[KustomizeReplica]) -> list[dict[str, Any]]:
    """Return the replica counts with new ones in the place of those of the same name."""
    known = {str(entry.get("name")): entry for entry in before}
    for replica in replicas:
        try:
            count = int(replica.count)
        except ValueError:
            what = f"kustomize.replicas: the count of {replica.name} is {replica.count!r}, which is not a number"
            raise RenderError(what) from None
        known[replica.name] = {"name": replica.name, "count": count}
    return list(known.values())


def _image(text: str, whole: str, *, field: str) -> dict[str, str]:
    name, at, digest = text.partition("@")
    if at and name and digest:
        return {field: name, "digest": digest}
    tagged = None if at else _TAGGED.fullmatch(text)
    if tagged and tagged["name"]:
        return {field: tagged["name"], "newTag": tagged["tag"]}
    if text and not at and field == "newName":
        return {field: text}
    hint = "use name:tag, name@digest, or name=other:tag"
    raise RenderError(f"kustomize.images: {whole!r} is not an image override", hint=hint)


def _add_labels(changed: Kustomization, settings: KustomizeSource, labels: Mapping[str, str]) -> None:
    force = settings.force_common_labels
    if not settings.label_without_selector:
        if settings.label_include_templates:
            what = "kustomize.labelIncludeTemplates needs labelWithoutSelector"
            raise RenderError(what, hint="labels that go into selectors go into templates anyway")
        changed["commonLabels"] = _added(_map(changed, "commonLabels"), labels, "label", force=force)
        return
    blocks = _maps(changed, "labels")
    for index, block in enumerate(blocks):
        templates = bool(block.get("includeTemplates"))
        if not block.get("includeSelectors") and templates == settings.label_include_templates:
            pairs = _added(_map(block, "pairs"), labels, "label", force=force)
            blocks[index] = {**block, "pairs": pairs}
            break
    else:
        new: dict[str, Any] = {"pairs": dict(labels)}
        blocks.append(new | ({"includeTemplates": True} if settings.label_include_templates else {}))
    changed["labels"] = blocks


def _added(before: Mapping[str, Any], new: Mapping[str, str], noun: str, *, force: bool) -> dict[str, Any]:
    twice = sorted(set(before) & set(new))
    if twice and not force:
        field = "forceCommonLabels" if noun == "label" else "forceCommonAnnotations"
        raise RenderError(
            f"{noun} {twice[0]} already in kustomization file", hint=f"set kustomize.{field} to replace it"
        )
    return {**before, **new}


def _patch(patch: KustomizePatch) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(patch)
    return plain


def _maps(kustomization: Mapping[str, Any], field: str) -> list[dict[str, Any]]:
    value = kustomization.get(field) or []
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise RenderError(f"{field} of the kustomization is not a list of maps")
    return list(value)


def _map(kustomization: Mapping[str, Any], field: str) -> dict[str, Any]:
    value = kustomization.get(field) or {}
    if not isinstance(value, dict):
        raise RenderError(f"{field} of the kustomization is not a map")
    return value
