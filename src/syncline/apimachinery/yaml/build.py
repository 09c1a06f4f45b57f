"""Builds values from the parser's events, with a mark for every field.

Run by `syncline.apimachinery.yaml.reader` on one text; imported late, as the parser is slow to import.
Values are what Go's YAML reader and its step through JSON give, including its merge rule: a `<<` replaces fields
written before it. Of a key that is given twice the last one counts, as with Go, where the caller wants to be told of
it; else it is refused.
The loops of `_mapping` and `_sequence` are the hot path: they treat the commonest events in place, look scalars
up in tables that fill as the text repeats itself, and leave the rest to the methods below.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from yaml._yaml import CParser
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from syncline.apimachinery.yaml import scalars
from syncline.apimachinery.yaml.document import Document
from syncline.apimachinery.yaml.errors import YamlError
from syncline.apimachinery.yaml.limits import YamlLimits
from syncline.apimachinery.yaml.positions import COLUMN_BITS, Outline, Position

MERGE: Any = object()
"""Stands for an unquoted `<<` among the keys."""


_COLLECTION_AS_KEY = "a mapping or a list cannot be a key: quote it, or render it first if this is a template"


class _PlainValues(dict[str, Any]):
    """Plain scalars of one text and their values."""

    def __missing__(self, text: str) -> Any:
        value = self[text] = scalars.resolve_plain(text)
        return value


class _PlainKeys(dict[str, Any]):
    """Plain keys of one text and their strings."""

    def __missing__(self, text: str) -> Any:
        key = self[text] = MERGE if text == "<<" else scalars.key_text(scalars.typed(text))
        return key


class _Anchored(NamedTuple):
    value: Any
    event: Any
    start: int
    size: int


def parse_events(text: str) -> Iterator[Event]:
    """Give the parser's events for a text."""
    return iter(CParser(text).get_event, None)


class Builder:
    """Builds the documents of one text."""

    def __init__(self, text: str, *, source: str, limits: YamlLimits, repeated: list[YamlError] | None = None) -> None:
        self._events: Iterator[Any] = parse_events(text)
        self._source = source
        self._limits = limits
        self._repeated = repeated
        self._plain = _PlainValues()
        self._keys = _PlainKeys()
        self._nodes = 0
        self._expanded = 0
        self.outline = Outline()
        self._anchors: dict[str, _Anchored | None] = {}

    def documents(self) -> list[Document]:
        """Build every document that is not empty."""
        documents: list[Document] = []
        seen = 0
        for event in self._events:
            if event.__class__ is not DocumentStartEvent:
                continue
            seen += 1
            if seen > self._limits.max_documents:
                raise self._error(event, f"more than {self._limits.max_documents} documents: split the text")
            self.outline = Outline()
            self._anchors = {}
            root = next(self._events)
            value = self._node(root, 1)
            self._nodes += len(self.outline.marks)
            if value is not None:
                start = Position(root.start_mark.line + 1, root.start_mark.column + 1)
                documents.append(Document(value, index=len(documents), start=start, outline=self.outline))
        return documents

    def _mapping(self, depth: int) -> dict[str, Any]:
        events, keys, plain, marks = self._events, self._keys, self._plain, self.outline.marks
        start = len(marks)
        result: dict[str, Any] = {}
        event: Any = None
        try:
            for event in events:
                if event.__class__ is ScalarEvent and event.tag is None and event.anchor is None:
                    key = keys[event.value] if event.implicit[0] else event.value
                elif event.__class__ is MappingEndEvent:
                    break
                else:
                    key = self._key(event)
                if key is MERGE or key in result:
                    return self._irregular_mapping(result, event, start, depth)
                mark = event.start_mark
                marks.append(mark.line << COLUMN_BITS | mark.column)
                event = next(events)
                if event.__class__ is ScalarEvent and event.tag is None and event.anchor is None:
                    result[key] = plain[event.value] if event.implicit[0] else event.value
                else:
                    result[key] = self._node(event, depth + 1)
        except scalars.ScalarError as error:
            raise self._error(event, str(error)) from None
        return result

    def _sequence(self, depth: int) -> list[Any]:
        plain, marks = self._plain, self.outline.marks
        result: list[Any] = []
        event: Any = None
        try:
            for event in self._events:
                if event.__class__ is SequenceEndEvent:
                    break
                mark = event.start_mark
                marks.append(mark.line << COLUMN_BITS | mark.column)
                if event.__class__ is ScalarEvent and event.tag is None and event.anchor is None:
                    result.append(plain[event.value] if event.implicit[0] else event.value)
                else:
                    result.append(self._node(event, depth + 1))
        except scalars.ScalarError as error:
            raise self._error(event, str(error)) from None
        return result

    def _node(self, event: Any, depth: int) -> Any:
        if event.__class__ is AliasEvent:
            return self._alias(event)
        if event.anchor is None:
            return self._content(event, depth)
        # The anchor exists from here on, so that an alias inside its own value is found out.
        self._anchors[event.anchor] = None
        start, expanded = len(self.outline.marks), self._expanded
        value = self._content(event, depth)
        size = 1 + len(self.outline.marks) - start + self._expanded - expanded
        self._anchors[event.anchor] = _Anchored(value, event, start, size)
        return value

    def _content(self, event: Any, depth: int) -> Any:
        if event.__class__ is ScalarEvent:
            return self._scalar(event)
        if depth > self._limits.max_depth:
            raise self._error(event, f"nested deeper than {self._limits.max_depth} levels")
        self._check_size(event)
        value = self._mapping(depth) if event.__class__ is MappingStartEvent else self._sequence(depth)
        self._check_size(event)
        return value

    def _check_size(self, event: Any) -> None:
        if self._nodes + len(self.outline.marks) > self._limits.max_nodes:
            raise self._error(event, f"more than {self._limits.max_nodes} fields and items: split the text")

    def _scalar(self, event: Any) -> Any:
        try:
            return scalars.json_number(typed_scalar(event))
        except scalars.ScalarError as error:
            raise self._error(event, str(error)) from None

    def _alias(self, event: Any) -> Any:
        anchored = self._anchored(event)
        self._expanded += anchored.size
        if self._expanded > self._limits.max_alias_expansion:
            raise self._error(event, f"aliases expand to more than {self._limits.max_alias_expansion} fields and items")
        self.outline.aliases[len(self.outline.marks) - 1] = anchored.start
        return anchored.value

    def _anchored(self, event: Any) -> _Anchored:
        if event.anchor not in self._anchors:
            raise self._error(event, f"no anchor &{event.anchor} is defined before this alias")
        anchored = self._anchors[event.anchor]
        if anchored is None:
            raise self._error(event, f"the value of anchor &{event.anchor} contains itself")
        return anchored

    def _key(self, event: Any) -> Any:
        """Give the string of any key, or MERGE."""
        scalar = self._anchored(event).event if event.__class__ is AliasEvent else event
        if scalar.__class__ is not ScalarEvent:
            raise self._error(event, _COLLECTION_AS_KEY)
        if event is scalar and event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(self._scalar(event), event, 0, 1)
        if event is scalar and event.value == "<<" and (event.implicit[0] or _tag(event) == "merge"):
            return MERGE
        try:
            return scalars.key_text(typed_scalar(scalar))
        except scalars.ScalarError as error:
            raise self._error(event, str(error)) from None

    def _irregular_mapping(self, result: dict[str, Any], event: Any, start: int, depth: int) -> dict[str, Any]:
        """Build the rest of a mapping whose first `<<`, or first key that it has already, has just been met."""
        outline = self.outline
        layout = dict(outline.entries(result, start))
        written = set(result)
        while event.__class__ is not MappingEndEvent:
            key = self._key(event)
            if key in written:
                self._note_repeated(event, key, layout[key])
            entry = len(outline.marks)
            outline.marks.append(event.start_mark.line << COLUMN_BITS | event.start_mark.column)
            value_event = next(self._events)
            value = self._node(value_event, depth + 1)
            if key is MERGE:
                for merged, merged_start in self._merge_sources(value_event, value, entry):
                    result.update(merged)
                    layout.update(outline.entries(merged, merged_start))
            else:
                result[key] = value
                layout[key] = entry
                written.add(key)
            event = next(self._events)
        outline.layouts[start] = layout
        outline.ends[start] = len(outline.marks)
        return result

    def _merge_sources(self, event: Any, value: Any, entry: int) -> list[tuple[dict[str, Any], int]]:
        """List the mappings that a `<<` brings in, the one that wins last."""
        start = self.outline.children(entry)
        if value.__class__ is dict:
            return [(value, start)]
        wrong = self._error(event, "`<<` takes a mapping or a list of mappings")
        if event.__class__ is not SequenceStartEvent:
            raise wrong
        sources = []
        for index, item in self.outline.entries(value, start):
            merged = value[index]
            if merged.__class__ is not dict:
                raise wrong
            sources.append((merged, self.outline.children(item)))
        return sources[::-1]

    def _note_repeated(self, event: Any, key: str, entry: int) -> None:
        line = self.outline.position(entry).line
        error = self._error(event, f'key "{key}" is given twice: first on line {line}, again here')
        if self._repeated is None:
            raise error
        self._repeated.append(error)

    def _error(self, event: Any, message: str) -> YamlError:
        mark = event.start_mark
        return YamlError(message, source=self._source, line=mark.line + 1, column=mark.column + 1)


def _tag(event: Any) -> str:
    return str(event.tag or "").removeprefix(scalars.TAG_PREFIX)


def typed_scalar(event: Any) -> Any:
    """Type a scalar event as Go's YAML does, before the step through JSON."""
    if event.tag is not None:
        return scalars.resolve_tagged(event.tag, event.value)
    return scalars.typed(event.value) if event.implicit[0] else event.value
