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


class Rules(StrEnum):
    """By whose rules a story is played."""

    ARGOCD = "argocd"
    SYNCLINE = "syncline"


class Verb(StrEnum):
    """What is done to an object from outside Git."""

    DELETE = "delete"
    ANNOTATE = "annotate"
    APPLY = "apply"
    SYNC = "sync"
    CONFIRM = "confirm"
    TERMINATE = "terminate"


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
    by: Rules | None = None
    """By whose rules it is needed; by both where nobody is named."""

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
        if self.verb is Verb.CONFIRM:
            return shlex.join(["syncline", "app", "confirm-deletion", self.name])
        if self.verb is Verb.TERMINATE:
            return shlex.join(["syncline", "app", "terminate-op", self.name])
        return f"kubectl apply -f - <<EOF\n{yaml.dump(self.content)}EOF"


class Visible(StrEnum):
    """Where somebody can see a cause, the earliest place counts."""

    BEFORE = "before the merge"
    LIVE = "live"
    UNNAMED = "visible, but no rule names it yet"
    NOWHERE = "not visible from Git and cluster"


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was wrong: what `check` and `diagnose` have to say of it, or why neither can.

    `name` is short, for the steps that repair it. A cause that `diagnose` tells has the `code` of a rule, the
    `subject` it is found at and, where Git holds it, the file and line that the evidence leads to (`at`); `says` are
    words that stand in its message or evidence. `check` is the code of the rule that finds it before the merge, with
    the place it points at.
    """

    name: str
    told: str
    """What was wrong, for people."""
    code: str = ""
    subject: str = ""
    at: str = ""
    says: tuple[str, ...] = ()
    apps: int | None = None
    """How many apps it holds up."""
    check: str = ""
    check_at: str = ""
    condition: str = ""
    """An app and the type of a condition that tells it, where that is all: `pipelines ExcludedResourceWarning`."""
    effect_of: str = ""
    """What it follows from, where it is not a cause of its own: `diagnose` leads on from it."""
    unnamed: bool = False
    """Whether Git or the cluster holds it, and neither `check` nor `diagnose` says so."""
    by: Rules | None = None
    """By whose rules it does any harm; by both where nobody is named."""
    remark: str = ""

    @property
    def visible(self) -> Visible:
        """Where it can be seen first."""
        if self.check:
            return Visible.BEFORE
        if self.code or self.condition or self.effect_of:
            return Visible.LIVE
        return Visible.UNNAMED if self.unnamed else Visible.NOWHERE

    def counts(self, rules: Rules) -> bool:
        """Tell whether `diagnose` has to name it by these rules."""
        return bool(self.code) and self.by in (None, rules)


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One repair: what is done in Git and outside it, and how many apps are Synced and Healthy afterwards.

    `repairs` names the causes that are gone then, `shows` are those that stood behind them and show only now.
    `promised` is how many good apps `diagnose` promised at most, where something behind the cause keeps that from
    coming true; `ours` is how many there are by Syncline's own rules, where these differ.
    """

    title: str
    commits: tuple[Commit, ...] = ()
    deeds: tuple[Deed, ...] = ()
    outside: str = ""
    """What a deed stands for where the real one cannot be done on a sandbox: unsealing, pushing an image."""
    good: int = 0
    ours: int | None = None
    promised: int | None = None
    ours_promised: int | None = None
    repairs: tuple[str, ...] = ()
    shows: tuple[Cause, ...] = ()
    apps: Mapping[str, str] = {}
    """What single apps show afterwards, as in `Seen.apps`."""
    holds: Mapping[str, str] = {}
    """What ConfigMaps hold afterwards, as in `Story.holds`."""
    ours_apps: Mapping[str, str] | None = None
    """The same by Syncline's own rules, where these differ."""

    def rows(self, rules: Rules) -> Mapping[str, str]:
        """Return what single apps show afterwards."""
        return self.apps if rules is Rules.ARGOCD or self.ours_apps is None else self.ours_apps

    def expected(self, rules: Rules) -> int:
        """Return how many apps are good afterwards."""
        return self.good if rules is Rules.ARGOCD or self.ours is None else self.ours

    def prediction(self, rules: Rules) -> int:
        """Return how many good apps `diagnose` promises for this step."""
        if rules is Rules.ARGOCD or self.ours_promised is None:
            return self.expected(rules) if self.promised is None else self.promised
        return self.ours_promised


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What a table of a write-up counts: apps that are Synced and Healthy, and the others by their health."""

    good: int
    others: Mapping[str, int]
    out_of_sync: int = 0
    """How many are OutOfSync at least, whatever their health."""
    apps: Mapping[str, str] = {}
    """Rows of the table: app names, with `*` as in file names, each with sync status and health in one text.

    Types of conditions may follow that it has too, or `clean` where none of its conditions is an error.
    """


class Wait(msgspec.Struct, frozen=True, kw_only=True):
    """That apps of one wave are created only once those of an earlier one are Healthy, or that they are not.

    Both are names of apps, with `*` as in file names; `by` are the rules that it holds by, or both.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    holds: bool = True
    by: Rules | None = None


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """An object that ran before the first app did, and that is taken over as it is: never recreated nor restarted."""

    resource: str
    name: str
    namespace: str = ""


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """A whole story. `cluster` is the text of a cluster file; `history` leads to the state the team found.

    `seen` is what the write-up counts, under Argo CD's rules; `ours` is what the same repository comes to under
    Syncline's own. `causes` are all that `diagnose` names then, no more; where they are a mapping from names of rules
    to the things they are found at, others may be named beside them. `order` is the order of repair that `diagnose`
    gives, by names of causes; `ours_order` the same by Syncline's own rules. `errata` is what a write-up says that
    does not hold.
    """

    name: str
    title: str
    about: str
    cluster: str
    history: tuple[Commit, ...]
    root: Mapping[str, Any]
    seen: Seen
    ours: Seen
    causes: tuple[Cause, ...] | Mapping[str, str]
    steps: tuple[Step, ...] = ()
    order: tuple[str, ...] = ()
    ours_order: tuple[str, ...] = ()
    errata: tuple[str, ...] = ()
    namespace: str = "argocd"
    """Where the Applications are."""
    by: Rules | None = None
    """By whose rules it is told; by both where nobody is named."""
    waits: tuple[Wait, ...] = ()
    """What the first commit has to show about waves."""
    keeps: tuple[Kept, ...] = ()
    holds: Mapping[str, str] = {}
    """What ConfigMaps hold after the last commit of the history: `namespace/name key` with the text of the key."""
    still: float = 330.0
    """For how many seconds nothing may change before the statuses count."""

    @property
    def told(self) -> tuple[Cause, ...]:
        """All causes that are told in full, those behind others too."""
        first = self.causes if isinstance(self.causes, tuple) else ()
        later = (cause for step in self.steps for cause in step.shows)
        # One that shows again, with more apps, is told once.
        return tuple({cause.name: cause for cause in reversed((*first, *later))}.values())[::-1]
