"""Reads request bodies and holds them against the schema of their kind: unknown fields, wrong types.

Called by `syncline.sandbox.api.requests` for every body and by `syncline.sandbox.api.writes` before anything else looks
at an object. A wrong type is an error at once, as with the real server's typed decoder; unknown fields are dropped, and
reported as the request's fieldValidation says.
"""

from __future__ import annotations

import copy
import re
from typing import Any, Final

import orjson

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.apimachinery.schema import builtin
from syncline.sandbox import errors
from syncline.sandbox.api import protobuf
from syncline.sandbox.api.conforming import Reading, WrongType
from syncline.sandbox.served.resources import Resource

ACCEPTED: Final = ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf")


def body(content: bytes, content_type: str) -> Any:
    """Decode a JSON, YAML or protobuf body."""
    media = content_type.partition(";")[0].strip().lower()
    if media in ("", "application/json") or media.endswith("+json"):
        try:
            return orjson.loads(content)
        except orjson.JSONDecodeError as error:
            raise UnreadableBody(_parse_error(content, str(error))) from None
    if media in ("application/yaml", "application/apply-patch+yaml"):
        return whole_numbers(yaml_body(content))
    if media == protobuf.MEDIA:
        return protobuf.decode(content)
    raise errors.unsupported_media_type(ACCEPTED)


def yaml_body(content: bytes) -> Any:
    """Decode YAML (JSON is YAML, and by far the most frequent)."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        pass
    try:
        return yaml.load(content)
    except yaml.YamlError as error:
        raise errors.bad_request(f"error decoding YAML: {error}") from None


def whole_numbers(value: Any) -> Any:
    """Return a body with 2.0 written as 2, as it arrives where it passed through YAML or a map on its way."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {key: whole_numbers(item) for key, item in value.items()}
    return [whole_numbers(item) for item in value] if isinstance(value, list) else value


class UnreadableBody(errors.StatusError):
    """A body that is not JSON; whoever knows the kind says which one was expected."""

    def __init__(self, detail: str) -> None:
        super().__init__(400, "BadRequest", f"couldn't get version/kind; json parse error: {detail}")

    def expecting(self, kind: str) -> errors.StatusError:
        """Return the refusal with the expected kind in it."""
        return errors.bad_request(f"the object provided is unrecognized (must be of type {kind}): {self.message}")


def _parse_error(content: bytes, told: str) -> str:
    shown = content[:36].decode(errors="replace") if content else "<empty>"
    if content.strip() in (b"", b"{", b"["):
        return f"unexpected end of JSON input ({shown})"
    return f"{told} ({shown})"


def check_applied_kind(resource: Resource, config: Any) -> None:
    """Refuse an applied configuration that is not of the kind of its path."""
    if not isinstance(config, dict):
        return
    api_version, kind = str(config.get("apiVersion") or ""), str(config.get("kind") or "")
    if (api_version, kind) != (resource.gvk.api_version, resource.kind):
        group, _, version = api_version.rpartition("/")
        raise errors.bad_request(f"invalid object type: {group}/{version}, Kind={kind}")


def check_applied_metadata(resource: Resource, config: Any) -> None:
    """Refuse an applied configuration whose metadata is none."""
    metadata = config.get("metadata") if isinstance(config, dict) else None
    if metadata is not None and not isinstance(metadata, dict):
        named = f"{resource.group}/{resource.gvk.version}, Kind={resource.kind}"
        text = f"failed to create typed patch object (/; {named}): .metadata: expected map, got &{{{metadata}}}"
        raise errors.StatusError(500, "", text)


def kindless(resource: Resource, content: bytes) -> errors.StatusError:
    """Refuse an object of a custom kind that does not say what it is."""
    text = content.decode(errors="replace")
    start = f"{text[:24]} ..." if len(text) > 24 else text
    told = f"(must be of type {resource.kind}): Object 'Kind' is missing in '{text}' ({start})"
    return errors.bad_request(f"the object provided is unrecognized {told}")


def check_kind(resource: Resource, obj: Any) -> Object:
    """Return the object with the kind and apiVersion of its path; a body of another kind is refused."""
    if not isinstance(obj, dict):
        value = {list: "array", str: "string", bool: "bool"}.get(type(obj), "number")
        printed = orjson.dumps(obj)
        raise errors.bad_request(
            f"the object provided is unrecognized (must be of type {resource.kind}): couldn't get version/kind; json "
            f"parse error: json: cannot unmarshal {value} into Go value of type struct {{ APIVersion string "
            f'"json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }} ({printed[:9].hex()})'
        )
    api_version, kind = obj.get("apiVersion") or "", obj.get("kind") or ""
    if resource.custom is not None and not kind:
        raise kindless(resource, orjson.dumps(obj))
    metadata = obj.get("metadata")
    if resource.custom is None:
        wrong = (kind and kind != resource.kind) or (api_version and api_version != resource.gvk.api_version)
    else:
        wrong = (api_version, kind) != (resource.gvk.api_version, resource.kind)
    if wrong:
        name = metadata.get("name", "") if isinstance(metadata, dict) else ""
        raise _other_kind(resource, str(api_version), str(kind), str(name))
    if metadata is not None and not isinstance(metadata, dict):
        error = WrongType(resource, "metadata", metadata, "v1.ObjectMeta")
        if resource.custom is not None:  # read apart from the rest
            raise errors.bad_request(error.message.replace(f"struct field {resource.kind}.metadata of", "value of"))
        raise error
    return {**obj, "apiVersion": resource.gvk.api_version, "kind": resource.kind}


def _other_kind(resource: Resource, api_version: str, kind: str, name: str) -> errors.StatusError:
    if resource.custom is not None and kind != resource.kind:
        cause = errors.invalid_value("kind", f'"{kind}"', f"must be {resource.kind}")
        return errors.invalid(kind, resource.group, name, [cause])
    if resource.custom is None and kind == resource.kind:
        return _unregistered(resource, api_version, kind)
    if resource.custom is not None:
        return errors.bad_request(
            f"the API version in the data ({api_version}) does not match the expected API version"
            f" ({resource.gvk.api_version})"
        )
    group, _, version = api_version.rpartition("/")
    if api_version and GroupVersionKind(group, version, kind) not in builtin.kinds():
        return _unregistered(resource, api_version, kind)
    version = version or resource.gvk.version
    package = resource.group.partition(".")[0] or "core"
    return errors.bad_request(
        f'{kind} in version "{version}" cannot be handled as a {resource.kind}: '
        f"converting ({version}.{kind}) to ({package}.{resource.kind}): unknown conversion"
    )


def _unregistered(resource: Resource, api_version: str, kind: str) -> errors.StatusError:
    version = api_version.rpartition("/")[2]
    return errors.bad_request(
        f'{kind} in version "{version}" cannot be handled as a {resource.kind}: no kind "{kind}" is registered for '
        f'version "{api_version}" in scheme "pkg/runtime/scheme.go:111"'
    )


def conform(resource: Resource, obj: Object) -> tuple[Object, list[str]]:
    """Return a built-in object without unknown fields, and the paths of those; raises for wrong types."""
    reading = Reading(resource)
    known = reading.walk(resource.node(), obj, "")
    reading.check()
    return known, reading.unknown


def check_metadata(resource: Resource, obj: Object) -> None:
    """Refuse a custom object whose metadata is not of the types that metadata has."""
    metadata = {key: value for key, value in (obj.get("metadata") or {}).items() if key != "managedFields"}
    reading = Reading(resource)
    try:
        reading.walk(builtin.object_meta(), copy.deepcopy(metadata), "metadata")
        reading.check()
    except WrongType as error:
        told = re.sub(r"struct field \S*metadata\.", "struct field ObjectMeta.", error.message)
        raise errors.bad_request(told) from None


def check_merged(resource: Resource, merged: Object, where: str) -> None:
    """Refuse what server-side apply lets pass, but Go's types do not: it is told otherwise than of other bodies."""
    try:
        conform(resource, merged)
    except errors.StatusError as error:
        raise not_converted(resource, error, where) from None


def misfit(resource: Resource, error: errors.StatusError, *, mapped: bool) -> str:
    """Return what does not fit Go's types, nothing where it is something else; `mapped` came through a map."""
    if mapped and isinstance(error, WrongType):
        return error.unstructured
    return error.message.partition(f" cannot be handled as a {resource.kind}: ")[2]


def not_converted(resource: Resource, error: errors.StatusError, where: str) -> errors.StatusError:
    """Return the refusal of an applied object that does not fit Go's types."""
    detail = misfit(resource, error, mapped=True)
    if detail.startswith("illegal base64"):
        detail = f"error decoding from json: {detail}"
    group, version = resource.group, resource.gvk.version
    named = f"{group}/{version}, Kind={resource.kind}"
    return errors.StatusError(
        500,
        "",
        f"failed to convert new object ({where}; {named}) to proper version: unable to convert unstructured object to "
        f"{named}: {detail}",
    )
