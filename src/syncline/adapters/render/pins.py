"""Reads which versions of tools people want, from `[tools]` of a `syncline.toml`.

Called by `syncline.wiring`; the pins go to `syncline.adapters.render.programs`, which says where they are not met.
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
        raise InvalidSpec('[tools] has to map names to versions, like helm = "4.2"', place=Place(path.name))
    unknown = sorted(set(tools) - set(NAMES))
    if unknown:
        raise InvalidSpec(f"[tools] knows no {unknown[0]}", place=Place(path.name), hint=f"it knows {', '.join(NAMES)}")
    return tools
