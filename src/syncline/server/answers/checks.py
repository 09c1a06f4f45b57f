"""What is answered about a branch before its merge."""

from __future__ import annotations

from typing import Literal

import msgspec

from syncline.model import preview
from syncline.model.finding import Finding
from syncline.server.answers.kinds import Answer


class CheckRepository(Answer, frozen=True, kw_only=True):
    """A repository whose branches may be looked at."""

    url: str
    apps: int
    branches: tuple[str, ...]


class CheckRepositories(Answer, frozen=True, kw_only=True):
    """The repositories whose branches may be looked at."""

    schema_version: int
    repositories: tuple[CheckRepository, ...]


class CodeLine(Answer, frozen=True, kw_only=True):
    """A line of a file."""

    line: int
    text: str


class CodeFrame(Answer, frozen=True, kw_only=True):
    """The lines around a place."""

    place: str
    line: int
    lines: tuple[CodeLine, ...]


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """All that a branch does; `frames` are the lines that each new finding points at, in their order."""

    base: str
    head: str
    total: int
    equal: int
    unknown: tuple[str, ...]
    objects: int
    apps: tuple[preview.AppChange, ...]
    effects: tuple[preview.Effect, ...]
    timelines: tuple[preview.Timeline, ...]
    new: tuple[Finding, ...]
    fixed: tuple[Finding, ...]
    kept: tuple[Finding, ...]
    not_looked: tuple[preview.NotLooked, ...]
    notes: tuple[str, ...]
    live: preview.LiveView | None
    frames: tuple[CodeFrame | None, ...]


class CheckProgress(Answer, frozen=True, kw_only=True):
    """How far a look at a branch is."""

    done: int
    known: int
    last: str


class Checked(Answer, frozen=True, kw_only=True):
    """A look at a branch."""

    schema_version: int
    repository: str
    state: Literal["running", "ready"]
    base: str
    head: str
    progress: CheckProgress
    seconds: float
    preview: Preview | msgspec.UnsetType = msgspec.UNSET
