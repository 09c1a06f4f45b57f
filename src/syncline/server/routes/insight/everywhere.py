"""What is looked for across all Applications that may be seen: objects by name, and differences somebody accepted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from syncline.core.compare.ignore import acceptance
from syncline.model import application as model
from syncline.model.errors import InvalidSpec
from syncline.server.answers import fleet
from syncline.server.lists import selection
from syncline.server.lists.shelf import AppRow
from syncline.server.requests.call import Call
from syncline.server.requests.permissions import Filtered
from syncline.server.requests.routing import Endpoint, Query
from syncline.verbs.fleet.answer import redacted_values

_USUAL, _MOST = 20, 200
_NAMES = ("kind", "namespace", "name", "group", "status", "health")


async def objects(call: Call) -> dict[str, Any]:
    """Return the objects whose kind and name have a text in them, those whose name begins with it first."""
    text = call.text("search").lower()
    limit = call.number("limit", _USUAL, least=1, most=_MOST)
    found = [one for row in selection.visible(call, call.backend.shelf.rows()) for one in _matching(row, text)]
    found.sort(key=lambda one: (not one["name"].startswith(text), len(one["name"]), one["name"], one["kind"]))
    return {"schemaVersion": 1, "total": len(found), "items": found[:limit]}


def _matching(row: AppRow, text: str) -> Iterator[dict[str, Any]]:
    # Most Applications have no such object: one look at all their lines together sees that.
    if not text or text.rpartition("/")[2] not in row.objects.lower():
        return
    for line in row.objects.split("\n"):
        fields = dict(zip(_NAMES, line.split("\t"), strict=True))
        if text in f"{fields['kind']}/{fields['name']}".lower() or text in f"{fields['namespace']}/{fields['name']}":
            yield {**fields, "app": {"namespace": row.namespace, "name": row.name}}


async def accepted(call: Call) -> dict[str, Any]:
    """Return the differences that somebody agreed to live with, each with its reason; those that end soonest first."""
    rows = [row for row in selection.visible(call, call.backend.shelf.rows()) if row.accepts]
    now = call.backend.world.now()
    items, problems = [], []
    for row in rows:
        app = {"namespace": row.namespace, "name": row.name}
        try:
            obj = call.backend.application(row.key)
            read = acceptance.read(model.parse(obj)) if obj is not None else acceptance.NOTHING
        except InvalidSpec:
            continue
        problems += [{"app": app, "message": problem} for problem in read.problems]
        for one in read.drifts:
            rule = msgspec.to_builtins(one.entry)
            told = {"reason": one.reason, "expires": one.expires, "owner": one.owner, "rule": rule}
            items.append({"app": app, **told, "expired": one.has_expired(now)})
    items.sort(key=lambda one: (not one["expires"], one["expires"], one["app"]["name"]))
    shown: dict[str, Any] = redacted_values({"schemaVersion": 1, "items": items, "problems": problems})
    return shown


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/v1/syncline/objects",
        handler=objects,
        about="Objects of all Applications, by name.",
        answer=fleet.FoundObjects,
        permission=Filtered("applications", "get", "objects, by their Application"),
        query=(
            Query("search", "What kind, namespace or name have in them: gateway, Deployment/web, shop/web."),
            Query("limit", "At most so many.", "integer"),
        ),
    ),
    Endpoint(
        method="GET",
        path="/api/v1/syncline/accepted",
        handler=accepted,
        about="Differences that somebody agreed to live with.",
        answer=fleet.Accepted,
        permission=Filtered("applications", "get", "differences, by their Application"),
    ),
)
