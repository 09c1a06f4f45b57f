"""Refuses values schemas that would have helm read a file of this machine or ask a server.

Called by `syncline.adapters.render.helm.chart` before helm runs: helm follows every `$ref` of a
`values.schema.json`, and prints what it finds there in its errors. Packed subcharts are looked into as well. What
cannot be read here is refused too, since helm might read it.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Iterator
from typing import Any

import orjson

from syncline.adapters.render.workspace import Workspace
from syncline.model.errors import Place, RenderError

_NAME = "values.schema.json"
_PACKED = ".tgz"
_ADDRESSES = ("$ref", "$id", "id", "$recursiveRef", "$dynamicRef")
_REFERENCES = ("$ref", "$recursiveRef", "$dynamicRef")
_MAX_BYTES = 100_000_000
_MAX_NESTED = 4


def check(space: Workspace) -> None:
    """Look at every schema of the chart and its subcharts."""
    for path in sorted(space.written):
        if path.endswith((f"/{_NAME}", _PACKED)) or path == _NAME:
            _check_file(path, space.read(path), 0)


def _check_file(path: str, content: bytes, nested: int) -> None:
    if not path.endswith(_PACKED):
        _check_schema(path, content)
        return
    if nested > _MAX_NESTED:
        raise RenderError("this packed chart nests charts too deeply", place=Place(path))
    for name, member in _members(path, content):
        _check_file(f"{path}/{name}", member, nested + 1)


def _members(path: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the schemas and packed charts in an archive, reading no more than helm would."""
    left = _MAX_BYTES
    try:
        with gzip.open(io.BytesIO(content)) as plain, tarfile.open(fileobj=plain, mode="r|") as archive:
            for member in archive:
                left -= member.size
                if left < 0:
                    raise RenderError(
                        f"this packed chart contains more than {_MAX_BYTES // 1_000_000}M", place=Place(path)
                    )
                file = archive.extractfile(member) if member.isreg() else None
                if file is not None and member.name.endswith((_NAME, _PACKED)):
                    yield member.name, file.read()
    except (OSError, EOFError, tarfile.TarError, ValueError):
        raise RenderError("this packed chart cannot be read", place=Place(path)) from None


def _check_schema(path: str, content: bytes) -> None:
    try:
        pending: list[Any] = [orjson.loads(content.removeprefix(b"\xef\xbb\xbf"))]
    except orjson.JSONDecodeError:
        raise RenderError("this schema is not JSON", place=Place(path)) from None
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            for field in _ADDRESSES:
                if isinstance(value.get(field), str):
                    _check_address(path, field, value[field])
            pending += value.values()
        elif isinstance(value, list):
            pending += value


def _check_address(path: str, field: str, address: str) -> None:
    if address.strip().lower().startswith("file:"):
        raise RenderError("this schema refers to a file outside the chart", place=Place(path))
    if field in _REFERENCES and not address.startswith("#"):
        hint = "write it into the schema, or set helm.skipSchemaValidation"
        raise RenderError(
            f"this schema refers to {address[:200]!r}, which is not fetched", place=Place(path), hint=hint
        )
