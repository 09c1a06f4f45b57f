"""Reads a folder of Lua scripts laid out as Argo CD's `resource_customizations`, as it is.

Called by `syncline.wiring.customizations` with the folder an operator has named; the scripts go into the settings as
values, and nobody runs them here. `<group>/<Kind>/health.lua` is a health check, `actions/discovery.lua` and
`actions/<name>/action.lua` beside it are actions; a core kind has no folder for its group. `_` in the name of a folder
stands for anything. Everything else in the folder (tests and their data) is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from syncline.model.errors import InvalidSpec
from syncline.model.settings.resources import ActionDefinition, Customizations, ResourceActions, ResourceOverride

_LAYOUT = "lay it out as Argo CD's resource_customizations: <group>/<Kind>/health.lua"
_LIMIT = 1 << 20
_HEALTH, _ACTIONS, _DISCOVERY, _ACTION = "health.lua", "actions", "discovery.lua", "action.lua"


def read(folder: Path) -> Customizations:
    """Return the scripts of a folder; raises InvalidSpec with one sentence where it cannot be used."""
    if not folder.is_dir():
        raise InvalidSpec(f"{folder} is not a folder", hint=_LAYOUT)
    try:
        found = [_override(kind, kind.relative_to(folder)) for kind in _kinds(folder)]
    except OSError as error:
        raise InvalidSpec(f"{folder} cannot be read: {error.strerror or error}") from None
    if not found:
        raise InvalidSpec(f"{folder} contains no scripts", hint=_LAYOUT)
    return Customizations(
        exact={one.pattern: one for one in found if "*" not in one.pattern},
        patterns=tuple(one for one in found if "*" in one.pattern),
    )


def _kinds(folder: Path) -> Iterator[Path]:
    """Yield the folders of kinds, by name: those that hold a check or actions, one or two levels down."""
    for first in sorted(folder.iterdir()):
        if _is_kind(first):
            yield first
        elif first.is_dir():
            yield from (second for second in sorted(first.iterdir()) if _is_kind(second))


def _is_kind(folder: Path) -> bool:
    return (folder / _HEALTH).is_file() or (folder / _ACTIONS).is_dir()


def _override(folder: Path, name: Path) -> ResourceOverride:
    check = folder / _HEALTH
    return ResourceOverride(
        pattern=name.as_posix().replace("_", "*"),
        health_lua=_text(check) if check.is_file() else "",
        # As Argo CD runs the checks that it ships.
        use_open_libs=True,
        actions=_actions(folder / _ACTIONS) if (folder / _ACTIONS).is_dir() else None,
    )


def _actions(folder: Path) -> ResourceActions:
    discovery = folder / _DISCOVERY
    scripts = [one / _ACTION for one in sorted(folder.iterdir()) if (one / _ACTION).is_file()]
    if not discovery.is_file():
        raise InvalidSpec(f"{folder} has no {_DISCOVERY}", hint="it says which actions an object offers")
    definitions = tuple(ActionDefinition(name=one.parent.name, action_lua=_text(one)) for one in scripts)
    return ResourceActions(discovery_lua=_text(discovery), definitions=definitions)


def _text(file: Path) -> str:
    content = file.read_bytes()
    if len(content) > _LIMIT:
        raise InvalidSpec(f"{file} is larger than {_LIMIT >> 20} MB: this is not a script")
    if not content.strip():
        raise InvalidSpec(f"{file} is empty", hint="delete it, or write the script")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise InvalidSpec(f"{file} is not UTF-8 text") from None
