"""What checks are given and what they say: a node of the graph, and what is bad about it because of what.

Checks are written in `syncline.core.diagnose.rules` and `syncline.core.diagnose.nodes`, listed by
`syncline.core.diagnose.node_registry` and run by `syncline.core.diagnose.graph.judge`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.graph.view.fleet import FleetIndex
from syncline.core.diagnose.rule import Rule
from syncline.model.diagnosis import Thing
from syncline.model.finding import Finding


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One way in which a thing is bad.

    `state` is how it shows, in a word or two. `because` are things that it follows from where those are bad, and only
    if none of them is does it stand as a cause. `cause` is where the cause then is, if not at the thing itself: things
    with the same cause, rule and `about` are one cause, told by the first. Without `tell` nothing can be said beyond
    that it is bad. `soon` are things that nobody has reached yet and that must be good as well. `assumes` are what
    nobody has observed and a recovery needs. `weak` faults count only where the thing has no others, beside a `sole`
    one none of the others does. From `apart` faults nothing else follows. A `last` one stands as a cause only where
    something that follows from it has no other cause.

    A cause that many things share is told by all of them: `together` gets the `part` of each, in the order of their
    places. Where there is one part alone, the cause is shown at `alone`; what it is known by stays. `removes` says that
    the repair deletes the thing: it is gone then, rather than good.
    """

    rule: Rule
    state: str
    because: tuple[Thing, ...] = ()
    cause: Thing | None = None
    about: str = ""
    tell: Callable[[], Finding] | None = None
    soon: tuple[Thing, ...] = ()
    assumes: tuple[str, ...] = ()
    weak: bool = False
    sole: bool = False
    apart: bool = False
    last: bool = False
    part: Any = None
    together: Callable[[Sequence[Any]], Finding] | None = None
    alone: Thing | None = None
    removes: bool = False

    @property
    def told(self) -> bool:
        """Whether anything can be said about it, beyond that it is bad."""
        return self.tell is not None or self.together is not None


@dataclass(frozen=True, slots=True)
class Node:
    """A thing with all that is around it. The object is empty for one that is absent or outside."""

    thing: Thing
    obj: Object
    cluster: ClusterIndex
    fleet: FleetIndex

    @property
    def key(self) -> ObjectKey:
        """The identity of the object; only things that are objects are looked at."""
        return self.thing.key or ObjectKey("", "", "", "")

    def at(self, key: ObjectKey) -> Thing:
        """Return another object of the same cluster."""
        return Thing(cluster=self.cluster.name, key=key)

    def missing(self, key: ObjectKey, part: str = "") -> Thing:
        """Return an object of the same cluster, or a key of it, that is known not to be there."""
        return Thing(cluster=self.cluster.name, key=key, absent=True, name=part)

    def outside(self, what: str, name: str) -> Thing:
        """Return something that is not an object of the cluster, though it may be known only there."""
        return Thing(cluster=self.cluster.name, outside=what, name=name)


Look = Callable[[Node], Iterable[Fault]]


@dataclass(frozen=True, slots=True)
class NodeCheck:
    """A rule on things of some kinds; without kinds, on every object."""

    rule: Rule
    kinds: tuple[GroupKind, ...]
    look: Look


def on_node(rule: Rule, *kinds: GroupKind) -> Callable[[Look], NodeCheck]:
    """Make a function the check of a rule on things of some kinds."""

    def check(look: Look) -> NodeCheck:
        return NodeCheck(rule, kinds, look)

    return check


def conditions(obj: Object) -> Iterator[dict[str, str]]:
    """Yield the conditions of an object that have the form of one."""
    status = obj.get("status")
    found = status.get("conditions") if isinstance(status, dict) else None
    yield from (one for one in (found if isinstance(found, list) else ()) if isinstance(one, dict))


def condition(obj: Object, name: str) -> dict[str, str]:
    """Return a condition by its type; empty where the object has none."""
    return next((one for one in conditions(obj) if one.get("type") == name), {})
