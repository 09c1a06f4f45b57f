"""Changes one field of a YAML text and leaves every other character alone.

Called by whoever edits files for a user: comments, order, quotes and indentation survive. Each edit is proven
before it is handed back: the new text is read again and has to differ in that one field only, else the edit is
refused. Fields that come from an alias are refused too, as they belong to the anchor.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.yaml import reader, writer
from syncline.apimachinery.yaml import source as texts
from syncline.apimachinery.yaml.errors import YamlError
from syncline.apimachinery.yaml.limits import DEFAULT
from syncline.apimachinery.yaml.positions import Path


def set_value(text: str, document_index: int, path: Path, value: Any) -> str:
    """Give a field or item a value; missing parents and the field itself are added."""
    return _edit(text, document_index, path, "set", value)


def insert(text: str, document_index: int, path: Path, value: Any) -> str:
    """Add an item before the index that ends the path (or at the end), or a field that is not there yet."""
    return _edit(text, document_index, path, "insert", value)


def delete(text: str, document_index: int, path: Path) -> str:
    """Remove a field or item; a collection that becomes empty stays as `{}` or `[]`."""
    return _edit(text, document_index, path, "delete", None)


def _edit(text: str, index: int, path: Path, action: str, value: Any) -> str:
    from syncline.apimachinery.yaml.splice import Splicer

    plain = texts.decode(text, source="<input>", limits=DEFAULT)
    before = reader.build_documents(plain, source="<input>", limits=DEFAULT)
    if not path:
        raise YamlError("an edit needs the path of a field")
    if not 0 <= index < len(before):
        raise YamlError(f"the text has no document {index}: it has {len(before)}")
    wanted = [document.value for document in before]
    place = before[index].position_or_parent(path)
    try:
        wanted[index] = _expected(wanted[index], path, action, value)
    except LookupError as error:
        raise YamlError(str(error.args[0]), line=place.line, column=place.column) from None
    splicer = Splicer(plain, index)
    if action == "delete":
        edited = splicer.delete(path)
    elif action == "insert" and isinstance(path[-1], int):
        edited = splicer.insert_item(path, value)
    else:
        edited = splicer.set(path, value)
    if not _reads_as(edited, wanted):
        raise YamlError(
            "this field cannot be edited safely as it is written: change it by hand",
            line=place.line,
            column=place.column,
        )
    return text[: len(text) - len(plain)] + edited


def _reads_as(text: str, wanted: list[Any]) -> bool:
    try:
        found = reader.build_documents(text, source="<input>", limits=DEFAULT)
    except YamlError:
        return False
    # Compared as text, because Python holds True, 1 and 1.0 for equal.
    return writer.dump_all(document.value for document in found) == writer.dump_all(wanted)


def _expected(value: Any, path: Path, action: str, new: Any) -> Any:
    """Apply the edit to the value alone, without touching the original."""
    step: Any = path[0]
    rest = path[1:]
    changed = _copy(value, step)
    known = step in changed if isinstance(changed, dict) else step < len(changed)
    if action == "delete" and not known:
        raise LookupError("there is nothing to delete")
    if rest:
        new = _expected(changed[step] if known else None, rest, action, new)
        action = "set"
    if action == "delete":
        del changed[step]
    elif action == "insert" and known and isinstance(step, str):
        raise LookupError(f'the field "{step}" already exists')
    elif isinstance(changed, list) and (action == "insert" or not known):
        changed.insert(step, new)
    else:
        changed[step] = new
    return changed


def _copy(value: Any, step: str | int) -> Any:
    """Copy a collection that can take the step; nothing at all can become either kind."""
    if isinstance(step, str) and (value is None or isinstance(value, dict)):
        return dict(value or {})
    if isinstance(step, int) and (value is None or isinstance(value, list)) and 0 <= step <= len(value or []):
        return list(value or [])
    raise LookupError("the path does not exist here")
