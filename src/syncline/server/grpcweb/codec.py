"""From the bytes of a message to the JSON that routes take, and from the JSON that they answer to bytes.

Called by `syncline.server.grpcweb.service` with names of messages. The runtime reads and writes the bytes; what is
decided here is how JSON says it: names and inlined parts by the table, times as texts, and which zeros count. What JSON
has and the message has not is left out, as Go's clients would drop it.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

import orjson
from google.protobuf.message import DecodeError, EncodeError
from google.protobuf.message import Message as Packed

from syncline.apimachinery import times
from syncline.server.grpcweb.schema import Schema
from syncline.server.grpcweb.table import Field
from syncline.server.requests.failures import INVALID, Failure

_ZERO: Final[dict[str, Any]] = {"string": "", "bytes": b"", "bool": False, "int32": 0, "int64": 0}
_ITEMS: Final = "items"
_AT_ONCE: Final = 50
_TIME: Final = "meta.Time"
_AS_TEXTS: Final = ("v1alpha1.OverrideIgnoreDiff",)
"""What stands in JSON as a text that holds it."""
_INT_OR_STRING: Final = "intstr.IntOrString"
_RAW: Final = {"meta.FieldsV1": "Raw", "runtime.RawExtension": "raw", "apiextensions.JSON": "raw"}


class Unfit(Exception):
    """A route answered something else than its method returns: a bug."""


class Codec:
    """Reads and writes the messages of a schema."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def decode(self, name: str, content: bytes) -> dict[str, Any]:
        """Return a message as JSON says it; raises `Failure` for what cannot be read."""
        try:
            packed = self._schema.packed(name).FromString(content)
            if not packed.IsInitialized():
                raise ValueError(name)
            found: dict[str, Any] = self._read(name, packed)
        except (DecodeError, OSError, OverflowError, ValueError):
            raise Failure(INVALID, f"the request is not a message of the type {name}") from None
        return found

    async def encode_slowly(self, name: str, value: Any) -> bytes:
        """Return the bytes of a message, letting others have their turn while a long list is written.

        Messages of one type that stand one behind the other are one message, whose lists are joined.
        """
        items = value.get(_ITEMS) if isinstance(value, dict) else None
        if not isinstance(items, list) or len(items) <= _AT_ONCE:
            return self.encode(name, value)
        parts = [self.encode(name, {key: told for key, told in value.items() if key != _ITEMS})]
        for start in range(0, len(items), _AT_ONCE):
            parts.append(self.encode(name, {_ITEMS: items[start : start + _AT_ONCE]}))
            await asyncio.sleep(0)
        return b"".join(parts)

    def encode(self, name: str, value: Any) -> bytes:
        """Return the bytes of a message that JSON says; raises `Unfit` where the JSON has another shape."""
        try:
            return self._schema.packed(name)(**self._shaped(name, value)).SerializeToString()
        except (EncodeError, TypeError, ValueError, AttributeError) as error:
            raise Unfit(f"the answer does not fit into a message of the type {name}") from error

    def _read(self, name: str, packed: Packed) -> Any:
        if name in _READERS:
            return _READERS[name](packed)
        found: dict[str, Any] = {}
        for field in self._schema.messages[name].fields:
            value = getattr(packed, field.name)
            if field.mapped:
                told: Any = {_read_text(key): self._value(field, one) for key, one in value.items()}
            elif field.repeated:
                told = [self._value(field, one) for one in value]
            elif packed.HasField(field.name):
                told = self._value(field, value)
                if field.pointer and told is not None and field.json:
                    found[field.json] = told
                    continue
            else:
                continue
            if not field.json:
                found.update(told or {})
            elif told:
                found[field.json] = told
        return found

    def _value(self, field: Field, value: Any) -> Any:
        if field.is_message:
            return self._read(field.kind, value)
        if field.kind == "string":
            return _read_text(value)
        return base64.b64encode(value).decode() if field.kind == "bytes" else value

    def _shaped(self, name: str, value: Any) -> dict[str, Any]:
        """Return what the constructor of a message takes."""
        if name in _SHAPERS:
            return _SHAPERS[name](value)
        if name in _AS_TEXTS and isinstance(value, str):
            value = orjson.loads(value)
        if not isinstance(value, dict):
            raise TypeError(name)
        message = self._schema.messages[name]
        by_name, shaped = message.by_json, dict[str, Any]()
        # By what is there: objects have a few of the many fields that they might have.
        for key, told in value.items():
            field = by_name.get(key)
            if field is not None and told is not None:
                shaped[field.name] = self._field(field, told)
        for field in message.unnamed:
            if field.required:
                shaped.setdefault(field.name, self._blank(field))
            elif (inlined := self._shaped(field.kind, value)) or not field.pointer:
                shaped[field.name] = inlined
        return shaped

    def _field(self, field: Field, told: Any) -> Any:
        if field.mapped:
            return {str(key): self._one(field, one) for key, one in told.items()}
        if field.repeated:
            return [self._one(field, one) for one in told]
        return self._one(field, told)

    def _blank(self, field: Field) -> Any:
        """Return what stands for nothing in a field that has to be there."""
        return self._shaped(field.kind, {}) if field.is_message else _ZERO[field.kind]

    def _one(self, field: Field, value: Any) -> Any:
        if field.is_message:
            return self._shaped(field.kind, value)
        if field.kind == "string":
            return value if isinstance(value, str) else _text(value)
        if field.kind == "bytes":
            return base64.b64decode(value)
        return bool(value) if field.kind == "bool" else int(value)


def _text(value: Any) -> str:
    """Return a value as a text that JSON has as something else: a few fields are looser there."""
    return orjson.dumps(value).decode()


def _read_text(value: Any) -> str:
    """Return a text; the runtime hands out bytes where it is not one."""
    if not isinstance(value, str):
        raise ValueError("not UTF-8")  # noqa: TRY004 - of the message, not of a caller
    return value


def _read_time(packed: Any) -> str | None:
    """Return a time as JSON has it; Go sends an empty message for none."""
    return times.format_time(datetime.fromtimestamp(packed.seconds, UTC)) if packed.seconds else None


def _shaped_time(value: Any) -> dict[str, Any]:
    if not value:
        return {}
    moment = times.parse(value)
    return {"seconds": int(moment.timestamp()), "nanos": moment.microsecond * 1000}


def _read_number_or_text(packed: Any) -> int | str:
    if packed.type:
        return _read_text(packed.strVal)
    return int(packed.intVal)


def _shaped_number_or_text(value: Any) -> dict[str, Any]:
    return {"type": 0, "intVal": value} if isinstance(value, int) else {"type": 1, "strVal": str(value)}


def _read_raw(name: str) -> Callable[[Any], Any]:
    def read(packed: Any) -> Any:
        raw = getattr(packed, name)
        return orjson.loads(raw) if raw else None

    return read


def _shaped_raw(name: str) -> Callable[[Any], dict[str, Any]]:
    return lambda value: {name: orjson.dumps(value)}


_READERS: Final[dict[str, Callable[[Any], Any]]] = {
    _TIME: _read_time,
    _INT_OR_STRING: _read_number_or_text,
    **{name: _read_raw(field) for name, field in _RAW.items()},
}
_SHAPERS: Final[dict[str, Callable[[Any], dict[str, Any]]]] = {
    _TIME: _shaped_time,
    _INT_OR_STRING: _shaped_number_or_text,
    **{name: _shaped_raw(field) for name, field in _RAW.items()},
}
