"""What a rule says, and how rules are read.

Rules come from `syncline.sandbox.cluster.settings` and from the files of this package
(`syncline.sandbox.behaviours.shipped`), and go to `syncline.sandbox.behaviours.controller`. A file is a list of rules,
or a mapping that also brings custom kinds, objects and changes to new objects.
"""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object
from syncline.sandbox.behaviours import templates


class BehaviourError(Exception):
    """A rule cannot be read; the text is one sentence that says where and why."""


class Match(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which objects a rule is about."""

    group: str
    kind: str


class When(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What must hold for one field; `exists` is asked when neither of the others is given.

    Values may be templates. A path with `*` holds when one of its elements does.
    """

    path: str
    equals: Any = None
    one_of: list[Any] = msgspec.field(name="in", default=[])
    exists: bool = True
    like: str = ""
    """A pattern with `*` and `?` that the text must fit."""
    unlike: str = ""
    """A pattern that the text must not fit."""


class RecordedEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An Event that is recorded."""

    reason: str
    message: str
    type: str = "Normal"


class Depends(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What must be there. Texts may be templates.

    Another object by name or labels, with a True condition and fields as asked; or a fact of the world outside.
    """

    kind: str = ""
    name: str = ""
    labels: dict[str, str] = {}
    group: str = ""
    namespace: str = "{metadata.namespace|}"
    condition: str = ""
    where: list[When] = []
    asked: list[When] = msgspec.field(name="if", default=[])
    """Only looked for when these hold."""
    absent: bool = False
    """It must not be there."""
    outside: str = ""
    """`names` (DNS) or `secrets` (`name` with an optional `property`) instead of an object."""
    property: str = ""
    each: str = ""
    """Looked for once per element of this list, as `item`."""
    known_as: str = msgspec.field(name="as", default="")
    """Under which name its fields can be used in templates."""
    waiting: dict[str, Any] = {}
    """The status while it is missing; without one the rule's."""
    events: list[RecordedEvent] = []
    optional: bool = False
    """Looked up for its fields only."""


class ObjectChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Another object that is changed where it is there; it keeps its owners."""

    kind: str
    name: str
    group: str = ""
    namespace: str = "{metadata.namespace|}"
    merge: dict[str, Any] = {}
    status: dict[str, Any] = {}


class BehaviourRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What happens to matching objects; of several rules for a kind the first whose `when` holds is played."""

    name: str
    match: Match
    mode: str = ""
    """Only for objects of this mode: the annotation sandbox.syncline.io/mode, or the cluster file, chooses it."""
    when: list[When] = []
    after: Any = 0.0
    """Seconds after an object, or a new generation of it, was first seen in this rule; may be a template."""
    again: Any = 0.0
    """After how many seconds (or which duration) it is looked at again; 0 only when something changes."""
    depends: list[Depends] = []
    waiting: dict[str, Any] = {}
    """The status while something it depends on is missing."""
    create: list[dict[str, Any]] = []
    """Objects that are made and kept as said; they belong to the matching object."""
    merge: dict[str, Any] = {}
    """What is merged into the object itself, as a JSON merge patch."""
    then: list[Depends] = []
    """Looked for once the objects are made, as with `depends`."""
    finish: list[dict[str, Any]] = []
    """Objects that are made last, as with `create`."""
    status: dict[str, Any] = {}
    change: list[ObjectChange] = []
    """Other objects that are changed in the end."""
    tidy: bool = False
    """Whether objects of the same kinds that were made before, and are no longer, are deleted in the end."""
    events: list[RecordedEvent] = []
    """Recorded whenever the rule changed something."""
    component: str = "operator"
    """Who records events."""
    manager: str = "operator"
    """Who owns the fields that are written."""


class OperatorKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A custom kind that an operator brings, in few words."""

    group: str
    kind: str
    plural: str
    versions: list[str]
    """The first one is stored."""
    short: list[str] = []
    scope: str = "Namespaced"
    status: bool = True
    scale: dict[str, str] = {}
    schema: dict[str, Any] = {}
    """What is known of its fields: structural; everything else is kept as it is."""
    columns: list[dict[str, Any]] = []


class Injection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a mutating webhook does to new objects: merges fields, adds containers."""

    name: str
    match: Match
    service: str
    """`namespace/name` of the Service that answers it; while that has no endpoints all matching writes are refused."""
    path: str = "/inject?timeout=10s"
    when: list[When] = []
    namespace: list[When] = []
    """What must hold for the namespace of the object."""
    merge: dict[str, Any] = {}
    containers: list[dict[str, Any]] = []
    init_containers: list[dict[str, Any]] = msgspec.field(name="initContainers", default=[])


class Operator(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that one file says."""

    about: str = ""
    component: str = "operator"
    manager: str = "operator"
    definitions: list[OperatorKind] = []
    objects: list[dict[str, Any]] = []
    injections: list[Injection] = []
    rules: list[BehaviourRule] = []


def load(text: str, where: str) -> Operator:
    """Read one file; raises `BehaviourError`."""
    try:
        content = yaml.load(text.encode())
        if isinstance(content, list):
            content = {"rules": content}
        found = msgspec.convert(content, type=Operator)
    except (yaml.YamlError, msgspec.ValidationError) as error:
        raise BehaviourError(f"The behaviours in {where} cannot be read: {_told(error)}.") from None
    problem = next((problem for rule in found.rules if (problem := _problem(rule))), "")
    if problem:
        raise BehaviourError(f"The behaviours in {where} cannot be read: {problem}.")
    if found.component == "operator" and found.manager == "operator":
        return found
    return msgspec.structs.replace(found, rules=[_signed(rule, found) for rule in found.rules])


def _signed(rule: BehaviourRule, operator: Operator) -> BehaviourRule:
    """Let a rule act in the name of its operator unless it says otherwise."""
    return msgspec.structs.replace(
        rule,
        component=operator.component if rule.component == "operator" else rule.component,
        manager=operator.manager if rule.manager == "operator" else rule.manager,
    )


def _told(error: Exception) -> str:
    text = str(error).rstrip(".")
    return text.replace("Object contains unknown field", "unknown field").replace(" - at `$", ", at `file")


def _problem(rule: BehaviourRule) -> str:
    for template in (*rule.create, *rule.finish):
        if not {"apiVersion", "kind", "metadata"} <= template.keys():
            return f'rule "{rule.name}" creates something without apiVersion, kind or metadata'
    for one in (*rule.depends, *rule.then):
        if one.outside not in ("", "names", "secrets"):
            return f'rule "{rule.name}" depends on outside "{one.outside}"; known: names and secrets'
        if not one.outside and not one.kind:
            return f'rule "{rule.name}" depends on something without a kind'
        if not one.name and not one.labels:
            return f'rule "{rule.name}" depends on a {one.kind or one.outside} without a name or labels'
    wrong = sorted({name for text in _texts(msgspec.to_builtins(rule)) for name in templates.unknown_filters(text)})
    if wrong:
        return f'rule "{rule.name}" uses the filter {wrong[0]}; there are {", ".join(templates.filters())}'
    return ""


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for item in pair for text in _texts(item)]
    return [text for item in value for text in _texts(item)] if isinstance(value, list) else []


def definition(kind: OperatorKind) -> Object:
    """Return the CustomResourceDefinition of a kind."""
    keep = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {
        "type": "object",
        **({"x-kubernetes-preserve-unknown-fields": True} if not kind.schema else {}),
        "properties": {"spec": keep, "status": keep, **kind.schema},
    }
    subresources: Object = {"status": {}} if kind.status else {}
    if kind.scale:
        subresources["scale"] = dict(kind.scale)
    versions = [
        {
            "name": name,
            "served": True,
            "storage": number == 0,
            "schema": {"openAPIV3Schema": schema},
            **({"subresources": subresources} if subresources else {}),
            **({"additionalPrinterColumns": kind.columns} if kind.columns else {}),
        }
        for number, name in enumerate(kind.versions)
    ]
    names = {"plural": kind.plural, "singular": kind.kind.lower(), "kind": kind.kind, "listKind": f"{kind.kind}List"}
    if kind.short:
        names["shortNames"] = kind.short  # type: ignore[assignment]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.plural}.{kind.group}"},
        "spec": {"group": kind.group, "scope": kind.scope, "names": names, "versions": versions},
    }
