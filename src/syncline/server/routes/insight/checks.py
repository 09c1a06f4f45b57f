"""A branch before its merge: what the merge will do to every app, and which mistakes it brings.

A branch may hold files of every Application of its repository, so it is shown to those who may see all of them.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec

from syncline.model.finding import Finding
from syncline.model.logins import without_logins
from syncline.model.preview import Preview
from syncline.server.access import claimed_projects as claimed
from syncline.server.answers import checks as answers
from syncline.server.insight.branches import Running, Wish
from syncline.server.lists import selection
from syncline.server.lists.shelf import AppRow
from syncline.server.requests.call import Call
from syncline.server.requests.failures import INVALID, Failure
from syncline.server.requests.permissions import Also, Filtered, Needs, Subject, Target
from syncline.server.requests.routing import Endpoint, Query
from syncline.server.routes.connections.clusters import rbac_name as cluster_name
from syncline.verbs.clusters import known_clusters
from syncline.verbs.errors import NotFound
from syncline.verbs.fleet.answer import redacted_values

_AROUND = 2
_WIDE = 300
_MAGIC = frozenset("*?[]{}!\\")
_LONGEST = 300


async def repositories(call: Call) -> dict[str, Any]:
    """Return the repositories whose branches may be looked at, with their branches."""
    wanted = call.text("repo")
    found = [
        {"url": url, "apps": len(rows), "branches": await _branches(call, url, rows) if url == wanted else []}
        for url, rows in sorted(_by_repository(call).items())
    ]
    return {"schemaVersion": 1, "repositories": found}


async def _branches(call: Call, url: str, rows: list[AppRow]) -> list[str]:
    return await call.backend.branches.branches(url, rows[0].project)


def _by_repository(call: Call) -> dict[str, list[AppRow]]:
    """Return the repositories of Git that Applications come from, where whoever asks may see all of those."""
    everything: dict[str, list[AppRow]] = defaultdict(list)
    for row in call.backend.shelf.rows():
        for url in dict.fromkeys(row.git):
            everything[url].append(row)
    return {
        url: rows
        for url, rows in everything.items()
        if call.may("repositories", "get", url)
        and all(selection.is_visible(call, row) for row in rows)
        # It is read for the first of them, so that one's project has to permit it.
        and claimed.permits_repository(call.backend, rows[0].project, url)
    }


async def _find_repository(call: Call) -> Target[None]:
    return Target(call.text("repo") or "*")


async def _find_apps(call: Call) -> Target[list[AppRow]]:
    rows = _by_repository(call).get(call.text("repo"))
    if not rows:
        # With a right to every Application one may know that none comes from there.
        return Target("*/*", problem=NotFound("no Application that you may see comes from this repository"))
    return Target("*/*", rows, permitted=True)


_REPOSITORY = Subject("the repository in the query", _find_repository)
_ITS_APPS = Subject("every Application that comes from the repository", _find_apps)


async def check(call: Call) -> dict[str, Any]:
    """Return what a branch does, or how far the look at it is; asking again tells more."""
    url, head, base = call.text("repo"), call.text("head"), call.text("base")
    rows = call.of(_ITS_APPS)
    if not head or len(head) > _LONGEST or len(base) > _LONGEST:
        raise Failure(INVALID, "head is the branch, tag or commit to look at")
    running = await call.backend.branches.at(await _wish(call, url, head, base, rows[0].project))
    if running.failure is not None:
        raise running.failure
    return running_json(running)


async def _wish(call: Call, url: str, head: str, base: str, project: str) -> Wish:
    """Return what is wished for, with what else whoever asks may see."""
    backend = call.backend
    visible = selection.visible(call, backend.shelf.rows())
    # What a policy would read as a pattern is nobody's address.
    named = {(row.project, one) for row in visible for one in row.repos if one and _MAGIC.isdisjoint(one)}
    # Anybody can name an address in an Application: it counts where the project of that one permits it.
    repos = {one for project_name, one in named if claimed.permits_repository(backend, project_name, one)}
    known, _ = await known_clusters(backend.home, backend.namespace)
    clusters = [one for one in known if call.may("clusters", "get", cluster_name(one))]
    return Wish(
        repo_url=url,
        head=head,
        base=base,
        project=project,
        permitted=tuple(sorted(repos)),
        clusters=tuple(sorted(clusters, key=lambda one: (one.name, one.server))),
    )


def running_json(running: Running) -> dict[str, Any]:
    """Return how a look at a branch stands, and what it found."""
    found = {
        "schemaVersion": 1,
        "repository": without_logins(running.wish.repo_url),
        "state": running.state,
        "base": running.revisions.base,
        "head": running.revisions.head,
        "progress": {"done": running.done, "known": running.known, "last": running.last},
        "seconds": round(running.seconds, 1),
    }
    return found if running.found is None else {**found, "preview": preview_json(running.found)}


def preview_json(found: Preview) -> dict[str, Any]:
    """Return a preview, each new finding with the lines that it points at."""
    value: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(found, files={}), enc_hook=str)
    value.pop("files", None)
    shown: dict[str, Any] = redacted_values(value)
    shown["frames"] = [_frame(one, found) for one in found.new]
    return shown


def _frame(finding: Finding, found: Preview) -> dict[str, Any] | None:
    """Return the lines around the first place of a finding; none of a file that holds a Secret."""
    place = next((one.place for one in finding.evidence if one.place is not None and one.place.file), None)
    if place is None:
        return None
    text = found.files.get(place.file, b"").decode(errors="replace")
    lines = [] if "kind: Secret" in text else text.splitlines()
    first, last = max(1, place.line - _AROUND), min(len(lines), place.line + _AROUND)
    numbers = range(first, last + 1) if 0 < place.line <= len(lines) else ()
    rows = [{"line": number, "text": redacted_values(lines[number - 1][:_WIDE])} for number in numbers]
    return {"place": str(place), "line": place.line, "lines": rows}


_CHECK = "/api/v1/syncline/check"
ENDPOINTS = (
    Endpoint(
        method="GET",
        path=f"{_CHECK}/repositories",
        handler=repositories,
        about="Repositories whose branches may be looked at.",
        answer=answers.CheckRepositories,
        permission=Filtered("repositories", "get", "repositories"),
        also=(Also("applications", "get", "a repository is left out unless every Application from it may be seen"),),
        query=(Query("repo", "With the branches of this one."),),
    ),
    Endpoint(
        method="GET",
        path=_CHECK,
        handler=check,
        about="What a branch does before it is merged; starts a look, and tells how far it is.",
        answer=answers.Checked,
        permission=(Needs("repositories", "get", _REPOSITORY), Needs("applications", "get", _ITS_APPS)),
        also=(Also("clusters", "get", "clusters that the look may use"),),
        query=(
            Query("repo", "The repository, as Applications name it."),
            Query("head", "Branch, tag or commit to look at."),
            Query("base", "What it is to be merged into (default: the default branch)."),
        ),
    ),
)
