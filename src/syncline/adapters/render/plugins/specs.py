"""Config management plugins as their authors describe them: Argo CD's ConfigManagementPlugin files.

Read from a folder by `syncline.wiring`, since only the operator of an installation may say which programs run; used by
`syncline.adapters.render.plugins.run`. What Argo CD has no field for stands in annotations: `syncline.io/network:
"true"`, `syncline.io/timeout: 30s`, `syncline.io/memory: 512Mi`.
"""

from __future__ import annotations

import pathlib
from typing import Any

import msgspec

from syncline.apimachinery import duration, meta, quantity, yaml
from syncline.model.errors import InvalidSpec, Place
from syncline.model.sources.source import Value

KIND = "ConfigManagementPlugin"
_NETWORK, _TIMEOUT, _MEMORY = "syncline.io/network", "syncline.io/timeout", "syncline.io/memory"


class Command(Value, frozen=True):
    """A program and its arguments."""

    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()

    @property
    def argv(self) -> tuple[str, ...]:
        """The whole argument list; empty when there is nothing to run."""
        return (*self.command, *self.args) if self.command else ()


class Find(Command, frozen=True):
    """How to tell whether a folder is for a plugin: a pattern, or a program that prints something."""

    glob: str = ""


class Discover(Value, frozen=True):
    """When a plugin is for a source that names none."""

    file_name: str = ""
    find: Find = Find()


class PluginSpec(Value, frozen=True):
    """What a plugin does."""

    generate: Command
    version: str = ""
    init: Command = Command()
    discover: Discover = Discover()


class ManagementPlugin(msgspec.Struct, frozen=True):
    """One plugin with its limits."""

    name: str
    spec: PluginSpec
    network: bool = False
    seconds: float = 90.0
    memory: int = 4 * 1024 * 1024 * 1024

    @property
    def full_name(self) -> str:
        """The name by which an Application asks for it: with the version, where it has one."""
        return f"{self.name}-{self.spec.version}" if self.spec.version else self.name


def read(folder: str | pathlib.Path) -> tuple[ManagementPlugin, ...]:
    """Return the plugins of the YAML files of a folder, sorted by file; none where there is no such folder."""
    place = pathlib.Path(folder)
    if not place.is_dir():
        return ()
    found: list[ManagementPlugin] = []
    for file in sorted(place.iterdir()):
        if file.suffix in (".yaml", ".yml"):
            documents = yaml.load_documents(file.read_bytes(), source=file.name)
            found += [parse(document.value, file.name) for document in documents]
    return tuple(found)


def parse(value: Any, file: str) -> ManagementPlugin:
    """Return one plugin; raises `InvalidSpec` where it is none."""
    if not isinstance(value, dict) or value.get("kind") != KIND:
        raise InvalidSpec(f"this is not a {KIND}", place=Place(file))
    metadata = meta.metadata(value)
    notes = metadata.get("annotations") or {}
    try:
        spec = msgspec.convert(value.get("spec") or {}, PluginSpec)
        seconds = duration.parse(str(notes[_TIMEOUT])) / 1e9 if _TIMEOUT in notes else 90.0
        memory = quantity.parse(str(notes[_MEMORY])).value if _MEMORY in notes else 4 * 1024 * 1024 * 1024
    except (msgspec.ValidationError, ValueError) as error:
        raise InvalidSpec(f"this {KIND} cannot be read: {error}", place=Place(file)) from None
    if not spec.generate.argv:
        raise InvalidSpec("spec.generate.command is missing", place=Place(file))
    network = str(notes.get(_NETWORK, "")).lower() == "true"
    return ManagementPlugin(str(metadata.get("name") or ""), spec, network, seconds, memory)
