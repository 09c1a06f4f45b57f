"""Judges things: runs the checks of their kind once, and remembers what is bad about each.

Built by `syncline.core.diagnose.graph.diagnose` for one diagnosis. A check that fails loses its own thing alone, and
says so in a finding: nothing is good because a rule broke.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from syncline.apimachinery.keys import GroupKind
from syncline.core.diagnose import engine
from syncline.core.diagnose.graph.fault import Fault, Node, NodeCheck
from syncline.core.diagnose.graph.view.fleet import FleetIndex
from syncline.model.diagnosis import Thing
from syncline.model.finding import Finding

_Judging = Generator[Thing, tuple[Fault, ...] | None, tuple[Fault, ...]]


class Judge:
    """What is bad about every thing that was asked about."""

    def __init__(self, fleet: FleetIndex, checks: Sequence[NodeCheck]) -> None:
        self.fleet = fleet
        self.failures: list[Finding] = []
        self._known: dict[Thing, tuple[Fault, ...]] = {}
        self._everywhere = tuple(check for check in checks if not check.kinds)
        self._by_kind: dict[GroupKind, tuple[NodeCheck, ...]] = {}
        for check in checks:
            for kind in check.kinds:
                self._by_kind[kind] = (*self._by_kind.get(kind, ()), check)

    def faults(self, thing: Thing) -> tuple[Fault, ...]:
        """Return what is bad about a thing; nothing for one that is good, or of which nothing is known."""
        known = self._known.get(thing)
        return self._worked_out(thing) if known is None else known

    def _worked_out(self, thing: Thing) -> tuple[Fault, ...]:
        """Judge a thing and all that it follows from; without recursion, because calls make long chains."""
        waiting, asked = [(thing, self._judged(thing))], {thing}
        answer: tuple[Fault, ...] | None = None
        while waiting:
            top, judging = waiting[-1]
            try:
                # A generator that has just begun takes None; each later answer is about the thing that it asked for.
                wanted = judging.send(answer)
            except StopIteration as done:
                waiting.pop()
                asked.discard(top)
                answer = self._known[top] = done.value
                continue
            answer = self._known.get(wanted)
            if answer is None and wanted in asked:
                answer = ()  # A circle: whether it is bad does not follow from itself.
            elif answer is None:
                asked.add(wanted)
                waiting.append((wanted, self._judged(wanted)))
        return self._known[thing]

    def is_bad(self, thing: Thing) -> bool:
        """Whether anything is bad about a thing."""
        return bool(self.faults(thing))

    def spreads(self, thing: Thing) -> bool:
        """Whether anything is bad about a thing that others can be bad because of."""
        return any(not fault.apart for fault in self.faults(thing))

    def _judged(self, thing: Thing) -> _Judging:
        """Return what is bad about a thing, asking for what is bad about others on the way.

        What merely follows from other things is no fault where those are good.
        """
        found = []
        for fault in self._said(thing):
            holds = fault.told or not fault.because
            for one in () if holds else fault.because:
                others = yield one
                holds = any(not other.apart for other in others or ())
                if holds:
                    break
            if holds:
                found.append(fault)
        strong = [fault for fault in found if fault.sole] or [fault for fault in found if not fault.weak]
        return tuple(strong or found[:1])

    def node(self, thing: Thing) -> Node:
        """Return a thing with all that is around it."""
        obj = None if thing.absent else self.fleet.find(thing)
        return Node(thing, obj or {}, self.fleet.cluster(thing.cluster), self.fleet)

    def _said(self, thing: Thing) -> list[Fault]:
        if thing.key is None:
            return []
        obj = self.fleet.find(thing)
        if obj is None and not thing.absent:
            return []
        node = self.node(thing)
        found: list[Fault] = []
        for check in (*self._by_kind.get(thing.key.group_kind, ()), *self._everywhere):
            try:
                found += check.look(node)
            except Exception as error:  # noqa: BLE001 - one broken rule must not take the others' findings along
                self.failures.append(engine.failed(check.rule, str(thing), error))
        return found
