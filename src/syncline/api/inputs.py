"""Reads what callers hand in: paths of files, dicts, rendered objects, in any mix, and settings and Applications.

Called by every function of this package before it hands values to `syncline.core`. Files and dicts are held to the same
form, so a mistake gets the same sentence wherever it comes from.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from syncline.api import object_files
from syncline.model.application import Application
from syncline.model.desired import Desired, DesiredObject
from syncline.model.errors import InvalidSpec
from syncline.model.settings.settings import Compat, Settings

if TYPE_CHECKING:
    from syncline.apimachinery.keys import Object

File = str | os.PathLike[str]
"""A file of YAML or JSON, with any number of documents and lists; `-` is standard input."""
One = File | Mapping[str, Any] | DesiredObject | Desired
Objects = One | Sequence[One] | Iterator[One]
"""Objects: the path of a file, a dict, what `render` returned, or any mix of these.

Not `Iterable`: a dict is one too, and type checkers would take an object for many."""

Tell = Callable[[str], None]


def _nobody(_text: str) -> None:
    """Tell nobody."""


def located(
    given: Objects, *, with_fields: bool = False, any_metadata: bool = False, tell: Tell = _nobody
) -> list[DesiredObject]:
    """Return the objects that were handed in, each with its place as far as that is known; warnings are told."""
    found: list[DesiredObject] = []
    for one in _each(given):
        if isinstance(one, Desired):
            found += one.objects
            for warning in one.warnings:
                tell(warning)
        elif isinstance(one, DesiredObject):
            found.append(one)
        elif isinstance(one, Mapping):
            found += [DesiredObject(obj) for obj in object_files.objects_in(one, any_metadata=any_metadata)]
        elif isinstance(one, str | os.PathLike):
            found += object_files.located(_file(one), with_fields=with_fields, any_metadata=any_metadata)
        else:
            raise InvalidSpec(f"{type(one).__name__} is not an object", hint="give a path, a dict or rendered objects")
    return found


def objects(given: Objects) -> list[Object]:
    """Return the objects that were handed in, without their places."""
    return [item.obj for item in located(given)]


def application(given: File | Mapping[str, Any] | None) -> Object | None:
    """Return the Application that was handed in, as an object."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        if given.get("kind") != "Application":
            raise InvalidSpec(f"app is a {given.get('kind') or 'dict without a kind'}", hint="give an Application")
        return dict(given)
    return object_files.one(_file(given), "Application")


def parsed(given: File | Mapping[str, Any] | None) -> Application | None:
    """Return the Application that was handed in, as a value."""
    from syncline.model import application as applications

    found = application(given)
    return applications.parse(found) if found is not None else None


def settings(given: Settings | File | None, compat: str | None, tell: Tell) -> Settings:
    """Return the settings that were handed in, with `compat` over them; mistakes in a file are told."""
    _check_compat(compat)
    if isinstance(given, Settings):
        return object_files.with_compat(given, compat)
    return object_files.settings(None if given is None else _file(given), compat, tell)


def kinds_settings(given: Settings | File | None, compat: str | None, tell: Tell = _nobody) -> Settings:
    """Return the same, where any ConfigMap will do, whatever its name is."""
    if given is None or isinstance(given, Settings):
        return settings(given, compat, tell)
    _check_compat(compat)
    return object_files.kinds_settings(_file(given), compat, tell)


def _check_compat(compat: str | None) -> None:
    known = [one.value for one in Compat]
    if compat is not None and compat not in known:
        raise InvalidSpec(f"compat is {compat!r}", hint=f"one of {', '.join(known)}")


def _each(given: Objects) -> Iterator[One]:
    if isinstance(given, str | os.PathLike | Mapping | DesiredObject | Desired) or not isinstance(given, Iterable):
        yield given
    else:
        yield from given


def _file(path: File) -> Path:
    found = Path(path)
    if found.is_dir():
        raise InvalidSpec(f"{found} is a folder", hint="give a file, or the result of syncline.render for the folder")
    return found
