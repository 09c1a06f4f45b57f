"""Maps one document of a text to the character offsets of its nodes.

Built for `syncline.apimachinery.yaml.edit`, from a text that has already been read without error. The parser ends
a block collection where the next thing begins, far below trailing comments; here it ends with its last child.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
)

from syncline.apimachinery.yaml import build, scalars


@dataclass(slots=True)
class Span:
    """A node's place: `kind` is scalar, mapping, sequence or alias; `style` is a scalar's quote or `|` or `>`."""

    kind: str
    start: int
    end: int
    column: int
    flow: bool = False
    style: str = ""
    anchor: str | None = None
    is_null: bool = False
    entries: list[SpanEntry] = field(default_factory=list)

    def entry(self, name: str | int) -> SpanEntry | None:
        """Find a field by name or an item by index; an alias has none of its own."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def anchors(self) -> Iterator[str]:
        """Name the anchors set on the node and below it."""
        if self.anchor is not None and self.kind != "alias":
            yield self.anchor
        for entry in self.entries:
            for part in (entry.key, entry.value):
                if part is not None:
                    yield from part.anchors()


@dataclass(slots=True)
class SpanEntry:
    """A field or list item; items have no key."""

    name: str | int | None
    key: Span | None
    value: Span


def document(text: str, index: int) -> Span:
    """Give the root of a document, counted as `syncline.apimachinery.yaml.reader` counts."""
    events = build.parse_events(text)
    found = -1
    for event in events:
        if event.__class__ is DocumentStartEvent:
            root = _node(text, next(events), events)
            found += not root.is_null
            if found == index:
                return root
    raise IndexError(index)


def _node(text: str, event: Any, events: Iterator[Any]) -> Span:
    start, end, column = event.start_mark.index, event.end_mark.index, event.start_mark.column
    if isinstance(event, AliasEvent):
        return Span("alias", start, end, column, anchor=event.anchor)
    if isinstance(event, ScalarEvent):
        if event.style in ("|", ">"):
            end = start + len(_block_scalar(text[start:end]))
        null = event.implicit[0] and build.typed_scalar(event) is None
        return Span("scalar", start, end, column, style=event.style or "", anchor=event.anchor, is_null=null)
    kind = "mapping" if isinstance(event, MappingStartEvent) else "sequence"
    span = Span(kind, start, end, column, flow=bool(event.flow_style), anchor=event.anchor)
    closed = _fill(text, span, events)
    span.end = closed if span.flow else span.entries[-1].value.end
    return span


def _block_scalar(written: str) -> str:
    """Drop the line ends after a block scalar, but not those that its `+` makes part of the value."""
    header = written.partition("\n")[0].partition("#")[0]
    return written.removesuffix("\n").removesuffix("\r") if "+" in header else written.rstrip()


def _fill(text: str, span: Span, events: Iterator[Any]) -> int:
    """Read the children of a collection and tell where the parser closes it."""
    event = next(events)
    while not isinstance(event, MappingEndEvent | SequenceEndEvent):
        if span.kind == "sequence":
            span.entries.append(SpanEntry(len(span.entries), None, _node(text, event, events)))
        else:
            key = _node(text, event, events)
            name = _name(event) if event.__class__ is ScalarEvent else None
            span.entries.append(SpanEntry(name, key, _node(text, next(events), events)))
        event = next(events)
    closing: Any = event.end_mark
    return int(closing.index)


def _name(event: Any) -> str | None:
    if event.value == "<<" and event.implicit[0]:
        return None
    return scalars.key_text(build.typed_scalar(event))
