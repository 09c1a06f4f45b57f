"""The messages as the protobuf runtime knows them, made of the table once, when the first call comes.

Used by `syncline.server.grpcweb.codec`. All are declared in the older syntax, which tells a zero from nothing; both
look the same on the wire.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto
from google.protobuf.message import Message as Packed

from syncline.server.grpcweb import table
from syncline.server.grpcweb.table import Field, Message

_FILE: Final = "syncline-argocd.proto"
_SCALARS: Final = {
    "string": FieldDescriptorProto.TYPE_STRING,
    "bytes": FieldDescriptorProto.TYPE_BYTES,
    "bool": FieldDescriptorProto.TYPE_BOOL,
    "int32": FieldDescriptorProto.TYPE_INT32,
    "int64": FieldDescriptorProto.TYPE_INT64,
}


class Schema:
    """Messages of a table, and a class of the runtime for each."""

    def __init__(self, messages: Mapping[str, Message]) -> None:
        self.messages = messages
        pool = descriptor_pool.DescriptorPool()
        pool.Add(_file(messages.values()))
        self._classes = {
            name: message_factory.GetMessageClass(pool.FindMessageTypeByName(_flat(name))) for name in messages
        }

    def packed(self, name: str) -> type[Packed]:
        """Return the class of a message."""
        return self._classes[name]


@functools.cache
def shipped() -> Schema:
    """Return the messages that are served."""
    return Schema(table.read(resources.files("syncline.server.grpcweb").joinpath("messages.txt").read_text("utf-8")))


def _flat(name: str) -> str:
    """Return the name that the runtime gets: all messages are in one file, so packages become part of it."""
    return name.replace(".", "_")


def _file(messages: Iterable[Message]) -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name=_FILE, syntax="proto2")
    for message in messages:
        made = file.message_type.add(name=_flat(message.name))
        for field in message.fields:
            _add(made, field)
    return file


def _add(message: DescriptorProto, field: Field) -> None:
    label = FieldDescriptorProto.LABEL_OPTIONAL
    if field.required:
        label = FieldDescriptorProto.LABEL_REQUIRED
    if field.repeated or field.mapped:
        label = FieldDescriptorProto.LABEL_REPEATED
    made = message.field.add(name=field.name, number=field.number, label=label)
    if field.mapped:
        entry = message.nested_type.add(name=f"{field.name[0].upper()}{field.name[1:]}Entry")
        entry.options.map_entry = True
        optional = FieldDescriptorProto.LABEL_OPTIONAL
        entry.field.add(name="key", number=1, label=optional, type=FieldDescriptorProto.TYPE_STRING)
        _set_type(entry.field.add(name="value", number=2, label=optional), field.kind)
        made.type, made.type_name = FieldDescriptorProto.TYPE_MESSAGE, f".{message.name}.{entry.name}"
    else:
        _set_type(made, field.kind)


def _set_type(made: FieldDescriptorProto, kind: str) -> None:
    if kind in _SCALARS:
        made.type = _SCALARS[kind]
    else:
        made.type, made.type_name = FieldDescriptorProto.TYPE_MESSAGE, f".{_flat(kind)}"
