"""Cuts and pastes the text of one field.

Used by `syncline.apimachinery.yaml.edit`, which proves every result; the rules here may therefore leave out the
rarest ways of writing YAML. New text takes the column of its siblings, the quotes of the string it replaces, the
line ends of the file, and flow style inside braces and brackets.
"""

from __future__ import annotations

import re
from typing import Any

from syncline.apimachinery.yaml import source as texts
from syncline.apimachinery.yaml import spans, writer
from syncline.apimachinery.yaml.errors import YamlError
from syncline.apimachinery.yaml.positions import Path
from syncline.apimachinery.yaml.spans import Span, SpanEntry


class Splicer:
    """Edits one document of a text; every method gives the whole new text."""

    def __init__(self, text: str, document_index: int) -> None:
        self._text = text
        self._root = spans.document(text, document_index)
        self._list_offset = _list_offset(self._root) or 0

    def set(self, path: Path, value: Any) -> str:
        """Replace a value, or add it where the path ends."""
        parent, entry, rest = self._locate(path)
        if entry is not None and (not rest or entry.value.is_null or _is_empty(entry.value)):
            return self._replace(parent, entry, _wrap(rest, value))
        node = parent if entry is None else entry.value
        if node.kind == "sequence":
            return self._add_item(node, len(node.entries), _wrap(rest[1:], value))
        return self._add_field(node, rest[0], _wrap(rest[1:], value))

    def insert_item(self, path: Path, value: Any) -> str:
        """Add a list item before the index that ends the path."""
        parent, entry, rest = self._locate(path[:-1]) if len(path) > 1 else (self._root, None, ())
        node = parent if entry is None else entry.value
        index = path[-1]
        if rest or node.kind != "sequence" or not node.entries or not isinstance(index, int):
            return self.set(path, value)
        return self._add_item(node, index, value)

    def delete(self, path: Path) -> str:
        """Remove a field or item with its lines."""
        parent, entry, rest = self._locate(path)
        if entry is None or rest:
            place = parent if entry is None else entry.value
            raise self._refusal("the field is merged from elsewhere", place.start)
        self._refuse_anchors(entry)
        if len(parent.entries) == 1:
            return self._empty(path, parent)
        if parent.flow:
            return self._delete_flow(parent, entry)
        begin = self._begin(parent, entry)
        line = self._line_start(begin)
        if self._text[line:begin].strip(" "):
            following = parent.entries[parent.entries.index(entry) + 1 :]
            return self._put(begin, self._begin(parent, following[0]) if following else entry.value.end, "")
        end = self._line_end(entry.value.end)
        return self._put(line, min(len(self._text), end + len(self._newline())), "")

    def _locate(self, path: Path) -> tuple[Span, SpanEntry | None, Path]:
        """Follow a path: the last collection passed, the last entry reached in it, and the steps left over."""
        parent, node = self._root, self._root
        entry: SpanEntry | None = None
        for taken, step in enumerate(path):
            if node.kind == "alias":
                raise self._refusal(f"the value comes from anchor &{node.anchor}", node.start)
            found = node.entry(step)
            if found is None:
                return parent, entry, path[taken:]
            parent, entry, node = node, found, found.value
        return parent, entry, ()

    def _replace(self, parent: Span, entry: SpanEntry, value: Any) -> str:
        old = entry.value
        self._refuse_anchors(entry)
        if parent.flow:
            return self._put(old.start, old.end, self._gap(old.start) + writer.dump_flow(value))
        block = isinstance(value, dict | list) and bool(value)
        if parent.kind == "sequence":
            return self._put(old.start, old.end, self._gap(old.start) + self._item(value, parent, old))
        colon = self._after_colon(entry)
        comment = self._comment(colon, old.start)
        if block:
            tail = self._text[old.end : self._line_end(old.end)] if not comment and not _is_block(old) else ""
            body = self._indent(writer.dump(value), _column(parent) + self._offset(value))
            return self._put(colon, old.end + len(tail), f"{comment or tail.rstrip()}\n{body}")
        written = " " + self._inline(value, old, _column(parent) + 2)
        if comment or _is_block(old):
            return self._put(colon, old.end, written + comment)
        first, newline, body = written.partition("\n")
        line_end = self._line_end(old.end)
        return self._put(colon, line_end, first + self._text[old.end : line_end] + newline + body)

    def _item(self, value: Any, parent: Span, old: Span) -> str:
        indent = parent.column + 2
        if isinstance(value, dict | list) and value:
            return self._indent(writer.dump(value), indent).lstrip(" ")
        return self._inline(value, old, indent)

    def _inline(self, value: Any, old: Span | None, indent: int) -> str:
        if isinstance(value, str):
            style = old.style if old is not None and old.kind == "scalar" else ""
            return writer.dump_string(value, style=style, indent=" " * indent)
        return writer.dump(value).rstrip("\n")

    def _add_field(self, node: Span, name: Any, value: Any) -> str:
        if node.kind != "mapping" or not isinstance(name, str):
            raise self._refusal("the path does not exist here", node.start)
        if node.flow:
            field = writer.dump_flow({name: value})[1:-1]
            return self._add_flow(node, len(node.entries), field)
        written = writer.dump({name: value})
        if isinstance(value, list) and value:
            key, _, items = written.partition("\n")
            written = f"{key}\n{self._indent(items, self._list_offset)}"
        end = self._line_end(node.end)
        return self._put(end, end, "\n" + self._indent(written, _column(node)))

    def _add_item(self, node: Span, index: int, value: Any) -> str:
        if node.flow:
            return self._add_flow(node, index, writer.dump_flow(value))
        item = self._indent(writer.dump([value]), node.column)
        if index == len(node.entries):
            end = self._line_end(node.end)
            return self._put(end, end, "\n" + item)
        begin = self._begin(node, node.entries[index])
        return self._put(begin, begin, item.lstrip(" ") + "\n" + " " * node.column)

    def _add_flow(self, node: Span, index: int, written: str) -> str:
        if not node.entries:
            return self._put(node.start, node.end, self._text[node.start] + written + self._text[node.end - 1])
        if index == len(node.entries):
            end = node.entries[-1].value.end
            return self._put(end, end, ", " + written)
        begin = node.entries[index].value.start
        return self._put(begin, begin, written + ", ")

    def _delete_flow(self, parent: Span, entry: SpanEntry) -> str:
        position = parent.entries.index(entry)
        if position + 1 < len(parent.entries):
            return self._put(_first(entry).start, _first(parent.entries[position + 1]).start, "")
        return self._put(parent.entries[position - 1].value.end, entry.value.end, "")

    def _empty(self, path: Path, parent: Span) -> str:
        empty: Any = {} if parent.kind == "mapping" else []
        if len(path) == 1:
            return self._put(parent.start, parent.end, str(empty))
        return self.set(path[:-1], empty)

    def _begin(self, parent: Span, entry: SpanEntry) -> int:
        """Give the offset of a key, or of the dash before an item."""
        if entry.key is not None:
            return entry.key.start
        index = parent.entries.index(entry)
        if index == 0:
            return parent.start
        previous = parent.entries[index - 1].value.end
        dashes = re.finditer(rf"\n {{{parent.column}}}-(?=\s)", self._text[previous : entry.value.start + 1])
        return previous + max(dash.end() for dash in dashes) - 1

    def _after_colon(self, entry: SpanEntry) -> int:
        key_end = entry.key.end if entry.key is not None else entry.value.start
        return self._text.index(":", key_end) + 1

    def _comment(self, begin: int, end: int) -> str:
        """Give the comment between a colon and a value on a later line, with the blanks before it."""
        line = self._text[begin : min(self._line_end(begin), end)]
        return line.rstrip() if line.lstrip(" ").startswith("#") else ""

    def _offset(self, value: Any) -> int:
        return self._list_offset if isinstance(value, list) else 2

    def _gap(self, start: int) -> str:
        return " " if self._text[start - 1] in ":-," else ""

    def _indent(self, written: str, columns: int) -> str:
        lines = written.removesuffix("\n").split("\n")
        return "\n".join(" " * columns + line if line else line for line in lines)

    def _line_start(self, offset: int) -> int:
        return self._text.rfind("\n", 0, offset) + 1

    def _line_end(self, offset: int) -> int:
        end = self._text.find(self._newline(), offset)
        return len(self._text) if end < 0 else end

    def _newline(self) -> str:
        return "\r\n" if "\r\n" in self._text else "\n"

    def _put(self, start: int, end: int, written: str) -> str:
        return self._text[:start] + written.replace("\n", self._newline()) + self._text[end:]

    def _refuse_anchors(self, entry: SpanEntry) -> None:
        for part in (entry.key, entry.value):
            for anchor in part.anchors() if part is not None else ():
                raise self._refusal(f"anchor &{anchor} is defined here and may be used elsewhere", entry.value.start)

    def _refusal(self, message: str, offset: int) -> YamlError:
        return texts.at_offset(f"{message}: change it by hand", self._text, offset, "<input>")


def _first(entry: SpanEntry) -> Span:
    return entry.value if entry.key is None else entry.key


def _column(mapping: Span) -> int:
    key = mapping.entries[0].key if mapping.entries else None
    return mapping.column if key is None else key.column


def _is_block(span: Span) -> bool:
    return span.kind in ("mapping", "sequence") and not span.flow


def _is_empty(span: Span) -> bool:
    return span.kind in ("mapping", "sequence") and not span.entries


def _wrap(path: Path, value: Any) -> Any:
    for step in reversed(path):
        value = {step: value} if isinstance(step, str) else [value]
    return value


def _list_offset(node: Span) -> int | None:
    """Find how far the document indents lists below their fields."""
    for entry in node.entries:
        if node.kind == "mapping" and entry.value.kind == "sequence" and _is_block(entry.value):
            return entry.value.column - _column(node)
        found = _list_offset(entry.value)
        if found is not None:
            return found
    return None
