"""Puts the scripts of a folder into the settings: of the one named on the command line, else of the one they name.

Called by the command line, whose function a controller calls again whenever its settings change. A folder that cannot
be used ends the start with a sentence; later it is told, and the last good scripts stay in force.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from syncline.model.errors import InvalidSpec
from syncline.model.settings.resources import NO_CUSTOMIZATIONS, Customizations

if TYPE_CHECKING:
    from syncline.model.settings.settings import Settings


def customized(folder: Path | None, tell: Callable[[str], None]) -> Callable[[Settings], Settings]:
    """Return what puts a folder's scripts into settings: `folder`, or else the one that the settings name.

    The first call raises InvalidSpec where the folder cannot be used; later ones hand the sentence to `tell`.
    """
    last: Customizations | None = None

    def over(settings: Settings) -> Settings:
        nonlocal last
        named = str(folder or settings.resource_customizations)
        try:
            read = _read(Path(named)) if named else NO_CUSTOMIZATIONS
        except InvalidSpec as error:
            if last is None:
                raise
            tell(str(error))
            read = last
        # The same scripts stay the same value, so that nothing is computed again because of them.
        last = last if last == read else read
        return msgspec.structs.replace(settings, customizations=last)

    return over


def _read(folder: Path) -> Customizations:
    from syncline.adapters import customizations

    return customizations.read(folder)
