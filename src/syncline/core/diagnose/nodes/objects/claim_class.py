"""PersistentVolumeClaims of a class that does not exist: one cause for all of them, and one repair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rules.volumes.storage_class_missing import RULE, PendingClaim, deletion, template_path
from syncline.core.references.pods import CLAIM, STORAGE_CLASS
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix

_PATH = "spec.storageClassName"
_STATEFUL_SET = GroupKind("apps", "StatefulSet")
_VOLUME = ObjectKey("", "PersistentVolume", "", "").group_kind


class _Claim(msgspec.Struct, frozen=True):
    """One claim of the class, its lines, and the edit that names another class."""

    pending: PendingClaim
    lines: tuple[Evidence, ...]
    right: Fix | None


@on_node(RULE, CLAIM)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a pending claim whose class is not there, and which no volume of that class serves."""
    name = str((node.obj.get("spec") or {}).get("storageClassName") or "")
    pending = (node.obj.get("status") or {}).get("phase") == "Pending"
    volumes = [obj for _key, obj in node.cluster.of_kind(_VOLUME)]
    served = any((one.get("spec") or {}).get("storageClassName") == name for one in volumes)
    if pending and not served and node.cluster.lacks_class(node.obj):
        cause = node.missing(ObjectKey("storage.k8s.io", "StorageClass", "", name))
        known = tuple(key.name for key, _obj in node.cluster.of_kind(STORAGE_CLASS))
        yield Fault(
            rule=RULE,
            state="Pending",
            cause=cause,
            part=_claim(node, name, known),
            together=partial(_finding, name, known),
        )


def _claim(node: Node, name: str, known: Sequence[str]) -> _Claim:
    near = nearest(name, known) or (known if len(known) == 1 else [])
    maker, path = _maker(node)
    thing = node.at(maker) if maker is not None else node.thing
    apps = node.fleet.deliverers(thing)
    right = rewrite(node.fleet, thing, path, near[0]) if near else None
    pending = PendingClaim(apps[0].name if apps else "", node.key, maker)
    return _Claim(pending, tuple(line(node.fleet, thing, path)), right)


def _maker(node: Node) -> tuple[ObjectKey | None, str]:
    """Return the StatefulSet whose template made a claim, if one did, and where the class is named."""
    for key, obj in node.cluster.of_kind(_STATEFUL_SET, node.key.namespace):
        if path := template_path(obj, node.key):
            return key, path
    return None, _PATH


def _finding(name: str, known: Sequence[str], claims: Sequence[_Claim]) -> Finding:
    shown = listed(list(known)) or "none"
    first = claims[0].pending.key
    more = f" and {len(claims) - 1} more" if len(claims) > 1 else ""
    verb = "is" if len(claims) == 1 else "are"
    return RULE.finding(
        f"StorageClass/{name}",
        f'class "{name}" does not exist (existing: {shown}); {first.short} in {first.namespace}{more} {verb} of it',
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text=name, subject=first, path=_PATH),
            *(one for claim in claims for one in claim.lines),
        ],
        fix=_fix(claims) or _decision(name, known),
    )


def _decision(name: str, known: Sequence[str]) -> Fix:
    other = f", or name one of {listed(list(known))}" if known else ""
    return Fix(text=f"decide: deliver the class {name}{other}")


def _fix(claims: Sequence[_Claim]) -> Fix | None:
    """Return the other class, and the deletion of the claims: their class cannot change, and nothing is in them yet."""
    fixes = [claim.right for claim in claims if claim.right is not None]
    if len(fixes) < len(claims):
        return None
    edits = tuple(dict.fromkeys(edit for one in fixes for edit in one.edits))
    words = dict.fromkeys(one.text for one in fixes if one.text)
    them = "the claim is" if len(claims) == 1 else "the claims are"
    text = "; ".join([*words, f"{them} empty, and a class cannot change"])
    return Fix(text=text, edits=edits, command=deletion([claim.pending for claim in claims]))
