"""Which ApplicationSet a person means by `name` or `namespace/name`. Used by the commands beside this file."""

from __future__ import annotations

from syncline.cli.options import Chosen
from syncline.controller.appsets.keys import AppSetKey


def set_key(chosen: Chosen, text: str, own: str = "") -> AppSetKey:
    """Return the key; without a namespace that of the control plane is meant, which may tell its `own`."""
    first, slash, rest = text.partition("/")
    otherwise = chosen.namespace if chosen.named or not own else own
    return AppSetKey(first, rest) if slash else AppSetKey(otherwise, text)
