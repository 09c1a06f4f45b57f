"""What a rule about references says, and how many rules are followed through an object in one walk.

Rules are written in `syncline.core.references.pods`, `syncline.core.references.kinds` and
`syncline.core.references.knowledge`, put together for a kind and walked by `syncline.core.references.read`. Paths look
like `spec.tls[].secretName`; names with dots are quoted. A path ends at a name, or at something with a name in it.
Objects of users may have any form: what does not fit is passed by.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from syncline.apimachinery.keys import GroupKind

_STEP = re.compile(r'\["([^"]+)"\]|(\[\])|([^.\[\]]+)')
_EACH = "[]"
Steps = tuple[str | int, ...]


class ReferenceRule(msgspec.Struct, frozen=True, kw_only=True):
    """Where a kind names objects of another kind.

    The name stands in the field `name` of what the path leads to. With `typed` the kind stands there too, and `kind`
    fills in what is left out; with `only` other kinds are not objects. An object with `own_name` makes one that is
    named as it is, where the path leads to nothing.
    """

    path: str
    kind: GroupKind
    name: str = "name"
    typed: bool = False
    only: tuple[str, ...] = ()
    makes: bool = False
    own_name: bool = False


Led = tuple[Any, Steps, ReferenceRule]
"""Where a rule led to, and on which way."""


class Branch:
    """The rules that go on below one field."""

    __slots__ = ("each", "fields", "rules")

    def __init__(self) -> None:
        self.fields: dict[str, Branch] = {}
        self.each: Branch | None = None
        self.rules: list[ReferenceRule] = []

    def walk(self, value: Any) -> list[Led]:
        """Return everything that a rule leads to, with the way there."""
        found: list[Led] = []
        self.collect(value, (), found)
        return found

    def collect(self, value: Any, steps: Steps, found: list[Led]) -> None:
        """Add what the rules here and below lead to."""
        # Runs for every field of every pod: a list that is filled costs a third of generators within generators.
        if self.rules:
            found += [(value, steps, rule) for rule in self.rules]
        if isinstance(value, dict):
            for name, below in self.fields.items():
                if name in value:
                    below.collect(value[name], (*steps, name), found)
        elif self.each is not None and isinstance(value, list):
            for index, item in enumerate(value):
                self.each.collect(item, (*steps, index), found)


def tree(rules: Iterable[ReferenceRule]) -> Branch:
    """Put rules together that are followed in one walk."""
    root = Branch()
    for rule in rules:
        branch = root
        for step in path_steps(rule.path):
            if step == _EACH:
                branch.each = branch = branch.each or Branch()
            else:
                branch = branch.fields.setdefault(step, Branch())
        branch.rules.append(rule)
    return root


def path_steps(path: str) -> list[str]:
    """Return the steps of a rule's path."""
    return ["".join(found) for found in _STEP.findall(path)]


def below(prefix: str, rules: Iterable[ReferenceRule]) -> tuple[ReferenceRule, ...]:
    """Return rules for a field of an object as rules for the object."""
    return tuple(msgspec.structs.replace(rule, path=f"{prefix}.{rule.path}") for rule in rules)
