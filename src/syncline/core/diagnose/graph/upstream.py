"""The causes of one app's trouble as a diagnosis finds them: in a store, an operator, an app that others wait for.

Made by `syncline.verbs.behind` from a snapshot of the clusters around the app, and asked by
`syncline.core.diagnose.explain`. Most of what is wrong with its own objects, the rules on apps tell better, since they
have it rendered and compared; what those have no words for, and what is wrong elsewhere, the graph tells.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from syncline.apimachinery.keys import ObjectKey, key_of
from syncline.core.diagnose import node_registry
from syncline.core.diagnose.findings.causes import Roles, subjects
from syncline.core.diagnose.graph import causes
from syncline.core.diagnose.graph.causes import Cause, Vertex
from syncline.core.diagnose.graph.diagnose import finding_of
from syncline.core.diagnose.graph.judge import Judge
from syncline.core.diagnose.graph.view.fleet import APPLICATION, FleetIndex
from syncline.core.diagnose.rule import Tells
from syncline.model.diagnosis import Thing
from syncline.model.finding import Finding, Severity
from syncline.model.fleet import FleetSnapshot

_OWNERS = 5
_JUDGED = frozenset(check.rule.code for check in node_registry.CHECKS)


class Upstream(NamedTuple):
    """A cause, and what of the app follows from it.

    `outside` says that no object of the app tells of it. `faults` are names of its objects with the rule that says what
    is bad about them; of `objects` nothing is bad but what follows from this cause. Of what is in `alone` nothing else
    that is said counts: objects of the app, or the app itself.
    """

    finding: Finding
    tells: Tells
    outside: bool
    faults: frozenset[tuple[str, str]]
    objects: frozenset[str]
    alone: frozenset[str]

    def explains(self, app: str, subjects: Collection[str], code: str, tells: Tells) -> bool:
        """Whether what a rule says of some objects of an app follows from this cause."""
        if app in self.alone or any(name in self.alone or (name, code) in self.faults for name in subjects):
            return True
        # The graph has looked at these objects for the same trouble, and found that it comes from here.
        looked_for = tells in (Tells.STATE, Tells.WAIT) or code in _JUDGED
        return looked_for and all(name in self.objects for name in subjects)


class Search:
    """What is bad behind one app; `own` are its objects."""

    def __init__(self, snapshot: FleetSnapshot, app: ObjectKey, own: Collection[ObjectKey]) -> None:
        self._judge = Judge(FleetIndex(snapshot), node_registry.CHECKS)
        self._fleet = self._judge.fleet
        there = self._fleet.destination(self._fleet.apps.get(app) or {}).name
        self._app = Thing(cluster=self._fleet.home.name, key=app)
        self._inside = {self._app, *(Thing(cluster=there, key=key) for key in own)}
        self._graph = causes.explored(self._judge, sorted(self._inside, key=str))

    def pods(self) -> list[Thing]:
        """Return the pods of others that are bad: what they printed may tell more."""
        found = {thing for thing, _position in self._graph.faults if thing.key is not None and thing.key.kind == "Pod"}
        return sorted((one for one in found if one not in self._inside), key=str)

    def causes(self) -> tuple[Upstream, ...]:
        """Return the causes, those with most behind them first; not what is absent and an object of the app names."""
        told = (cause for cause in self._graph.causes if cause.told and not cause.fault.last)
        found = [self._told(cause) for cause in told if not cause.thing.absent or self._is_outside(cause)]
        return tuple(sorted(found, key=lambda one: (-len(one.faults), one.finding.subject, one.finding.code)))

    def _told(self, cause: Cause) -> Upstream:
        held = causes.following(self._graph, cause)
        # Of the app alone: another namespace may have an object of the same name.
        faults = {vertex: self._graph.faults[vertex] for vertex in held if self._own(vertex[0])}
        return Upstream(
            finding_of(self._graph, cause),
            cause.fault.rule.tells,
            self._is_outside(cause),
            frozenset((_short(thing), fault.rule.code) for (thing, _position), fault in faults.items()),
            frozenset(_short(thing) for thing, _position in faults if self._all_held(thing, held)),
            frozenset(self._own(thing) for (thing, _position), fault in faults.items() if fault.sole) - {""},
        )

    def _is_outside(self, cause: Cause) -> bool:
        """Whether no object of the app tells of a cause.

        What is absent, or no object, such as an image, is told at the object that names it, unless it is another app
        that should deliver it.
        """
        thing = cause.thing
        if self._is_told(thing):
            return False
        is_there = not thing.absent and self._fleet.find(thing) is not None
        if thing.key is not None and (is_there or self._is_of_others(thing)):
            return True
        near = {vertex[0] for root in cause.roots for vertex in (root, *self._graph.effects.get(root, ()))}
        return not any(self._is_told(one) for one in near)

    def _is_told(self, thing: Thing) -> bool:
        """Whether the rules on the app look at a thing; of an app that it delivers they tell no more than how it is."""
        child = thing.key is not None and thing.key.group_kind == APPLICATION and thing != self._app
        return not child and bool(self._own(thing))

    def _is_of_others(self, thing: Thing) -> bool:
        return any(one != self._app.key for one in self._fleet.deliverers(_plain(thing)))

    def _own(self, thing: Thing) -> str:
        """Return the object of the app that a thing is, or that made it; nothing for one outside of the app."""
        cluster, found, thing = self._fleet.cluster(thing.cluster), "", _plain(thing)
        for _step in range(_OWNERS):
            found = _short(thing) if thing in self._inside else found
            owner = cluster.owner(self._fleet.find(thing) or {})
            if owner is None:
                break
            thing = Thing(cluster=thing.cluster, key=key_of(owner))
        return found

    def _all_held(self, thing: Thing, held: Collection[Vertex]) -> bool:
        return all((thing, position) in held for position in range(len(self._judge.faults(thing))))


def _plain(thing: Thing) -> Thing:
    """Return an object as such, also where it is known by a key that it lacks."""
    return Thing(cluster=thing.cluster, key=thing.key) if thing.key is not None else thing


def _short(thing: Thing) -> str:
    assert thing.key is not None  # noqa: S101 - only objects are asked about
    return thing.key.short


def worth_telling(app: str, found: Iterable[Upstream], told: Collection[Finding], known: Roles) -> list[Upstream]:
    """Return what an app's own rules have not told; `known` are all of them, with what their findings tell."""
    said = {(name, one.code) for one in told for name in (app, *subjects(one))}
    fixes = [one.fix for one in told if one.fix is not None and one.fix.edits]
    return [
        one
        for one in found
        if one.finding.severity is not Severity.INFO
        and not any(pair in said for pair in one.faults if pair[1] == one.finding.code)
        and (one.outside or one.finding.code not in known)
        and not any(one.finding.fix is not None and one.finding.fix.edits == fix.edits for fix in fixes)
    ]
