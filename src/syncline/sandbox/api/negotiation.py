"""In which format a client wants its answer: JSON, YAML, or one that is not written here.

Asked by `syncline.sandbox.api.requests` before anything is read, and by `syncline.sandbox.server`, which rewrites an
answer for a client that reads YAML.
"""

from __future__ import annotations

from typing import Final

import orjson

from syncline.sandbox import errors
from syncline.sandbox.api.answers import JSON, ServerResponse

_YAML: Final = "application/yaml"
_SHAPES: Final = ("Table", "PartialObjectMetadata", "PartialObjectMetadataList")
_OBJECTS: Final = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
_STREAMS: Final = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"


def check(accept: str, verb: str, *, custom: bool = False) -> None:
    """Refuse a request whose answer its client could not read; the server of custom kinds says so in other words."""
    if not accept:
        return
    if not any(word in accept for word in ("json", "yaml", "*/*", "application/*", "text/plain")):
        if custom:
            raise errors.not_among(_OBJECTS)
        streams = verb in ("list", "watch", "deletecollection")
        raise errors.not_acceptable(protobuf="protobuf" not in accept, streams=streams)
    if verb == "watch" and wants_yaml(accept):
        raise errors.not_among(_STREAMS)
    if all(_is_unknown_shape(part) for part in accept.split(",")):
        raise errors.not_among(_OBJECTS)


def _is_unknown_shape(part: str) -> bool:
    _, *rest = part.split(";")
    wanted = dict(item.strip().split("=", 1) for item in rest if "=" in item)
    name = wanted.get("as", "")
    return bool(name) and (name not in _SHAPES or wanted.get("v") not in ("v1", "v1beta1"))


def wants_yaml(accept: str) -> bool:
    """Tell whether YAML is the first format in a list that is written here."""
    for part in accept.split(","):
        media = part.partition(";")[0].strip()
        if media in (_YAML, JSON, "*/*", "application/*"):
            return media == _YAML
    return False


def in_yaml(answer: ServerResponse) -> None:
    """Write a JSON answer in YAML instead."""
    from syncline.apimachinery.yaml import go_writer

    if answer.stream is None and ("content-type", JSON) in answer.headers:
        answer.body = go_writer.dump(orjson.loads(answer.body)).encode()
        answer.headers[answer.headers.index(("content-type", JSON))] = ("content-type", _YAML)
