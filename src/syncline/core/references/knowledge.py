"""Finds where a kind of an operator names other objects: `syncline/knowledge/<group>/<Kind>/references.yaml`.

Read by `syncline.core.references.read` when a kind is first met: those that supply Secrets, certificates, routes,
scaling and rollouts, since most chains of causes lead through them. A folder is found by listing, never by joining what
an object says about itself, so that no apiVersion leads out of the data.
"""

from __future__ import annotations

import functools
from importlib import resources

import msgspec

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import GroupKind
from syncline.core.references.pods import POD
from syncline.core.references.rules import ReferenceRule, below

FILE = "references.yaml"
_PACKAGE = "syncline.knowledge"


class _Written(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """One rule as the file has it; `kind` is `group/Kind`, or `Kind` for a core kind."""

    path: str
    kind: str
    name: str = "name"
    typed: bool = False
    only: tuple[str, ...] = ()
    makes: bool = False
    own_name: bool = False

    def rule(self) -> ReferenceRule:
        group, _, kind = self.kind.rpartition("/")
        return ReferenceRule(
            path=self.path,
            kind=GroupKind(group, kind),
            name=self.name,
            typed=self.typed,
            only=self.only,
            makes=self.makes,
            own_name=self.own_name,
        )


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """What one file says; `pod_template` is where the kind holds the spec of a pod, which names objects of its own."""

    pod_template: str = ""
    references: tuple[_Written, ...] = ()


@functools.cache
def described() -> frozenset[GroupKind]:
    """Return the kinds that have a file."""
    groups = [group for group in resources.files(_PACKAGE).iterdir() if group.is_dir()]
    return frozenset(
        GroupKind(group.name, kind.name)
        for group in groups
        for kind in group.iterdir()
        if kind.joinpath(FILE).is_file()
    )


def rules_for(kind: GroupKind) -> tuple[ReferenceRule, ...] | None:
    """Return the rules of a kind; None for one that nobody described."""
    if kind not in described():
        return None
    text = resources.files(_PACKAGE).joinpath(kind.group, kind.kind, FILE).read_bytes()
    return read(text, f"{kind.group}/{kind.kind}/{FILE}")


def read(text: bytes, source: str) -> tuple[ReferenceRule, ...]:
    """Return the rules of a file; raises an error that names it where it cannot be used."""
    try:
        found = msgspec.convert(yaml.load(text, source=source), _File)
    except msgspec.ValidationError as error:
        raise yaml.YamlError(str(error), source=source) from None
    return (*(below(found.pod_template, POD) if found.pod_template else ()), *(one.rule() for one in found.references))
