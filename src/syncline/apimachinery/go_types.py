"""Names the types of decoded JSON values as Go does, for error texts that are the API server's.

Used by `syncline.apimachinery.patch` and `syncline.apimachinery.merge`, which refuse values in Go's words.
"""

from __future__ import annotations

from typing import Any


def go_type(value: Any) -> str:
    """Return the name Go gives the type of a decoded JSON value."""
    if isinstance(value, dict):
        return "map[string]interface {}"
    if isinstance(value, list):
        return "[]interface {}"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int64"
    if isinstance(value, float):
        return "float64"
    return "string" if isinstance(value, str) else "%!s(<nil>)"
