"""RespectIgnoreDifferences: what is applied when ignored fields shall stay as they are live.

Called with the desired object just before it is applied, with the very rules comparing uses. Every ignored field takes
live's value, and is left out where live has none; all other fields stay as Git says, also in lists that are replaced as
a whole. Leaving ignored fields out altogether would not do: the server removes what its applier no longer says.
"""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import cuts, merge
from syncline.apimachinery.keys import Object, gvk_of
from syncline.apimachinery.merge import comparing
from syncline.apimachinery.merge.paths import FieldName, KeyElement, Path, ValueElement
from syncline.apimachinery.paths import MISSING, FieldPath, KeyMatch, ValueMatch
from syncline.apimachinery.schema.node import Node
from syncline.core.compare import placing
from syncline.core.compare.context import Context
from syncline.core.compare.ignore import rules as ignoring
from syncline.core.compare.ignore.rules import Stripped
from syncline.core.compare.placing import Steps
from syncline.core.compare.strategies import dry_run as dryrun

_SERVER_FIELDS = frozenset(("managedFields", "resourceVersion", "generation", "creationTimestamp", "uid"))


def desired_respecting_ignores(desired: Object, live: Object | None, context: Context) -> Stripped:
    """Return the desired object with live's values in all ignored fields; apply it once nothing is pending."""
    rules = context.rules.of(desired)
    if not rules or live is None:
        return Stripped(desired)
    node = context.node_for(gvk_of(desired))
    ours = ignoring.stripped(desired, rules, context.answers)
    theirs = ignoring.stripped(live, rules, context.answers)
    fields = dict.fromkeys(_fields(desired, ours.obj, node))
    fields.update(dict.fromkeys(_fields(live, theirs.obj, node)))
    fields.update(dict.fromkeys(_trusted(desired, live, ignoring.managers(rules), node)))
    result = desired
    gone: list[Steps] = []
    for steps in fields:
        value = FieldPath(steps).resolve(live)
        if value is not MISSING:
            result = placing.put(result, steps, value)
        else:
            gone.append(steps)
    # Last items first, so that the numbers of those before them stay right.
    for steps in reversed(gone):
        result = placing.cut(result, steps)
    problems = tuple(dict.fromkeys((*ours.problems, *theirs.problems)))
    return Stripped(result, (*ours.pending, *theirs.pending), problems)


def _fields(obj: Object, left: Object, node: Node) -> Iterator[Steps]:
    for path in cuts.taken_out(obj, left):
        if path[0] != "status" and not (path[0] == "metadata" and path[1:2] and path[1] in _SERVER_FIELDS):
            yield placing.identified(obj, path, node)


def _trusted(desired: Object, live: Object, managers: frozenset[str], node: Node) -> Iterator[Steps]:
    """Yield the fields that differ and that a trusted manager owns."""
    owned = dryrun.owned_by(live, managers) if managers else None
    if not owned:
        return
    try:
        changed = comparing.compare(live, desired, node).modified.intersection(owned)
    except merge.SchemaError:
        return
    for path in changed.iterate():
        if path and path[0] != FieldName("status"):
            yield steps_of(path)


def steps_of(path: Path) -> Steps:
    """Return a path of managedFields as steps into an object."""
    found: list[str | int | KeyMatch | ValueMatch] = []
    for element in path:
        if isinstance(element, FieldName):
            found.append(element.name)
        elif isinstance(element, KeyElement):
            found.append(KeyMatch(tuple(element.fields)))
        elif isinstance(element, ValueElement):
            found.append(ValueMatch(element.value))
        else:
            found.append(element.index)
    return tuple(found)
