"""Single settings of an Application, and how each is put into the object: replaced, or merged with what is there.

The objects handed in are copies that are changed in place.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final

import msgspec

from syncline.apimachinery.keys import Object
from syncline.verbs.errors import InvalidRequest


class Merge(StrEnum):
    """What becomes of the value that is there already."""

    REPLACE = "replace"
    MAP = "map"
    """Keys of the same name are replaced."""
    NAMED = "named"
    """List entries with the same `name` are replaced where they stand; new ones come last."""
    IMAGES = "images"
    """Kustomize overrides of the same image are replaced where they stand; new ones come last."""


class SpecSetting(msgspec.Struct, frozen=True):
    """One field, by its path below the Application (`spec.project`) or below one of its sources (`helm.values`)."""

    path: str
    value: Any
    merge: Merge = Merge.REPLACE

    @property
    def of_source(self) -> bool:
        """Whether it belongs to a source."""
        return not self.path.startswith("spec.")


class SourceChoice(msgspec.Struct, frozen=True):
    """Which of several sources is meant, by position (counted from 1) or by name; neither where there is one."""

    position: int = 0
    name: str = ""

    def of(self, app: Object) -> Object:
        """Return the source for changing; raises a sentence when it cannot be told which one is meant."""
        if self.position and self.name:
            raise InvalidRequest("--source-position and --source-name are mutually exclusive", hint="give one of them")
        spec = app["spec"]
        sources: list[Object] = spec.get("sources") or []
        position = position_of(sources, self.name) if self.name else self.position
        if not sources:
            return _only_source(spec, position)
        if len(sources) == 1:
            position = position or 1
        if not 1 <= position <= len(sources):
            hint = f"choose one with --source-position 1…{len(sources)}"
            raise InvalidRequest(f"this Application has {len(sources)} sources", hint=hint)
        return sources[position - 1]


ANY_SOURCE: Final = SourceChoice()
"""The one source there is."""


def _only_source(spec: Object, position: int) -> Object:
    if position > 1:
        raise InvalidRequest(f"no source {position}: this Application has one source")
    source: Object = spec.get("source") or {}
    if spec.get("sourceHydrator") is None:
        spec["source"] = source
    return source


def position_of(sources: list[Object], name: str) -> int:
    """Return the position of the source with a name, counted from 1."""
    for position, source in enumerate(sources, start=1):
        if source.get("name") == name:
            return position
    named = ", ".join(str(one["name"]) for one in sources if one.get("name"))
    raise InvalidRequest(f"no source named {name}", hint=f"known: {named or 'none has a name'}")


def put_settings(app: Object, settings: Iterable[SpecSetting], choice: SourceChoice = ANY_SOURCE) -> None:
    """Write settings into an Application, and into the chosen one of its sources."""
    settings = tuple(settings)
    source = choice.of(app) if any(setting.of_source for setting in settings) else {}
    for setting in settings:
        put_setting(source if setting.of_source else app, setting)


def put_setting(root: Object, setting: SpecSetting) -> None:
    """Write one setting below an object."""
    *parents, last = setting.path.split(".")
    for parent in parents:
        root = root.setdefault(parent, {})
    root[last] = _merged(setting, root.get(last))


def _merged(setting: SpecSetting, before: Any) -> Any:
    match setting.merge:
        case Merge.MAP:
            return {**(before or {}), **setting.value}
        case Merge.NAMED:
            entries = {str(entry["name"]): entry for entry in before or ()}
            entries.update({str(entry["name"]): entry for entry in setting.value})
            return list(entries.values())
        case Merge.IMAGES:
            images = {image_name(image): image for image in before or ()}
            images.update({image_name(image): image for image in setting.value})
            return list(images.values())
        case Merge.REPLACE:
            return setting.value


class UnsetFields(msgspec.Struct, frozen=True):
    """A field of a source to remove, such as `helm.values`; with `entries` only those of its list."""

    path: str
    entries: tuple[str, ...] = ()


def unset(source: Object, fields: Iterable[UnsetFields]) -> None:
    """Remove fields of a source; a tool that nothing is said about any more goes too."""
    for field in fields:
        parent, _, name = field.path.rpartition(".")
        root = source.get(parent) or {} if parent else source
        if field.entries:
            kept = [entry for entry in root.get(name) or () if _identity(field.path, entry) not in field.entries]
            if kept:
                root[name] = kept
                continue
        root.pop(name, None)
    for tool in ("helm", "kustomize", "plugin"):
        if source.get(tool) == {}:
            del source[tool]


def _identity(path: str, entry: Any) -> str:
    if isinstance(entry, dict):
        return str(entry["name"])
    return image_name(entry) if path == "kustomize.images" else str(entry)


def image_name(image: str) -> str:
    """Return which image a Kustomize override is for: `web=registry/web:2` and `web:2` are both for `web`."""
    name = image.partition("=")[0] if "=" in image else image.partition("@")[0]
    head, slash, tail = name.rpartition("/")
    return head + slash + tail.partition(":")[0]
