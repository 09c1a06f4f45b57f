"""Small facts about Applications: windows that hold them, commits, links."""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.model import application as model
from syncline.model.errors import SourceError
from syncline.model.project import SyncWindow
from syncline.model.sources.source import ApplicationSource
from syncline.server.access import claimed_projects as claimed
from syncline.server.answers import apps
from syncline.server.lists.shelf import project_of
from syncline.server.requests.call import Call
from syncline.server.requests.routing import Endpoint, Query
from syncline.server.routes.applications.found import OBJECT, OF_APP, READS, application, named_object
from syncline.verbs.errors import InvalidRequest, NotFound
from syncline.verbs.sync_windows import sync_windows

_TAG = "refs/tags/"
_LINK = "link.argocd.argoproj.io/"
_SAFE = ("http://", "https://", "mailto:")


async def windows(call: Call) -> dict[str, Any]:
    """Return the windows that concern an Application, and whether it may sync now."""
    app = application(call)
    found = await sync_windows(call.backend.home, app, call.backend.namespace, call.backend.world.clock)
    if found is None:
        return {"activeWindows": [], "assignedWindows": [], "canSync": True}
    return {
        "activeWindows": [_window(one.rule) for one in found.states if one.open],
        "assignedWindows": [_window(rule) for rule in found.assigned],
        "canSync": found.manual.allowed,
        "standing": msgspec.to_builtins(found),
    }


def _window(rule: SyncWindow) -> dict[str, Any]:
    """Return a window as Argo CD shows it to an Application: without whom else it concerns."""
    return {"kind": rule.kind, "schedule": rule.schedule, "duration": rule.duration, "manualSync": rule.manual_sync}


async def revision_metadata(call: Call) -> dict[str, Any]:
    """Return who committed a revision of an Application, when, and what they said."""
    app = application(call)
    sources = model.parse(app).spec.all_sources
    index = call.number("sourceIndex")
    if index >= len(sources):
        raise InvalidRequest(f"this Application has {len(sources)} sources")
    source, project = sources[index], project_of(app)
    # Commits of a repository that others may read are in the same cache: what the project denies is not told of.
    claimed.require_permitted(call.backend, project, source.repo_url)
    note = await call.backend.world.source.describe(source.repo_url, call.path("revision"))
    if note is None:
        raise NotFound("nothing is known of that revision")
    return {
        "author": note.author,
        "date": note.date,
        "message": note.message,
        "tags": await _tags(call, source, project),
    }


async def _tags(call: Call, source: ApplicationSource, project: str) -> list[str]:
    """Return the tags of a revision; none where the repository does not tell."""
    try:
        found = await call.backend.world.source.references(source.repo_url, project)
    except SourceError:
        return []
    wanted = call.path("revision")
    return sorted(name.removeprefix(_TAG) for name, sha in found.items() if sha == wanted and name.startswith(_TAG))


async def links_of_object(call: Call) -> dict[str, Any]:
    """Return the links of one object; deep links of settings are not made."""
    named_object(call)
    return {"items": []}


async def links(call: Call) -> dict[str, Any]:
    """Return the links that annotations of an Application name; only those to web pages and mailboxes."""
    app = application(call)
    found = []
    for name, value in sorted(meta.annotations(app).items()):
        title, _, url = str(value).rpartition("|")
        if name.startswith(_LINK) and is_safe(url):
            found.append({"title": title or name.removeprefix(_LINK), "url": url})
    return {"items": found}


def is_safe(url: str) -> bool:
    """Whether a link may be shown: nothing but web pages and mailboxes, without blanks that hide a scheme."""
    return url.startswith(_SAFE) and url.isprintable() and " " not in url


_APP = "/api/v1/applications/{name}"
ENDPOINTS = (
    Endpoint(
        method="GET",
        path=f"{_APP}/syncwindows",
        handler=windows,
        about="Windows that concern it.",
        answer=apps.AppWindows,
        permission=READS,
        query=OF_APP,
    ),
    Endpoint(
        method="GET",
        path=f"{_APP}/revisions/{{revision}}/metadata",
        handler=revision_metadata,
        about="Who committed a revision.",
        answer=apps.RevisionMetadata,
        permission=READS,
        query=(*OF_APP, Query("sourceIndex", "Of which source.", "integer")),
    ),
    Endpoint(
        method="GET",
        path=f"{_APP}/resource/links",
        handler=links_of_object,
        about="Links of an object.",
        answer=apps.NamedLinks,
        permission=READS,
        query=(*OF_APP, *OBJECT),
    ),
    Endpoint(
        method="GET",
        path=f"{_APP}/links",
        handler=links,
        about="Links of an Application.",
        answer=apps.NamedLinks,
        permission=READS,
        query=OF_APP,
    ),
)
