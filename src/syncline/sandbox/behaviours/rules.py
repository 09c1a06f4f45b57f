"""What a rule says, and how rules are read.

Rules come from `syncline.sandbox.settings` and from the files of this package, and go to
`syncline.sandbox.behaviours.controller`.
"""

from __future__ import annotations

from importlib import resources
from typing import Any

import msgspec

from syncline.apimachinery import yaml


class BehaviourError(Exception):
    """A rule cannot be read; the text is one sentence that says where and why."""


class Match(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which objects a rule is about."""

    group: str
    kind: str


class When(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What must hold for one field; `exists` is asked when neither of the others is given."""

    path: str
    equals: Any = None
    one_of: list[Any] = msgspec.field(name="in", default=[])
    exists: bool = True


class Depends(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Another object that must be there, and whose condition must be True if one is named. Texts may be templates."""

    kind: str
    name: str
    group: str = ""
    namespace: str = "{metadata.namespace|}"
    condition: str = ""


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What happens to matching objects; of several rules for a kind the first whose `when` holds is played."""

    name: str
    match: Match
    when: list[When] = []
    after: float = 0.0
    """Seconds after an object, or a new generation of it, was seen."""
    depends: list[Depends] = []
    waiting: dict[str, Any] = {}
    """The status while something it depends on is missing."""
    create: list[dict[str, Any]] = []
    """Objects that are made and kept as said; they belong to the matching object."""
    merge: dict[str, Any] = {}
    """What is merged into the object itself, as a JSON merge patch."""
    status: dict[str, Any] = {}


def load(text: str, where: str) -> list[Rule]:
    """Read the rules of one file; raises `BehaviourError`."""
    try:
        rules = msgspec.convert(yaml.load(text.encode()), type=list[Rule])
    except (yaml.YamlError, msgspec.ValidationError) as error:
        raise BehaviourError(f"The behaviours in {where} cannot be read: {error}.") from None
    for rule in rules:
        for template in rule.create:
            if not {"apiVersion", "kind", "metadata"} <= template.keys():
                text = f'rule "{rule.name}" creates something without apiVersion, kind or metadata'
                raise BehaviourError(f"The behaviours in {where} cannot be read: {text}.")
    return rules


def shipped() -> list[Rule]:
    """Return the rules of this package."""
    folder = resources.files("syncline.sandbox.behaviours")
    files = sorted((one for one in folder.iterdir() if one.name.endswith(".yaml")), key=lambda one: one.name)
    return [rule for one in files for rule in load(one.read_text(encoding="utf-8"), one.name)]
