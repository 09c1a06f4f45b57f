"""The table of messages: numbers, types and JSON names of their fields, read from messages.txt.

Used by `syncline.server.grpcweb.schema`. The file has the messages of the methods that are served and no others; it is
written by `python -m tests.argocd.descriptors`, and `make test-argocd-short` compares it with Argo CD's compiled .proto
files.
"""

from __future__ import annotations

from typing import Final

import msgspec


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One field: its type is a word for a scalar, or the name of a message; an inlined one has no JSON name."""

    number: int
    name: str
    kind: str
    repeated: bool = False
    mapped: bool = False
    required: bool = False
    pointer: bool = False
    json: str

    @property
    def is_message(self) -> bool:
        """Whether its values are messages."""
        return "." in self.kind


class Message:
    """One message: `package.Name`, and its fields; those that JSON names, and those to think of without a name."""

    __slots__ = ("by_json", "fields", "name", "unnamed")

    def __init__(self, name: str, fields: tuple[Field, ...]) -> None:
        self.name = name
        self.fields = fields
        self.by_json = {field.json: field for field in fields if field.json}
        self.unnamed = tuple(field for field in fields if field.required or not field.json)


FLAGS: Final = {"repeated": "repeated", "map": "mapped", "required": "required", "pointer": "pointer"}


def read(text: str) -> dict[str, Message]:
    """Return the messages of a table by their names."""
    found: dict[str, list[Field]] = {}
    fields: list[Field] = []
    for line in text.splitlines():
        if line.startswith("  "):
            fields.append(_field(line.split()))
        elif line and not line.startswith("#"):
            fields = found.setdefault(line, [])
    return {name: Message(name, tuple(fields)) for name, fields in found.items()}


def _field(words: list[str]) -> Field:
    number, name, *rest = words
    flags = {FLAGS[word]: True for word in rest if word in FLAGS}
    kind, *renamed = [word for word in rest if word not in FLAGS]
    json = "" if renamed == ["inline"] else renamed[0] if renamed else name
    return Field(number=int(number), name=name, kind=kind, json=json, **flags)
