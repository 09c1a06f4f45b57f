"""The whole fleet at a glance: counts, causes, light rows, the diagnosis behind them, and the file to pass on."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing
from functools import partial
from typing import Any

import msgspec
from starlette.responses import Response, StreamingResponse

from syncline.apimachinery.keys import ObjectKey
from syncline.controller.app_key import APPLICATION, application_key
from syncline.core.diagnose.findings.redaction import without_secrets
from syncline.model import fleet_file
from syncline.model.diagnosis import Diagnosis, RootCause
from syncline.server.answers import fleet as answers
from syncline.server.answers.kinds import Stream, Text
from syncline.server.insight.diagnoses import Diagnosed, hides_sets, seen_by
from syncline.server.insight.patches import patch_of
from syncline.server.insight.readers import is_operator, redact_diagnosis
from syncline.server.insight.told import Told, told_by_app
from syncline.server.lists import selection
from syncline.server.lists.feed import FROM_NOW
from syncline.server.lists.shelf import AppRow, newest_version, row_of
from syncline.server.lists.visible_sets import visible_sets
from syncline.server.requests.answers import HEADERS
from syncline.server.requests.call import Call
from syncline.server.requests.failures import PermissionDenied
from syncline.server.requests.permissions import Also, Filtered, Needs, Subject, Target, always
from syncline.server.requests.routing import Endpoint, Query
from syncline.server.requests.streams import stream
from syncline.verbs.errors import NotFound
from syncline.verbs.fleet.answer import cause_values, diagnosis_values, redacted_values
from syncline.verbs.fleet.sharing import cleaned

_USUAL_ROWS = 500
_TELLING = 4


async def fleet(call: Call) -> dict[str, Any]:
    """Return counts, causes and rows of the Applications that match and may be seen."""
    backend = call.backend
    visible = selection.visible(call, backend.shelf.rows())
    backend.diagnoses.wanted()
    last = backend.diagnoses.last
    found = _seen(call, last, visible) if last is not None else None
    told = told_by_app(found, last.good) if found is not None and last is not None else Told()
    wanted, cause = selection.chosen(call), call.text("cause")
    matching = [row for row in visible if wanted.matches(row) and (not cause or cause in told.of(row)[0])]
    shown = selection.page(call, selection.ordered(call, matching), usual=_USUAL_ROWS)
    rows = [row_json(row, told) for row in shown] if call.flag("rows", otherwise=True) else []
    return {
        "schemaVersion": 1,
        "asOf": backend.world.now(),
        "version": newest_version(backend.shelf.rows()),
        "trouble": without_secrets(backend.live.unreachable),
        "total": len(visible),
        "good": sum(row.good for row in visible),
        "matching": len(matching),
        "counts": _counts(visible),
        "diagnosis": {
            "state": backend.diagnoses.state,
            "asOf": found.as_of if found else "",
            "seconds": round(last.seconds, 3) if last else 0,
            "message": without_secrets(backend.diagnoses.failed),
            "late": last.late if last else 0,
        },
        "told": told.digest(),
        "causes": [_brief(one) for one in found.causes] if found else [],
        "repairs": [{"cause": one.cause, "goodAfter": one.good_after} for one in found.repairs] if found else [],
        "rows": rows,
    }


def _counts(rows: Iterable[AppRow]) -> dict[str, dict[str, int]]:
    counters: dict[str, Counter[str]] = {
        name: Counter() for name in ("sync", "health", "operation", "project", "cluster")
    }
    for row in rows:
        counters["sync"][row.sync] += 1
        counters["health"][row.health] += 1
        counters["project"][row.project] += 1
        counters["cluster"][row.cluster] += 1
        if row.operation:
            counters["operation"][row.operation] += 1
    return {name: dict(sorted(counter.items())) for name, counter in counters.items()}


def row_json(row: AppRow, told: Told) -> dict[str, Any]:
    """Return a row as clients take it; how a cause shows tells more than the cluster's own words."""
    causes, way = told.of(row)
    return {
        "name": row.name,
        "namespace": row.namespace,
        "project": row.project,
        "sync": row.sync,
        "health": row.health,
        "operation": row.operation,
        "sentence": without_secrets(way or row.sentence),
        "since": row.since,
        "causes": list(causes),
        "cluster": row.cluster,
        "destinationNamespace": row.destination_namespace,
        "revision": row.revision,
        "auto": row.auto,
        "set": row.set,
        "version": row.version,
    }


def _brief(cause: RootCause) -> dict[str, Any]:
    """Return a cause in one row."""
    finding, key = cause.finding, cause.thing.key
    edits = finding.fix.edits if finding.fix else ()
    files = len({edit.place.file for edit in edits})
    shown = {
        "id": cause.id,
        "rank": cause.rank,
        "code": finding.code,
        "name": finding.name,
        "title": finding.message,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "thing": str(cause.thing),
        "cluster": cause.thing.cluster,
        "object": str(key) if key is not None else "",
        "apps": len(cause.affected),
        "since": finding.since,
        "fix": f"{files} file{'' if files == 1 else 's'}" if edits else (finding.fix.text if finding.fix else ""),
        "command": finding.fix.command if finding.fix else "",
        "files": files,
        "chain": [f"{link.count:,} {link.kind} {link.state}".rstrip() for link in cause.chain],
        "nextInLine": list(cause.next_in_line),
    }
    found: dict[str, Any] = redacted_values(shown)
    return found


def _seen(call: Call, found: Diagnosed, visible: list[AppRow]) -> Diagnosis:
    """Return the diagnosis as far as whoever asks may see it."""
    sets = visible_sets(call)
    names = frozenset(str(row.key) for row in visible)
    whole = found.diagnosis
    told = {name for cause in whole.causes for name in cause.affected}
    reads_all = is_operator(call, visible)
    sees_all = reads_all and told <= names and whole.total <= len(names)
    if sees_all and not any(hides_sets(cause, sets) for cause in whole.causes):
        return whole
    bad = [row for row in visible if not row.good]
    states = Counter(word for row in bad for word in (row.sync, row.health) if word not in ("Synced", "Healthy"))
    shown = seen_by(whole, names, sets, total=len(visible), good=len(visible) - len(bad), counts=dict(states))
    if reads_all:
        return shown
    # Of the objects only those of visible Applications are counted: others show when somebody else creates one.
    count = sum(len(row.objects.split("\n")) for row in visible if row.objects)
    return redact_diagnosis(call, msgspec.structs.replace(shown, objects=count), visible, *found.seen_where())


async def diagnosis(call: Call) -> dict[str, Any]:
    """Return the diagnosis of the Applications that may be seen."""
    visible = call.of(_SOME)
    found = _seen(call, await call.backend.diagnoses.current(now=call.flag("refresh")), visible)
    states = {str(row.key): ", ".join(_wrong(row)) or "Synced, Healthy" for row in visible}
    return diagnosis_values(found, counted="app", states=states, with_logs=_may_read_logs(call, visible))


async def _find_some(call: Call) -> Target[list[AppRow]]:
    """Find the rows that may be seen; whoever may see none is denied the rest too."""
    visible = selection.visible(call, call.backend.shelf.rows())
    return Target("*/*", visible, permitted=bool(visible))


_SOME = Subject("at least one Application; the answer leaves out the others", _find_some)


def _wrong(row: AppRow) -> list[str]:
    return [word for word, good in ((row.sync, "Synced"), (row.health, "Healthy")) if word != good]


def _may_read_logs(call: Call, rows: Iterable[AppRow]) -> bool:
    control = call.backend.namespace
    return all(call.may("logs", "get", row.rbac_name(control)) for row in rows)


async def one_cause(call: Call) -> dict[str, Any]:
    """Return all about one cause: its evidence, and the Applications that may be seen."""
    visible = call.of(_SOME)
    last = await call.backend.diagnoses.current()
    found = _seen(call, last, visible)
    cause = _chosen(found, call.path("id"))
    told = told_by_app(found, last.good)
    rows = [row for row in visible if str(row.key) in set(cause.affected)]
    shown: dict[str, Any] = redacted_values(cause_values(cause, with_logs=_may_read_logs(call, rows)))
    apps = (obj for row in rows if (obj := call.backend.application(row.key)) is not None)

    def permitted(project: str) -> tuple[str, ...]:
        known = call.backend.guard.project(project)
        return tuple(known.spec.source_repos) if known is not None else ()

    offered = await patch_of(call.backend.world, cause.finding, apps, permitted)
    return {**shown, "apps": [row_json(row, told) for row in rows], "patch": offered}


def _chosen(found: Diagnosis, name: str) -> RootCause:
    """Return the cause that a rank, an id or the beginning of one means."""
    fits = [one for one in found.causes if str(one.rank) == name]
    if not fits and len(name) >= _TELLING:
        fits = [one for one in found.causes if one.id.startswith(name)]
    if len(fits) != 1:
        raise NotFound(f"there is no cause {name}")
    return fits[0]


async def snapshot(call: Call) -> Response:
    """Return all that the diagnosis saw, without secrets, as the file that `syncline snapshot` writes."""
    if len(selection.visible(call, call.backend.shelf.rows())) != len(call.backend.shelf.rows()):
        raise PermissionDenied
    found = (await call.backend.diagnoses.current()).snapshot
    headers = {**HEADERS, "Content-Disposition": 'attachment; filename="syncline-snapshot.jsonl.gz"'}
    return StreamingResponse(_packed(fleet_file.lines(found, cleaned)), media_type="application/gzip", headers=headers)


async def _packed(lines: Iterable[bytes]) -> AsyncIterator[bytes]:
    press = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
    for line in lines:
        if made := press.compress(line):
            yield made
    yield press.flush()


def _told_now(call: Call) -> Told:
    """Return what the newest diagnosis says of the Applications that may be seen."""
    last = call.backend.diagnoses.last
    if last is None:
        return Told()
    return told_by_app(_seen(call, last, selection.visible(call, call.backend.shelf.rows())), last.good)


async def stream_fleet(call: Call) -> Response:
    """Send rows that have changed since a version, or that change from now on, and when there is a new diagnosis."""
    backend = call.backend
    since = call.number("resourceVersion") if call.text("resourceVersion") else FROM_NOW

    async def results() -> AsyncIterator[Any]:
        known, told = backend.diagnoses.last, _told_now(call)

        def is_wanted(key: ObjectKey) -> bool:
            row = backend.shelf.row(key)
            return row is not None and selection.is_visible(call, row)

        visible = partial(selection.is_visible_state, call)
        async with aclosing(backend.feed.changes(APPLICATION, is_wanted, visible, since=since)) as changes:
            async for event in changes:
                row = row_of(event.obj)
                if event.type == "DELETED" or backend.live.index.version(application_key(row.key)) == 0:
                    yield {"type": "GONE", "row": {"namespace": row.namespace, "name": row.name}}
                    continue
                last = backend.diagnoses.last
                renewed = last is not None and last is not known
                if renewed:
                    known, told = last, _told_now(call)
                yield {"type": "ROW", "row": row_json(row, told)}
                if renewed and last is not None:
                    yield {"type": "DIAGNOSIS", "asOf": last.diagnosis.as_of}

    return stream(call, results())


_EVERYTHING = always("*/*")
_ROWS = Filtered("applications", "get", "Applications")
_CAUSES_OF_SETS = Also("applicationsets", "get", "causes that lie in a set")
_CAUSES_OF_PROJECTS = Also("projects", "get", "causes that lie in a project")
_LOGS = Also("logs", "get", "lines of logs in the evidence")
_FLEET = "/api/v1/syncline"
ENDPOINTS = (
    Endpoint(
        method="GET",
        path=f"{_FLEET}/fleet",
        handler=fleet,
        about="Counts, causes and light rows.",
        answer=answers.Fleet,
        permission=_ROWS,
        also=(_CAUSES_OF_SETS, _CAUSES_OF_PROJECTS),
        query=(
            *selection.FILTERS,
            *selection.PAGING,
            Query("cause", "Only those of this cause."),
            Query("rows", "false leaves the rows out.", "boolean"),
        ),
    ),
    Endpoint(
        method="GET",
        path=f"{_FLEET}/stream/fleet",
        handler=stream_fleet,
        about="Follow the rows.",
        answer=Stream(answers.FLEET_EVENT),
        permission=_ROWS,
        also=(_CAUSES_OF_SETS, _CAUSES_OF_PROJECTS),
        stream=True,
        query=(Query("resourceVersion", "Version of a fleet: begin with what changed since.", "integer"),),
    ),
    Endpoint(
        method="GET",
        path=f"{_FLEET}/diagnosis",
        handler=diagnosis,
        about="The diagnosis, as `syncline diagnose -o json`.",
        answer=answers.Diagnosis,
        permission=Needs("applications", "get", _SOME),
        also=(_CAUSES_OF_SETS, _CAUSES_OF_PROJECTS, _LOGS),
        query=(Query("refresh", "Make another one, and wait for it.", "boolean"),),
    ),
    Endpoint(
        method="GET",
        path=f"{_FLEET}/causes/{{id}}",
        handler=one_cause,
        about="One cause.",
        answer=answers.Cause,
        permission=Needs("applications", "get", _SOME),
        also=(_CAUSES_OF_SETS, _CAUSES_OF_PROJECTS, _LOGS),
    ),
    Endpoint(
        method="GET",
        path=f"{_FLEET}/snapshot",
        handler=snapshot,
        about="All that the diagnosis saw, as a file.",
        # It holds every Application, their objects and the sets, so it takes a right to all of them.
        permission=(
            Needs("applications", "get", _EVERYTHING),
            Needs("logs", "get", _EVERYTHING),
            Needs("applicationsets", "get", _EVERYTHING),
        ),
        answer=Text("application/gzip"),
        stream=True,
    ),
)
