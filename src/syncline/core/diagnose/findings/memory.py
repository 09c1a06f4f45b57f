"""What rules found on the parts of a repository, for the next look: a part that is the same is not looked at again.

Handed by whoever looks again and again to `syncline.core.diagnose.engine`. While a rule looks at a part, all that it
reads of the repository besides is noted; what it found holds for as long as the part is the very same and every noted
read gives the same answer. Nobody declares what a rule depends on, so nobody can forget it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from syncline.model.finding import Finding

_MISSING = object()


@dataclass(slots=True)
class Reads:
    """What was read of a repository besides the part: whole values, entries of maps, and answers."""

    whole: dict[str, Any] = field(default_factory=dict)
    entries: dict[tuple[str, Hashable], Any] = field(default_factory=dict)
    answers: dict[tuple[str, tuple[int, ...]], tuple[tuple[Any, ...], Any]] = field(default_factory=dict)
    """By the question and the identities of what was asked about, which are kept with the answer."""

    def still_hold(self, now: Now) -> bool:
        """Whether every read gives the same answer now."""
        # Asked for every part at every look, so without a generator for each of the three.
        for name, value in self.whole.items():
            if not now.is_same(name, value):
                return False
        for (name, key), value in self.entries.items():
            found = now.entry(name, key)
            if found is not value and found != value:
                return False
        for (name, _), (given, value) in self.answers.items():
            found = now.value(name)(*given)
            if found is not value and found != value:
                return False
        return True


class Now:
    """A repository as it is, to hold earlier reads against; a value is compared once, however many parts read it."""

    def __init__(self, subject: object) -> None:
        self.subject = subject
        self.noted = Noted()
        self.view = View(subject, "", self.noted)
        self._values: dict[str, Any] = {}
        self._compared: dict[tuple[str, int], bool] = {}

    def value(self, name: str) -> Any:
        """Return a value of the repository by its name, such as `world.objects`."""
        if name not in self._values:
            value: Any = self.subject
            for step in name.split("."):
                value = getattr(value, step)
            self._values[name] = value
        return self._values[name]

    def entry(self, name: str, key: Hashable) -> Any:
        """Return an entry of a map of the repository."""
        return self.value(name).get(key, _MISSING)

    def is_same(self, name: str, value: Any) -> bool:
        """Whether a value of the repository is what it was."""
        asked = name, id(value)
        if asked not in self._compared:
            self._compared[asked] = _same(self.value(name), value)
        return self._compared[asked]


@dataclass(frozen=True, slots=True)
class _Known:
    """A part, what was found on it by each check that found anything, and what that depends on."""

    part: object
    name: str
    found: tuple[tuple[int, Finding], ...]
    reads: Reads


class FindingMemory:
    """What was found on the parts of the repository at the last look."""

    def __init__(self) -> None:
        self._known: dict[Hashable, _Known] = {}
        self._next: dict[Hashable, _Known] = {}
        self._checks: tuple[Hashable, ...] = ()

    def begin(self, checks: tuple[Hashable, ...]) -> None:
        """Begin a look with these checks; what the last look did not ask for is forgotten."""
        if checks != self._checks:
            self._known, self._next, self._checks = {}, {}, checks
        self._known, self._next = self._next, {}

    def found(
        self,
        group: Hashable,
        name: str,
        part: object,
        now: Now,
        look: Callable[[Any], Iterable[tuple[int, Finding]]],
    ) -> tuple[tuple[int, Finding], ...]:
        """Return what was found on a part, by the number of the check; `look` looks where that is not known."""
        ids = tuple(map(id, part)) if type(part) is tuple else id(part)
        key = group, ids
        known = self._known.get(key)
        if known is None or known.name != name or not known.reads.still_hold(now):
            reads = now.noted.reads = Reads()
            found = tuple(look(now.view))
            # The part is kept with it: its identity means something only as long as it lives.
            known = _Known(part, name, found, reads)
        self._next[key] = known
        return known.found


@dataclass(slots=True)
class Noted:
    """Where reads are noted: those of the part that is looked at."""

    reads: Reads = field(default_factory=Reads)


class View:
    """A repository that notes what is read of it; one serves for all parts, since most reads are of the same few."""

    def __init__(self, value: object, name: str, noted: Noted) -> None:
        self._value, self._name, self._noted = value, name, noted

    def __str__(self) -> str:
        return str(self._value)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._value, name)
        full = f"{self._name}{name}"
        viewed: Any
        if name == "world":
            viewed = View(value, f"{full}.", self._noted)
        elif callable(value):
            viewed = _Answers(value, full, self._noted)
        elif isinstance(value, Mapping):
            viewed = _Entries(value, full, self._noted)
        else:
            self._noted.reads.whole[full] = value
            return value
        # What notes its reads itself is found without a call the next time.
        self.__dict__[name] = viewed
        return viewed


class _Answers:
    """A question that a repository answers, which notes what it is asked."""

    def __init__(self, ask: Callable[..., Any], name: str, noted: Noted) -> None:
        self._ask, self._name, self._noted = ask, name, noted

    def __call__(self, *given: Any) -> Any:
        answer = self._ask(*given)
        self._noted.reads.answers[self._name, tuple(map(id, given))] = given, answer
        return answer


class _Entries(Mapping[Any, Any]):
    """A map of a repository that notes which entries are read."""

    def __init__(self, entries: Mapping[Any, Any], name: str, noted: Noted) -> None:
        self._entries, self._name, self._noted = entries, name, noted

    def __getitem__(self, key: Any) -> Any:
        value = self._entries.get(key, _MISSING)
        self._noted.reads.entries[self._name, key] = value
        if value is _MISSING:
            raise KeyError(key)
        return value

    def get(self, key: Any, default: Any = None) -> Any:
        value = self._entries.get(key, _MISSING)
        self._noted.reads.entries[self._name, key] = value
        return default if value is _MISSING else value

    def __iter__(self) -> Iterator[Any]:
        self._noted.reads.whole[self._name] = self._entries
        return iter(self._entries)

    def __len__(self) -> int:
        self._noted.reads.whole[self._name] = self._entries
        return len(self._entries)


def _same(one: object, other: object) -> bool:
    return one is other or bool(one == other)
