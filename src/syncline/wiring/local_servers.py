"""Says which servers of this machine may be asked on behalf of what repositories and Applications say.

None, unless the person at the keyboard names them: with `--allow-local HOST:PORT`, or for all commands with the
environment variable. Whoever runs for others (the controller, the server) asks none but those of repository Secrets.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from syncline.net.urls import Reach

ALLOW_LOCAL = "SYNCLINE_ALLOW_LOCAL"
"""Names servers as HOST:PORT, separated by commas."""
_PLACE = re.compile(r"(?:\[(?P<number>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9_.-]+)):(?P<port>[0-9]{1,5})")


def local_place(text: str) -> tuple[str, int]:
    """Return host and port of a text `HOST:PORT`; raises `ValueError` where it is something else."""
    found = _PLACE.fullmatch(text.strip())
    if found is None or not 0 < int(found["port"]) < 65536:
        raise ValueError(f"{text!r} is not HOST:PORT, such as 127.0.0.1:3000")
    return (found["number"] or found["name"]).lower(), int(found["port"])


def local_places(texts: Iterable[str]) -> frozenset[tuple[str, int]]:
    """Return the servers that texts name."""
    return frozenset(map(local_place, texts))


def reach(*, for_others: bool = False) -> Reach:
    """Return what may be asked: of this machine only servers that whoever started the program has named."""
    from syncline.model.errors import NeedsUser
    from syncline.net import urls

    if for_others:
        return urls.Reach()
    try:
        return urls.Reach(places=local_places(filter(None, os.environ.get(ALLOW_LOCAL, "").split(","))))
    except ValueError as error:
        raise NeedsUser(f"the environment variable {ALLOW_LOCAL} cannot be read: {error}") from None
