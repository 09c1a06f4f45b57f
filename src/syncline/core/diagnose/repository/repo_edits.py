"""Edits of lines that rules on repositories are sure about: the line is there, and says what the rule saw.

Used where the right value follows from the repository itself. Nothing is offered for what a kustomization lists, which
other overlays may share, nor where the line says more than the field, which taking it out would take along.
"""

from __future__ import annotations

from collections.abc import Sequence

from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.subjects import Repo
from syncline.model.desired import DesiredObject
from syncline.model.errors import Place
from syncline.model.finding import Edit

_COMMENT = " #"


def replaced(repo: Repo, item: DesiredObject | Prepared, path: str, before: str, after: str) -> tuple[Edit, ...]:
    """Return the edit that gives a field, or its name, another text; nothing where its line has the text not once."""
    place, line = _line(repo, item, path)
    bare = line.partition(_COMMENT)[0]
    return (Edit(place=place, before=before, after=after),) if bare.count(before) == 1 else ()


def taken_out(repo: Repo, item: DesiredObject | Prepared, paths: Sequence[str]) -> tuple[Edit, ...]:
    """Return the edits that take fields out; nothing unless each has a line to itself."""
    found = []
    for path in paths:
        place, line = _line(repo, item, path)
        text = line.partition(_COMMENT)[0].strip()
        name, colon, value = text.partition(":")
        if name != path.rpartition(".")[2] or not colon or not value.strip():
            return ()
        found.append(Edit(place=place, before=text))
    return tuple(found)


def _line(repo: Repo, item: DesiredObject | Prepared, path: str) -> tuple[Place, str]:
    """Return the place of a field and what stands there; no text where the field itself has no line."""
    place = item.origin.place(path)
    shared = any(place.file in listed for listed in repo.kustomizations.values())
    if path not in item.origin.positions.paths or shared:
        return place, ""
    lines = repo.files.get(place.file, b"").decode(errors="replace").split("\n")
    return place, lines[place.line - 1] if 0 < place.line <= len(lines) else ""
