"""Desired objects, each with the place it comes from.

Made by the render port, compared and applied by `syncline.core`; the positions let every difference and finding name
file and line.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import Any

import msgspec

from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.model.errors import Place


class Positions(msgspec.Struct, frozen=True):
    """Lines of fields: `lines[i]` is where the field `paths[i]` stands. Two tuples keep it small."""

    paths: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()

    def line(self, path: str) -> int:
        """Return the line of a field, else of its nearest known parent, else 0."""
        table = dict(zip(self.paths, self.lines, strict=True))
        while path:
            if path in table:
                return table[path]
            cut = max(path.rfind("."), path.rfind("["))
            path = path[:cut] if cut > 0 else ""
        return 0


class Origin(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where an object was written: repository, commit, file, line of its document.

    `field_file` is where its fields are, where that is another file: what an ApplicationSet generates comes from its
    parameters, and its fields from the template of the set.
    """

    repo_url: str = ""
    revision: str = ""
    file: str = ""
    line: int = 0
    positions: Positions = Positions()
    field_file: str = ""

    def place(self, path: str = "") -> Place:
        """Return the place of a field of the object, or of the object itself."""
        line = self.positions.line(path) if path else 0
        return Place(self.field_file or self.file, line) if line else Place(self.file, self.line)


class DesiredObject(msgspec.Struct, frozen=True, dict=True):
    """One object as the source has it, with its origin."""

    obj: Object
    origin: Origin = Origin()

    @cached_property
    def key(self) -> ObjectKey:
        """Identity of the object."""
        return key_of(self.obj)


class ValuesLayer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One place that gives a chart values: a file with its text, or a parameter with its value.

    `below` is where the values of a subchart's own file go in those of the chart.
    """

    name: str
    text: bytes = b""
    parameter: str = ""
    value: str = ""
    is_text: bool = False
    """Whether the parameter stays a text whatever it looks like."""
    is_content: bool = False
    """Whether the value is the content of a file, in which nothing means anything."""
    own: bool = False
    """Whether it comes with the chart or a subchart, and counts only where nobody says anything."""
    below: tuple[str, ...] = ()


class ChartValues(msgspec.Struct, frozen=True):
    """What sets the values of a chart, the weakest first, and what the chart's templates really see."""

    layers: tuple[ValuesLayer, ...]
    seen: dict[str, Any]
    left_out: tuple[str, ...] = ()
    """Value files that are named and not there, where the Application says to go on without them."""


class Input(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file or folder a render has read: while its digest stays, so does the render. `ref` names another source."""

    path: str
    digest: str
    ref: str = ""


class Fetched(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a render has fetched besides its source, at a revision that may move: a remote base, or a chart by name.

    `revision` is what was asked for, a branch or a range of versions; `found` is the commit or version that it was,
    empty where nobody answered.
    """

    repo_url: str
    revision: str
    found: str
    chart: str = ""
    is_file: bool = False
    """Whether it is a single file: `repo_url` is its address then, and `found` the digest of its content."""


class ClusterReads(StrEnum):
    """How much of what a cluster can do went into a render: all of it unless the renderer knows better."""

    NOTHING = "nothing"
    VERSION = "version"
    ALL = "all"


class Desired(msgspec.Struct, frozen=True, omit_defaults=True):
    """All objects of an Application at one set of revisions."""

    objects: tuple[DesiredObject, ...]
    revisions: tuple[str, ...] = ()
    source_types: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    """What whoever renders should know."""
    digest: str = ""
    inputs: tuple[Input, ...] = ()
    fetched: tuple[Fetched, ...] = ()
    manifest_warnings: tuple[str, ...] = ()
    """What everybody should see, as conditions of the Application."""
    steady: bool = True
    """Whether the same files make the same objects again: not where chance, time or something left out plays in."""
    cluster_reads: ClusterReads = ClusterReads.ALL
    """What it depends on besides its files."""

    def at(self, revision: str) -> Desired:
        """Return the render of one source as that of another commit in which all it has read is the same."""
        if self.revisions == (revision,):
            return self
        objects = tuple(
            DesiredObject(item.obj, msgspec.structs.replace(item.origin, revision=revision)) for item in self.objects
        )
        return msgspec.structs.replace(self, objects=objects, revisions=(revision,))
