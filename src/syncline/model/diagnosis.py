"""The answer to "what is wrong with all of these?": a few causes, what follows from each, in which order to repair.

Made by `syncline.core.diagnose` from a `syncline.model.fleet.FleetSnapshot`; printed by `syncline diagnose`, published
by the controller. Its JSON is read by programs, so names here are stable.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.model.finding import Finding


class Thing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A node of the graph: an object (also an absent one) on a cluster, or something outside with a name of its own.

    `outside` is empty for objects, else what it is: "image", "registry", "repository", "cluster", "nodes", "host". An
    object that is `absent` is named by others and not there; `name` is then the key of it that is missing, if only
    that is.
    """

    cluster: str = ""
    key: ObjectKey | None = None
    outside: str = ""
    name: str = ""
    absent: bool = False

    def __str__(self) -> str:
        if self.key is None:
            return f"{self.outside} {self.name}"
        where = f" in {self.key.namespace}" if self.key.namespace else ""
        return f"{self.key.short}{where}"


class Link(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step down from a cause: how many things of one kind are bad because of the step above, and how they show."""

    count: int
    kind: str
    state: str
    examples: tuple[Thing, ...] = ()


class RootCause(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One cause: what is bad with no bad thing before it.

    `id` stays the same while the incident lasts. `affected` are the symptoms that lead here: Applications as
    namespace/name, or the workloads of a dump without Applications; `later` are those that meet it only once something
    else is repaired, `removes` those that its repair deletes. `chain` leads from the cause to them. `next_in_line` are
    causes that show only once this one is repaired. `assumptions` are what recovery also needs and nobody has
    observed. `afterwards` are commands for what has given up meanwhile and is not tried again.
    """

    id: str
    rank: int
    thing: Thing
    finding: Finding
    affected: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    removes: tuple[str, ...] = ()
    chain: tuple[Link, ...] = ()
    next_in_line: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    afterwards: tuple[str, ...] = ()


class RuledOut(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that looks bad and is no cause: what it is, and why not."""

    text: str
    because: str
    count: int = 1


class Repair(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step of the order of repair: the cause, and how many symptoms are good afterwards, at most.

    `gone_after` is how many are deleted by then, and so neither good nor bad.
    """

    cause: str
    good_after: int
    gone_after: int = 0


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All causes of a fleet, ranked; counts come before content.

    `counts` is how many symptoms show which state. `unexplained` are symptoms that nothing leads on from, with what
    would be needed to tell, and `untold` the symptoms behind them; `starting` are those that began so lately that
    nothing has to be wrong. So every symptom is behind a cause, untold or starting. `ways` says of a symptom in one
    sentence how its first cause shows there. `unread` is what could not be looked at, for the first line.
    """

    as_of: str
    origin: str
    total: int
    good: int
    counts: dict[str, int] = {}
    causes: tuple[RootCause, ...] = ()
    repairs: tuple[Repair, ...] = ()
    ruled_out: tuple[RuledOut, ...] = ()
    unexplained: tuple[Finding, ...] = ()
    untold: tuple[str, ...] = ()
    starting: tuple[str, ...] = ()
    ways: dict[str, str] = {}
    unread: tuple[str, ...] = ()
    objects: int = 0
    schema_version: int = 1
