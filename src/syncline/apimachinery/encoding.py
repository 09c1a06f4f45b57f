"""JSON bytes of plain values, and the mark of an absent one: msgspec's, imported when first asked for.

Used by the other modules of this package as `encoding.encode(value)`. Importing msgspec takes longer than importing all
of this package, and much of the package never needs it; after the first use a name here is msgspec's own, at no
further cost. So call it through the module: a name imported from here is looked up, and msgspec imported, at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from msgspec import UNSET as MISSING
    from msgspec import DecodeError
    from msgspec.json import decode, encode

__all__ = ["MISSING", "DecodeError", "decode", "encode"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(name)
    import msgspec

    found = {
        "MISSING": msgspec.UNSET,
        "DecodeError": msgspec.DecodeError,
        "decode": msgspec.json.decode,
        "encode": msgspec.json.encode,
    }
    globals().update(found)
    return found[name]
