"""Finds the line of the values that a complaint of helm is about, and what was meant instead.

Called by `syncline.adapters.render.helm.chart` with an error that `syncline.adapters.render.helm.errors` has reduced,
and with all that sets the values of the chart, the strongest last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from syncline.adapters.render import nearest
from syncline.apimachinery import yaml
from syncline.model.desired import ValuesLayer
from syncline.model.errors import Place, RenderError

_UNREADABLE = re.compile(
    r"cannot load \S*values\.ya?ml|failed to parse |error converting YAML to JSON|not a valid chart"
)
_CONVERTING = re.compile(": (?:cannot unmarshal yaml document|error converting YAML|yaml: )")
_UNSET = re.compile(r"nil pointer evaluating .* at <[^>]*?(?P<path>\.Values(?:\.\w+)+)")
_MISMATCH = re.compile(r"type mismatch on (?P<name>[^\s:]+)")
_CHART = re.compile(r"(?:^|\s)[\w.-]+:\s+-\s")
"""The name of a chart, before what is wrong with its values."""
_SCHEMA = "values don't meet the specifications of the schema"
_FIELD = re.compile(r"(?:^|[-;] )(?:at '(?P<pointer>/[^']*)'|(?P<path>[\w.-]+)): ")
_PARAMETERS = "failed parsing --set"
_MAX_HINTS = 3


def explained(error: RenderError, layers: Sequence[ValuesLayer], folder: str) -> RenderError:
    """Return the error with the place in the values that it is about, as far as texts tell."""
    if error.place is None or error.place.line == 0:
        if _UNREADABLE.search(error.what) and (found := _unreadable(error, layers)):
            return found
        if _SCHEMA in error.what:
            return _against_schema(error, layers, f"{folder}/values.schema.json" if folder else "values.schema.json")
        if _PARAMETERS in error.what:
            names = [layer.parameter for layer in layers if layer.parameter]
            odd = [name for name in names if name.count("[") != name.count("]") or "," in name] or names
            return RenderError(
                error.what, place=error.place, hint=f"in spec.source.helm.parameters: {', '.join(odd[:5])}"
            )
    if mismatch := _MISMATCH.search(error.what):
        places = list(_places(mismatch["name"].split("."), layers))
        hint = "the values of a subchart must be a map" + (f": set at {places[-1]}" if places else "")
        return RenderError(error.what.partition(": %!")[0], place=error.place, hint=hint)
    if unset := _UNSET.search(error.what):
        return RenderError(error.what, place=error.place, hint=_unset(unset["path"], layers))
    return error


def _unreadable(error: RenderError, layers: Sequence[ValuesLayer]) -> RenderError | None:
    for layer in layers:
        if layer.parameter:
            continue
        try:
            documents = yaml.load_documents(layer.text, source=layer.name)
        except yaml.YamlError as broken:
            if "is given twice" in broken.message:
                # Helm takes the last one, so this is not what it complains of.
                continue
            words = _CONVERTING.split(error.what, maxsplit=1)[0]
            return RenderError(f"{words}: {broken.message}", place=Place(layer.name, broken.line, broken.column))
        if documents and not isinstance(documents[0].value, dict):
            return RenderError(f"{error.what}: values must be a map", place=Place(layer.name, documents[0].line))
    return None


def _unset(path: str, layers: Sequence[ValuesLayer]) -> str:
    """Return words about the first step of a path that no layer has."""
    steps = path.removeprefix(".Values.").split(".")
    for length in range(1, len(steps) + 1):
        if not any(True for _place in _places(steps[:length], layers)):
            missing, above = steps[length - 1], steps[: length - 1]
            # What the template goes on into has to be a map.
            known = {str(name) for values in _members(above, layers) for name, one in values if isinstance(one, dict)}
            meant = nearest.name(missing, known)
            also = f"; did you mean {'.'.join([*above, meant])}?" if meant else ""
            return f"no values set {'.'.join(steps[:length])}{also}"
    return ""


def _against_schema(error: RenderError, layers: Sequence[ValuesLayer], schema: str) -> RenderError:
    """Return the error with the place of the first value that a schema refuses; of one that is missing, the schema."""
    found = list(_set_where(error.what, layers))
    told = "; ".join(f"{name} is set at {place}" for name, place in found[:_MAX_HINTS])
    place = next((place for _name, place in found if place.line), Place(schema, 1))
    hint = "; ".join(filter(None, (told, f"the schema is {schema}"))) if found else f"set what {schema} requires"
    return RenderError(error.what, place=place, hint=hint)


def _set_where(what: str, layers: Sequence[ValuesLayer]) -> Iterator[tuple[str, Place]]:
    """Yield the values that a schema refuses, and where each is set last."""
    for field in _FIELD.finditer(_CHART.sub(" - ", what.partition("following chart(s): ")[2])):
        steps = [step for step in (field["pointer"] or (field["path"] or "").replace(".", "/")).split("/") if step]
        places = list(_places(steps, layers)) if steps else []
        if places:
            yield ".".join(steps), places[-1]


def _places(steps: Sequence[str], layers: Sequence[ValuesLayer]) -> Iterator[Place]:
    for layer in layers:
        if layer.parameter:
            if layer.parameter.split("[")[0].split(".")[: len(steps)] == list(steps):
                yield Place(layer.name)
            continue
        for document, inside in _inside(steps, layer):
            yield Place(layer.name, document.position_or_parent(inside).line)


def _members(steps: Sequence[str], layers: Sequence[ValuesLayer]) -> Iterator[Sequence[tuple[Any, Any]]]:
    for layer in layers:
        for document, inside in _inside(steps, layer):
            value: Any = document.value
            for step in inside:
                value = value[step]
            if isinstance(value, dict):
                yield list(value.items())


def _inside(steps: Sequence[str], layer: ValuesLayer) -> Iterator[tuple[yaml.Document, yaml.Path]]:
    """Yield a layer's document and the path in it, where the layer has something there."""
    inside = tuple(steps)
    if layer.below:
        if inside[: len(layer.below)] != layer.below:
            return
        inside = inside[len(layer.below) :]
    try:
        documents = yaml.load_documents(layer.text, source=layer.name)
    except yaml.YamlError:
        return
    if not documents:
        return
    value: Any = documents[0].value
    for step in inside:
        if not isinstance(value, dict) or step not in value:
            return
        value = value[step]
    yield documents[0], inside
