"""What the rules on repositories share: the line of a field as evidence, and a safe way down into an object.

Objects out of Git may have any form, so a step that does not lead on leads to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from syncline.core.compare.prepare import Prepared
from syncline.model.desired import DesiredObject
from syncline.model.errors import Place
from syncline.model.finding import Evidence, EvidenceKind

SECRET_WORDS = ("password", "passwd", "token", "secret", "private", "credential", "apikey", "api-key", "api_key")


def at(item: DesiredObject | Prepared, path: str = "", text: str = "") -> Evidence:
    """Return the line of a field, or of an object, as evidence."""
    shown = text or (path.rpartition(".")[2] if path else item.key.short)
    return Evidence(kind=EvidenceKind.FILE, text=shown, subject=item.key, path=path, place=item.origin.place(path))


def dig(value: Any, *steps: str | int) -> Any:
    """Return what is below a value; None where a step leads nowhere."""
    for step in steps:
        # Nearly all that rules ask for is below plain maps, and they ask often.
        if type(value) is dict and type(step) is str:
            value = value.get(step)
        elif isinstance(step, int):
            value = value[step] if isinstance(value, list) and -len(value) <= step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, Mapping) else None
        if value is None:
            return None
    return value


def entries(value: Any, *steps: str | int) -> list[Mapping[str, Any]]:
    """Return the maps of a list below a value."""
    found = dig(value, *steps)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def words(value: Any, *steps: str | int) -> list[str]:
    """Return the texts of a list below a value."""
    found = dig(value, *steps)
    return [str(one) for one in found if not isinstance(one, (dict, list))] if isinstance(found, list) else []


def field_texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield every text below a value, with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from field_texts(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from field_texts(inner, f"{path}[{number}]")


def line_of(files: Mapping[str, bytes], *needles: str, subject: str = "") -> list[Evidence]:
    """Return the first line of any file that has one of these texts, the first text first, as evidence.

    For settings, whose values have no place.
    """
    for needle in needles:
        for name in sorted(files):
            if needle.encode() in files[name]:
                lines = files[name].decode(errors="replace").splitlines()
                number = next((number for number, line in enumerate(lines, start=1) if needle in line), 0)
                return [Evidence(kind=EvidenceKind.FILE, text=subject or needle, place=Place(name, number))]
    return []
