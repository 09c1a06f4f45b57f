"""An object that several Applications deliver: they take it from one another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from syncline.apimachinery import meta
from syncline.apimachinery.keys import ObjectKey
from syncline.core.compare.tracking import parse_tracking_id
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.applications.orphans import orphaned
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rules.ownership.shared_object import RULE
from syncline.model import names
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix

_SHARED = re.compile(r"(?P<kind>\w+)/(?P<name>[\w.-]+) is part of applications (?P<apps>.+)")
_SHOWN = 5
_OWNED = " owns it"


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each object that another app delivers too: because of that one, where nobody wants it.

    Objects of the same two apps are one cause. It keeps nobody from delivering: what fails for want of the app does not
    fail because of it.
    """
    said = dict(_by_condition(node))
    # Where one app owns an object and the other leaves it alone, nothing is overwritten.
    settled = {thing for thing, who in said.items() if _OWNED in who}
    for thing, who in {**dict(_by_tracking(node)), **said}.items():
        deliverers = node.fleet.deliverers(thing)
        others = [one for one in deliverers if one != node.key and orphaned(node.fleet, node.fleet.apps[one])]
        pair = " and ".join(sorted(one.removeprefix(f"{node.key.namespace}/") for one in _names(who)))
        yield Fault(
            rule=RULE,
            state="OutOfSync",
            because=tuple(Thing(cluster=node.fleet.home.name, key=one) for one in others),
            cause=Thing(cluster=thing.cluster, outside="objects of", name=pair),
            part=thing,
            alone=thing,
            together=partial(_finding, node, pair, by_condition=thing in said),
            apart=True,
            weak=thing in settled,
        )


def _names(who: str) -> list[str]:
    """Return the names of apps that share an object, without what Syncline adds about who owns it."""
    return who.partition(": ")[0].split(" and ")


def _by_condition(node: Node) -> Iterator[tuple[Thing, str]]:
    """Yield the objects that the conditions of an app name as shared, and with whom."""
    for one in apps.status(node.obj).get("conditions") or ():
        found = _SHARED.search(str(one.get("message") or "")) if one.get("type") == "SharedResourceWarning" else None
        if found is None:
            continue
        rows = (thing for thing, _row in node.fleet.managed(node.obj) if thing.key is not None)
        name = (found["kind"], found["name"])
        thing = next((row for row in rows if row.key is not None and (row.key.kind, row.key.name) == name), None)
        where = node.fleet.destination(node.obj).name
        yield thing or Thing(cluster=where, outside="object", name="/".join(name)), found["apps"]


def _by_tracking(node: Node) -> Iterator[tuple[Thing, str]]:
    """Yield what differs and has the tracking id of one of several apps that deliver it, this one or another."""
    for thing, row in node.fleet.managed(node.obj):
        live = node.fleet.find(thing) if row.get("status") == "OutOfSync" else None
        if live is None or thing.key is None:
            continue
        tracked = parse_tracking_id(meta.annotations(live).get(names.TRACKING_ID, ""))
        if tracked is None or not _is_itself(tracked[1], thing.key):
            continue
        deliverers = node.fleet.deliverers(thing)
        if len(deliverers) > 1 and any(_is_instance(one, tracked[0]) for one in deliverers):
            yield thing, listed([one.name for one in deliverers])


def _is_itself(named: ObjectKey, key: ObjectKey) -> bool:
    """Whether a tracking id names the object that has it; a copy carries that of the original.

    Of what belongs to no namespace the id may have the one that its app is delivered to.
    """
    same = (named.group, named.kind, named.name) == (key.group, key.kind, key.name)
    return same and key.namespace in ("", named.namespace)


def _is_instance(app: ObjectKey, instance: str) -> bool:
    return instance in (app.name, f"{app.namespace}_{app.name}")


def _lines(node: Node, thing: Thing) -> list[Evidence]:
    """Return the line of an object in the source of each app that delivers it, as far as they were rendered."""
    found = node.fleet.written_by(thing)
    if len(found) < 2:
        return line(node.fleet, thing)
    return [
        Evidence(kind=EvidenceKind.FILE, text=f"of {app.name}", subject=thing.key, place=item.origin.place())
        for app, item in found
    ]


def _finding(node: Node, pair: str, things: Sequence[Thing], *, by_condition: bool) -> Finding:
    one = things[0] if len(things) == 1 else None
    named = [app.name for app in node.fleet.deliverers(one)] if one is not None else []
    everybody = listed(named, most=6) if len(named) > 1 else pair
    what = str(one) if one is not None else f"{len(things)} objects"
    which = "" if one is not None else f": {listed([str(thing) for thing in things])}"
    verb, them, taken = ("is", "it", what) if one is not None else ("are", "them", "them")
    text = f"part of {pair}" if by_condition else f"tracked by another app: {pair}"
    return RULE.finding(
        what if one is not None else f"{what} of {pair}",
        f"{what} {verb} delivered by {everybody}, which overwrite each other{which}",
        evidence=[
            Evidence(kind=EvidenceKind.CONDITION, text=text, subject=node.key, path="status.conditions"),
            *(found for thing in things[:_SHOWN] for found in _lines(node, thing)),
        ],
        confidence=Confidence.DECLARED,
        fix=Fix(text=f"decide which app keeps {them}, and remove {taken} from the source of the others"),
    )
