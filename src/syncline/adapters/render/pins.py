"""Reads which versions of tools people want, from `[tools]` of a `syncline.toml`.

Made by `syncline.wiring`; the pins go to `syncline.adapters.render.programs`, which says where they are not met. The
file is read again when it changes; while it makes no sense, the pins before it count.
"""

from __future__ import annotations

import pathlib
import tomllib

from syncline.model.errors import InvalidSpec, Place

NAMES = ("helm", "kubectl", "kustomize")


def read(file: str | pathlib.Path) -> dict[str, str]:
    """Return the pinned versions; none where there is no such file."""
    path = pathlib.Path(file)
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidSpec(f"this file cannot be read as TOML: {error}", place=Place(path.name)) from None
    tools = content.get("tools")
    if tools is None:
        return {}
    if not isinstance(tools, dict) or not all(isinstance(value, str) for value in tools.values()):
        raise InvalidSpec('[tools] must map names to versions, like helm = "4.2"', place=Place(path.name))
    unknown = sorted(set(tools) - set(NAMES))
    if unknown:
        raise InvalidSpec(
            f"unknown tool in [tools]: {unknown[0]}", place=Place(path.name), hint=f"known: {', '.join(NAMES)}"
        )
    return tools


class PinFile:
    """The pins of a file, as they are now; one that cannot be read at first raises `InvalidSpec`."""

    def __init__(self, file: str | pathlib.Path) -> None:
        self._path = pathlib.Path(file)
        self._seen = self._state()
        self._pins = read(self._path)
        self.trouble = ""
        """What is wrong with the file since it was changed; empty where nothing is."""

    def get(self, name: str, default: str) -> str:
        """Return the version of a program that is wanted."""
        seen = self._state()
        if seen != self._seen:
            self._seen = seen
            try:
                self._pins, self.trouble = read(self._path), ""
            except InvalidSpec as error:
                self.trouble = f"{error}; the previous pins are used"
        return self._pins.get(name, default)

    def _state(self) -> tuple[int, ...]:
        try:
            found = self._path.stat()
        except OSError:
            return ()
        return found.st_mtime_ns, found.st_size, found.st_ino
