"""A Secret or ConfigMap, or a key of it, that something names and nobody made: because of its maker, if it has one."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import Object, key_of
from syncline.apimachinery.paths import FieldPath
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.graph.view.near import near
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rules.secrets.reference_missing import RULE
from syncline.core.references import read
from syncline.core.references.pods import CONFIG_MAP, SECRET
from syncline.model.diagnosis import Thing
from syncline.model.finding import Edit, Evidence, EvidenceKind, Finding, Fix
from syncline.model.reference import Reference

_SHOWN = 3


@on_node(RULE, SECRET, CONFIG_MAP)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for an absent object, or an absent key; one that is there is good."""
    if not node.thing.absent:
        return
    makers = tuple(node.at(key) for key in node.cluster.makers(node.key))
    apps = () if node.thing.name else node.fleet.undelivered_by(node.thing)
    state = f"key {node.thing.name} missing" if node.thing.name else "absent"
    yield Fault(rule=RULE, state=state, because=(*makers, *apps), tell=lambda: _finding(node, makers))


def _finding(node: Node, makers: tuple[Thing, ...]) -> Finding:
    key, part = node.key, node.thing.name
    users = _users(node)
    what = f'key "{part}" of {key.short}' if part else key.short
    who = (
        f", which {listed([str(one) for one in makers])} should make"
        if makers
        else ", and nothing that was read creates it"
    )
    known = node.cluster.is_absent(key) or bool(node.cluster.get(key))
    return RULE.finding(
        key.short,
        f"{what} is missing in namespace {key.namespace}{who}; {_named(users)}",
        evidence=[
            *(
                Evidence(kind=EvidenceKind.FIELD, text=f"names {key.short}", subject=user.key, path=path)
                for user, path in users[:_SHOWN]
            ),
            *(found for user, path in users[:_SHOWN] for found in line(node.fleet, user, path)),
            *([Evidence(kind=EvidenceKind.FIELD, text="not among what was listed", subject=key)] if known else []),
        ],
        fix=_fix(node, makers, users),
    )


def _named(users: list[tuple[Thing, str]]) -> str:
    names = list(dict.fromkeys(str(user) for user, _path in users))
    return f"named by {listed(names)}" if names else "a pod names it"


def _users(node: Node) -> list[tuple[Thing, str]]:
    """Return the workloads that name it, and in which field."""
    found: dict[Thing, str] = {}
    for pod in node.cluster.pods_naming(node.key):
        owner = node.cluster.top(node.cluster.objects[pod])
        if node.at(key_of(owner)) in found:
            continue
        for one in read.references(owner):
            if one.key == node.key and (not node.thing.name or one.part in ("", node.thing.name)):
                found.setdefault(node.at(key_of(owner)), _path(one, owner, node.thing.name))
        found.setdefault(node.at(key_of(owner)), "")
    return list(found.items())


def _path(one: Reference, owner: Object, part: str) -> str:
    """Return the field of a reference that is wrong: that of the key, where the object is there."""
    sibling = f"{one.path.rpartition('.')[0]}.key"
    return sibling if part and FieldPath.parse(sibling).resolve(owner) == part else one.path


def _edits(node: Node, users: list[tuple[Thing, str]], close: list[str]) -> tuple[Edit, ...]:
    """Return the edits that name the one thing that can be meant; none where a line of them is not certain."""
    if len(close) != 1 or not users or len(users) > _SHOWN:
        return ()
    fixes = [rewrite(node.fleet, user, path, close[0]) for user, path in users if path]
    return tuple(edit for fix in fixes for edit in fix.edits) if all(fix.edits for fix in fixes) else ()


def _fix(node: Node, makers: tuple[Thing, ...], users: list[tuple[Thing, str]]) -> Fix:
    key, part = node.key, node.thing.name
    if makers:
        return Fix(
            text=f"decide: check why {makers[0]} reports ready; it creates {key.short} again when it is refreshed"
        )
    if part:
        obj = node.cluster.get(key) or {}
        close = near(part, [name for field in ("data", "binaryData") for name in obj.get(field) or ()])
        hint = f" (there: {listed(close)})" if close else ""
        if edits := _edits(node, users, close):
            return Fix(edits=edits)
        return Fix(text=f"decide: add {part} to {key.short}, or name a key that it has{hint}")
    same = [one.name for one, _obj in node.cluster.of_kind(key.group_kind, key.namespace)]
    close = near(key.name, same)
    if edits := _edits(node, users, close):
        return Fix(edits=edits)
    if close:
        return Fix(text=f"decide: name {listed(close)}, which exists in {key.namespace}, or deliver {key.name}")
    elsewhere = [one.namespace for one, _obj in node.cluster.of_kind(key.group_kind) if one.name == key.name]
    if elsewhere:
        return Fix(text=f"decide: deliver it to {key.namespace} too; it exists in {listed(elsewhere)}")
    return Fix(text=f"decide: deliver {key.short} to {key.namespace}, or remove the reference")
