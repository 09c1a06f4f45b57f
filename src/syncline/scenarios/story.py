"""What a story is: a repository with its history, a cluster, what was seen, what was wrong, and what repairs it.

Written by the folders beside this file, one a story; played by `syncline scenario` and `syncline demo`. Values only:
who plays it makes the commits and carries out the deeds.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from syncline.apimachinery import yaml

REPOSITORY = "REPOSITORY"
"""Stands in files where Applications name the repository that they are in."""


class Commit(msgspec.Struct, frozen=True, kw_only=True):
    """One commit: its message, and the files it writes; a file without text is deleted."""

    message: str
    files: Mapping[str, str | None]
    branch: str = "main"


class Verb(StrEnum):
    """What is done to an object from outside Git."""

    DELETE = "delete"
    ANNOTATE = "annotate"
    APPLY = "apply"
    SYNC = "sync"


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a person does, and no commit: shown as a command, carried out as what it does.

    `resource` is the plural name with its group, as in `deployments.apps`. `content` is the annotations of an object,
    or the object that is applied.
    """

    verb: Verb
    resource: str
    name: str
    namespace: str = ""
    content: Mapping[str, Any] = {}

    def __str__(self) -> str:
        """Return the command that does it."""
        where = ["-n", self.namespace] if self.namespace else []
        if self.verb is Verb.DELETE:
            return shlex.join(["kubectl", "delete", self.resource, self.name, *where])
        if self.verb is Verb.ANNOTATE:
            pairs = [f"{key}={value}" for key, value in self.content.items()]
            return shlex.join(["kubectl", "annotate", self.resource, self.name, *where, "--overwrite", *pairs])
        if self.verb is Verb.SYNC:
            return shlex.join(["syncline", "app", "sync", self.name])
        return f"kubectl apply -f - <<EOF\n{yaml.dump(self.content)}EOF"


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One repair: what is done in Git and outside it, and how many apps are Synced and Healthy afterwards."""

    title: str
    commits: tuple[Commit, ...] = ()
    deeds: tuple[Deed, ...] = ()
    outside: str = ""
    """What a deed stands for where the real one cannot be done on a sandbox: unsealing, pushing an image."""
    good: int = 0


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What a table of a write-up counts: apps that are Synced and Healthy, and the others by their health."""

    good: int
    others: Mapping[str, int]
    out_of_sync: int = 0
    """How many are OutOfSync at least, whatever their health."""


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """A whole story. `cluster` is the text of a cluster file; `history` leads to the state the team found.

    `seen` is what the write-up counts, under Argo CD's rules; `ours` is what the same repository comes to under
    Syncline's own.
    """

    name: str
    title: str
    about: str
    cluster: str
    history: tuple[Commit, ...]
    root: Mapping[str, Any]
    seen: Seen
    ours: Seen
    causes: Mapping[str, str]
    """What was wrong: names of rules, each with the thing that the cause is found at."""
    steps: tuple[Step, ...] = ()
