"""One action as a table row: its name, what it does, and when it is offered or greyed out.

Rows are listed by the modules beside this one and read by `syncline.core.actions.builtin`.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from syncline.apimachinery.keys import Object
from syncline.core.actions.edits import Run, Test, is_not, is_set, sets


def always(_obj: Object) -> bool:
    """Whether anything holds: it does."""
    return True


class Offer(msgspec.Struct, frozen=True):
    """An action of a kind. Not `offered` hides it, not `usable` shows it disabled; its display name may tell what
    it would do with an object as that is now.
    """

    name: str
    run: Run
    usable: Test = always
    offered: Test = always
    parameters: tuple[str, ...] = ()
    display_name: str | Callable[[Object], str] = ""


def switch(on: str, off: str, *path: str) -> tuple[Offer, Offer]:
    """Return two actions that set and clear a true-or-false field, each usable only when it changes something."""
    is_on = is_set(*path)
    return (
        Offer(on, sets(*path, to=True), usable=is_not(is_on)),
        Offer(off, sets(*path, to=False), usable=is_on),
    )
