"""The key of an Application, by which every part of the controller speaks of it."""

from __future__ import annotations

from syncline.controller.runtime.keys import Key


class AppKey(Key):
    """Namespace and name of an Application."""

    __slots__ = ()
