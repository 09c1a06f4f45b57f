"""Tells which labels and annotations of a kustomization are written to a field.

Called by `syncline.core.provenance.kustomizations` and, for an Application's own settings, by the same. `commonLabels`
go into selectors and templates, `labels` only where they say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from syncline.apimachinery import yaml
from syncline.core.provenance.blamed_field import BlamedField

_SELECTORS = ("matchLabels", "selector")


def common_labels(pairs: Any, field: BlamedField) -> str:
    """Return the key of `commonLabels` that is written to the field; empty where none is."""
    key = _key(pairs, field)
    return key if key and (_above(field) in ("labels", *_SELECTORS)) else ""


def common_annotations(pairs: Any, field: BlamedField) -> str:
    """Return the key of `commonAnnotations` that is written to the field; empty where none is."""
    return _key(pairs, field) if _above(field) == "annotations" else ""


def label_blocks(blocks: list[Any], field: BlamedField) -> Iterator[tuple[yaml.Path, str]]:
    """Yield the path in `labels`, and the key, of each pair that is written to the field; the strongest first."""
    for index, block in reversed(list(enumerate(blocks))):
        key = _key(block.get("pairs"), field) if isinstance(block, dict) else ""
        if key and _goes_there(block, field):
            yield (index, "pairs", key), key


def _goes_there(block: Mapping[str, Any], field: BlamedField) -> bool:
    above = field.steps[:-1]
    if above == ("metadata", "labels"):
        return True
    if block.get("includeSelectors") is True:
        return _above(field) in ("labels", *_SELECTORS)
    if block.get("includeTemplates") is True and above[-3:] == ("template", "metadata", "labels"):
        return True
    specs = block.get("fields")
    named = [str(one.get("path") or "") for one in specs if isinstance(one, dict)] if isinstance(specs, list) else []
    return "/".join(str(step) for step in above) in [path.replace("[]", "").strip("/") for path in named]


def _key(pairs: Any, field: BlamedField) -> str:
    """Return the last step of the field where it is a pair of these, with the value that the field has."""
    last = field.steps[-1] if field.steps else None
    if not isinstance(pairs, dict) or not isinstance(last, str) or last not in pairs:
        return ""
    return last if str(pairs[last]) == str(field.value) else ""


def _above(field: BlamedField) -> str | int:
    return field.steps[-2] if len(field.steps) > 1 else ""
