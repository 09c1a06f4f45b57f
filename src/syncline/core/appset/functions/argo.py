"""The functions that Argo CD adds to Sprig's: names for DNS and YAML.

Part of the table in `syncline.core.appset.functions`.
"""

from __future__ import annotations

import re
from typing import Any

from syncline.apimachinery.yaml import YamlError, go_writer, load_documents
from syncline.core.appset.functions import json_texts
from syncline.core.appset.functions.texts import lower
from syncline.core.appset.gotemplate.errors import CallError
from syncline.core.appset.gotemplate.functions import Context, Function
from syncline.core.appset.gotemplate.values import NO_VALUE, type_name

_NOT_IN_NAMES = re.compile("[^-a-z0-9.]")
_NOT_IN_SLUGS = re.compile("[^a-z0-9-_]")
_DASHES = re.compile("-+")
_LONGEST_NAME = 253


def normalize(name: str) -> str:
    """Return a text as a DNS name: lower case, and a dash for each character that is not permitted."""
    return _NOT_IN_NAMES.sub("-", lower(name))[:_LONGEST_NAME].strip("-.")


def slugify(*args: Any) -> str:
    """Return a text as a label of at most 50 characters; before the text may stand another length and `smart`."""
    size, smart, name = 50, True, ""
    for at, arg in enumerate(args):
        if at == len(args) - 1:
            name = _asserted(arg, str, "string")
        elif at == 0:
            size = _asserted(arg, int, "int")
        elif at == 1:
            smart = _asserted(arg, bool, "bool")
    text = normalize(name)
    if not smart and len(text) >= size:
        if size < 0:
            raise CallError(f"runtime error: slice bounds out of range [:{size}]")
        text = text[:size]
    text = _DASHES.sub("-", _NOT_IN_SLUGS.sub("-", text)).strip("-_")
    return _cut_at_a_word(text, size) if smart and 0 < size < len(text) else text


def _cut_at_a_word(text: str, size: int) -> str:
    dash = text.rfind("-", 0, size + 1)
    return text[:size] if dash < 0 else text[:dash]


def _asserted(value: Any, wanted: type, name: str) -> Any:
    if type(value) is not wanted:
        actual = "nil" if value is None or value is NO_VALUE else type_name(value)
        raise CallError(f"interface conversion: interface {{}} is {actual}, not {name}")
    return value


def _to_yaml(ctx: Context, value: Any) -> str:
    try:
        return go_writer.dump(json_texts.loaded_exactly(json_texts.dumped(ctx, value, html=False))).removesuffix("\n")
    except CallError as error:
        raise CallError(f"error marshaling into JSON: {error}") from None


def _from_yaml(text: str, wanted: type, name: str) -> Any:
    try:
        documents = load_documents(text, source="yaml", repeated=[])
    except YamlError as error:
        raise CallError(f"error converting YAML to JSON: {error}") from None
    value = _with_floats(documents[0].value) if documents else None
    if value is None:
        return wanted()
    if not isinstance(value, wanted):
        kinds = {dict: "object", list: "array", str: "string", bool: "bool"}
        raise CallError(
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal "
            f"{kinds.get(type(value), 'number')} into Go value of type {name}"
        )
    return value


def _with_floats(value: Any) -> Any:
    """Return a value with the one type of number that Go's JSON has."""
    if isinstance(value, dict):
        return {key: _with_floats(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_with_floats(child) for child in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


ARGO: dict[str, Function] = {
    "fromYaml": Function(lambda text: _from_yaml(text, dict, "map[string]interface {}"), "string"),
    "fromYamlArray": Function(lambda text: _from_yaml(text, list, "[]interface {}"), "string"),
    "normalize": Function(normalize, "string"),
    "slugify": Function(slugify, "any..."),
    "toYaml": Function(_to_yaml, "any", needs_context=True),
}
