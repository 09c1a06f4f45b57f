"""Applies JSON Patches (RFC 6902) the way kube-apiserver does, with the error texts of the library it uses.

Handed a document and a decoded patch by the sandbox; the changed document goes back.
Departures from the RFC that clients rely on: `replace` of an absent object member adds it, a negative index
counts from the end, an operation without value writes null, null and absent are the same to `test`, and the
text of a path before its first slash is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from syncline.apimachinery import encoding
from syncline.apimachinery.patch import errors

MAX_OPERATIONS: Final = 10_000
"""kube-apiserver refuses longer patches (HTTP 413)."""

MAX_COPIED_BYTES: Final = 3 * 1024 * 1024
"""What all `copy` operations of one patch may add, so that copies of copies cannot fill the memory."""

_Path = tuple[list[str], str]
_ESCAPE = re.compile("~[01]")
_INDEX = re.compile(r"[+-]?[0-9]+", re.ASCII)


def apply(doc: Any, patch: Any) -> Any:
    """Return the document after all operations; one that fails fails the whole patch."""
    copied = 0
    for operation in _operations(patch):
        kind = operation.get("op")
        run = _OPERATIONS.get(kind) if isinstance(kind, str) else None
        if run is None:
            raise errors.does_not_apply(f"Unexpected kind: {kind if isinstance(kind, str) else 'unknown'}")
        changed = run(doc, operation)
        if kind == "copy":
            copied += _copied_bytes(doc, operation["from"])
            if copied > MAX_COPIED_BYTES:
                raise errors.does_not_apply(
                    f"Unable to complete the copy, the accumulated size increase of copy is {copied}, "
                    f"exceeding the limit {MAX_COPIED_BYTES}"
                )
        doc = changed
    return doc


def _copied_bytes(doc: Any, source: str) -> int:
    value = _get(*_find(doc, source, ""), "")
    return 0 if value is None else len(encoding.encode(value))


def _operations(patch: Any) -> list[Mapping[str, Any]]:
    if patch is None:
        return []
    if not isinstance(patch, list):
        raise errors.undecodable(patch, "[]handlers.jsonPatchOp")
    for operation in patch:
        if not isinstance(operation, dict):
            raise errors.undecodable(operation, "handlers.jsonPatchOp")
    if len(patch) > MAX_OPERATIONS:
        limit = f"The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {len(patch)}"
        raise errors.PatchError(f"Request entity too large: {limit}", status=413)
    return patch


def _add(doc: Any, operation: Mapping[str, Any]) -> Any:
    path = operation.get("path")
    if not isinstance(path, str):
        raise errors.does_not_apply("add operation failed to decode path: missing value")
    missing = f'add operation does not apply: doc is missing path: "{path}": missing value'
    return _change(doc, path, missing, lambda at, key: _insert(at, key, operation.get("value"), _in_path("add", path)))


def _remove(doc: Any, operation: Mapping[str, Any]) -> Any:
    path = operation.get("path")
    if not isinstance(path, str):
        raise errors.does_not_apply("remove operation failed to decode path: missing value")
    missing = f'remove operation does not apply: doc is missing path: "{path}": missing value'
    return _change(doc, path, missing, lambda at, key: _delete(at, key, _in_path("remove", path)))


def _replace(doc: Any, operation: Mapping[str, Any]) -> Any:
    path = operation.get("path")
    value = operation.get("value")
    if not isinstance(path, str):
        raise errors.does_not_apply(
            "replace operation failed to decode path: operation missing path field: missing value"
        )
    if path == "":
        if not isinstance(value, dict | list):
            raise errors.does_not_apply("replace operation value must be object or array: %!w(<nil>)")
        return value

    def put(at: Any, key: str) -> Any:
        if isinstance(at, dict):
            return {**at, key: value}
        try:
            index = _position(key, len(at), "")
        except errors.PatchError:
            raise errors.does_not_apply(
                f"replace operation does not apply: doc is missing key: {path}: missing value"
            ) from None
        return [*at[:index], value, *at[index + 1 :]]

    return _change(doc, path, f"replace operation does not apply: doc is missing path: {path}: missing value", put)


def _source(doc: Any, operation: Mapping[str, Any], verb: str) -> tuple[str, Any, Any]:
    """Return where an operation takes its value from: the path, the container there and the key in it."""
    source = operation.get("from")
    if not isinstance(source, str):
        raise errors.does_not_apply(
            f"{verb} operation failed to decode from: operation, missing from field: missing value"
        )
    missing = f"{verb} operation does not apply: doc is missing from path: {source}: missing value"
    return source, *_find(doc, source, missing)


def _move(doc: Any, operation: Mapping[str, Any]) -> Any:
    source, container, key = _source(doc, operation, "move")
    where = _in_path("move", key)
    value = _get(container, key, where)
    doc = _change(doc, source, "", lambda at, last: _delete(at, last, where))
    path = operation.get("path")
    if not isinstance(path, str):
        raise errors.does_not_apply("move operation failed to decode path: operation missing path field: missing value")
    missing = f"move operation does not apply: doc is missing destination path: {path}: missing value"
    return _change(doc, path, missing, lambda at, last: _insert(at, last, value, _in_path("move", path)))


def _copy(doc: Any, operation: Mapping[str, Any]) -> Any:
    source, container, key = _source(doc, operation, "copy")
    value = _get(container, key, f"error in copy for from: '{source}': ")
    path = operation.get("path")
    if not isinstance(path, str):
        raise errors.does_not_apply("copy operation failed to decode path: missing value")
    missing = f"copy operation does not apply: doc is missing destination path: {path}: missing value"
    return _change(
        doc,
        path,
        missing,
        lambda at, last: _insert(at, last, value, "error while adding value during copy: "),
    )


def _test(doc: Any, operation: Mapping[str, Any]) -> Any:
    path = operation.get("path")
    if not isinstance(path, str):
        raise errors.does_not_apply("test operation failed to decode path: operation missing path field: missing value")
    value = operation.get("value")
    if path == "":
        found = doc
    else:
        container, key = _find(doc, path, f"test operation does not apply: is missing path: {path}: missing value")
        found = _get(container, key, _in_path("test", path))
    if not _identical(found, value):
        raise errors.does_not_apply(f"testing value {path} failed: test failed")
    return doc


_OPERATIONS: Final[Mapping[str, Callable[[Any, Mapping[str, Any]], Any]]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}


def _in_path(operation: str, path: str) -> str:
    return f"error in {operation} for path: '{path}': "


def _split(path: str) -> _Path | None:
    parts = [_unescape(part) for part in path.split("/")]
    return (parts[1:-1], parts[-1]) if len(parts) > 1 else None


def _unescape(part: str) -> str:
    return _ESCAPE.sub(lambda found: "/" if found[0] == "~1" else "~", part) if "~" in part else part


def _find(doc: Any, path: str, missing: str) -> tuple[Any, str]:
    split = _split(path)
    if split is None:
        raise errors.does_not_apply(missing)
    parents, key = split
    for part in parents:
        doc = _step(doc, part, missing)
    return doc, key


def _step(container: Any, part: str, missing: str) -> Any:
    try:
        found = _get(container, part, "")
    except errors.PatchError:
        found = None
    if not isinstance(found, dict | list):
        raise errors.does_not_apply(missing)
    return found


def _change(doc: Any, path: str, missing: str, change: Callable[[Any, str], Any]) -> Any:
    """Return the document with `change` made to the container that holds the path's last part."""
    split = _split(path)
    if split is None:
        raise errors.does_not_apply(missing)
    parents, key = split
    return _change_below(doc, parents, missing, lambda at: change(at, key))


def _change_below(container: Any, parents: list[str], missing: str, change: Callable[[Any], Any]) -> Any:
    if not parents:
        return change(container)
    part, *rest = parents
    changed = _change_below(_step(container, part, missing), rest, missing, change)
    if isinstance(container, dict):
        return {**container, part: changed}
    index = _position(part, len(container), "")
    return [*container[:index], changed, *container[index + 1 :]]


def _get(container: Any, key: str, where: str) -> Any:
    if isinstance(container, dict):
        return container.get(key)
    return container[_position(key, len(container), where)]


def _insert(container: Any, key: str, value: Any, where: str) -> Any:
    if isinstance(container, dict):
        return {**container, key: value}
    if key == "-":
        return [*container, value]
    try:
        index = _position(key, len(container) + 1, where)
    except _NotANumber as error:
        raise errors.does_not_apply(f"{where}value was not a proper array index: '{key}': {error.problem}") from None
    return [*container[:index], value, *container[index:]]


def _delete(container: Any, key: str, where: str) -> Any:
    if isinstance(container, dict):
        if key not in container:
            raise errors.does_not_apply(f"{where}Unable to remove nonexistent key: {key}: missing value")
        return {name: value for name, value in container.items() if name != key}
    index = _position(key, len(container), where)
    return [*container[:index], *container[index + 1 :]]


class _NotANumber(errors.PatchError):
    """A list index that is not a number."""

    def __init__(self, where: str, key: str) -> None:
        self.problem = f'strconv.Atoi: parsing "{key}": invalid syntax'
        super().__init__(where + self.problem, status=422)


def _position(key: str, length: int, where: str) -> int:
    if not _INDEX.fullmatch(key):
        raise _NotANumber(where, key)
    index = int(key)
    if not -length <= index < length:
        raise errors.does_not_apply(f"{where}Unable to access invalid index: {index}: invalid index referenced")
    return index + length if index < 0 else index


def _identical(left: Any, right: Any) -> bool:
    """Compare as the texts of two JSON documents are: 1 and 1.0 differ."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(_identical(value, right[key]) for key, value in left.items())
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_identical, left, right))
    return bool(left == right)
