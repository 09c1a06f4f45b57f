"""What only Syncline knows of an Application: why, the plan, the differences, waves, and what happened when."""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.apimachinery.keys import Object
from syncline.core.compare.ignore import suggest
from syncline.model import application as model
from syncline.model import codec
from syncline.model.comparison import ComparedObject, Difference, Verdict
from syncline.model.errors import Place
from syncline.model.finding import EvidenceKind
from syncline.server.access.claimed_projects import permits_repository
from syncline.server.answers import insight
from syncline.server.insight import timelines, waves
from syncline.server.insight.blames import note_json
from syncline.server.insight.diagnoses import hides_sets
from syncline.server.insight.planning import object_json, planned
from syncline.server.insight.readers import is_operator, redact_diagnosis, redact_explanation
from syncline.server.lists import selection
from syncline.server.lists.shelf import project_of, row_of
from syncline.server.lists.visible_sets import visible_sets
from syncline.server.requests.call import Call
from syncline.server.requests.permissions import Also
from syncline.server.requests.routing import Endpoint, Query
from syncline.server.routes.applications.found import OF_APP, READS, app_key, application, rbac_of
from syncline.verbs.errors import InvalidRequest
from syncline.verbs.explain import explain
from syncline.verbs.fleet.answer import redacted_values
from syncline.verbs.look import Overrides, Seen
from syncline.verbs.revisions import RevisionChoice
from syncline.verbs.sync import RollbackRequest, rollback_sync

_REVISION = Query("revision", "At another revision than the newest.")


async def why(call: Call) -> dict[str, Any]:
    """Return why an Application is not Synced and Healthy."""
    app = application(call)
    # The causes of the last diagnosis stand beside it, as far as whoever asks may see them.
    explained = await explain(call.backend.view, app, outside=False)
    visible = selection.visible(call, call.backend.shelf.rows())
    reads_all = is_operator(call, visible)
    found = explained.explanation
    if not reads_all:
        found = redact_explanation(call, found, explained.assessment, visible)
    if not call.may("logs", "get", rbac_of(call, app)):
        found = msgspec.structs.replace(found, findings=tuple(map(_without_logs, found.findings)))
    shown: dict[str, Any] = redacted_values(codec.to_object(found))
    last = call.backend.diagnoses.last
    name = f"{app['metadata']['namespace']}/{app['metadata']['name']}"
    # One that became well after the diagnosis has left its causes behind.
    told = last is not None and (name in last.good or not row_of(app).good)
    of_app = [one for one in last.diagnosis.causes if name in one.affected] if last and told else []
    sets = visible_sets(call)
    causes = [one for one in of_app if not hides_sets(one, sets)]
    if last is not None and not reads_all:
        named = msgspec.structs.replace(last.diagnosis, causes=tuple(causes), unexplained=())
        causes = list(redact_diagnosis(call, named, visible, *last.seen_where()).causes)
    listed = [{"id": one.id, "rank": one.rank, "title": one.finding.message} for one in causes]
    return {**shown, "causes": redacted_values(listed)}


def _without_logs(finding: Any) -> Any:
    kept = tuple(one for one in finding.evidence if one.kind is not EvidenceKind.LOG)
    return msgspec.structs.replace(finding, evidence=kept)


async def plan(call: Call) -> dict[str, Any]:
    """Return what a sync would do, in order."""
    app = application(call)
    prune = call.flag("prune") if call.text("prune") else None
    back = None
    if call.text("history"):
        wanted = RollbackRequest(app=app_key(call), id=call.number("history"), prune=bool(prune))
        back = rollback_sync(model.parse(app), wanted)
    return await planned(call.backend, app, revision=call.text("revision"), prune=prune, back=back)


async def diff(call: Call) -> dict[str, Any]:
    """Return what differs, field by field, with who wrote it and where it stands."""
    app = application(call)
    revision, server_side = call.text("revision"), call.flag("serverSide")
    if revision or server_side:
        sync = RevisionChoice(revision=revision).of(model.parse(app)) if revision else None
        assessment = await call.backend.view.assess(app, Overrides(sync=sync, server_side=server_side))
        found = Seen(assessment, await call.backend.view.place(assessment))
    else:
        found = await call.backend.looks.see(app)
    assessment = found.assessment
    troubles = [trouble.message for trouble in assessment.snapshot.troubles]
    if assessment.snapshot.desired is None and not assessment.comparison.rows:
        raise InvalidRequest("; ".join(troubles) or "the source could not be rendered")
    rows = assessment.comparison.rows
    shown = [row for row in rows if row.verdict in (Verdict.OUT_OF_SYNC, Verdict.UNKNOWN)]
    objects = [_compared(row, found, rules=call.flag("ignoreRules")) for row in shown]
    if call.flag("blame"):
        await _with_commits(call, found, objects)
    return {
        "schemaVersion": 1,
        "asOf": assessment.snapshot.as_of,
        "revisions": list(assessment.revisions),
        "modified": any(row.verdict is Verdict.OUT_OF_SYNC for row in rows),
        "verdict": assessment.comparison.verdict.value,
        "counts": {one.value: sum(row.verdict is one for row in rows) for one in Verdict if one.value},
        "objects": objects,
        "problems": redacted_values(troubles),
    }


async def _with_commits(call: Call, found: Seen, objects: list[dict[str, Any]]) -> None:
    """Put the commit beside each line; an Application of several sources does not say which one a line is of."""
    assessment = found.assessment
    sources = assessment.app.spec.all_sources
    if len(sources) != 1 or len(assessment.revisions) != 1:
        return
    project = assessment.app.spec.project
    for one in [*(field for obj in objects for field in obj["differences"]), *objects]:
        file, _, line = one["place"].rpartition(":")
        place = Place(file, int(line)) if line.isdecimal() else Place("")
        note = await call.backend.blames.note(sources[0], assessment.revisions[0], project, place)
        one["commit"] = redacted_values(note_json(note))


def _compared(row: ComparedObject, found: Seen, *, rules: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "key": str(row.key),
        **object_json(row.key),
        "verdict": row.verdict.value,
        "missing": row.is_missing,
        "extra": not row.desired,
        "reasons": [reason.value for reason in row.reasons],
        "message": row.message,
        "place": str(row.place) if row.place else "",
        "wave": row.wave,
        "differences": [_difference(one) for one in row.differences],
        "accepted": [msgspec.to_builtins(one) for one in row.accepted],
    }
    if rules:
        shown["ignoreRule"] = _rule(row, found)
    return shown


def _difference(one: Difference) -> dict[str, Any]:
    """Return one field; values of Secrets are masked already."""
    return {
        "path": one.path,
        "desired": None if one.desired is msgspec.UNSET else one.desired,
        "live": None if one.live is msgspec.UNSET else one.live,
        "cause": one.cause.value,
        "manager": one.manager,
        "time": one.time,
        "place": str(one.place) if one.place else "",
    }


def _rule(row: ComparedObject, found: Seen) -> dict[str, Any] | None:
    assessment = found.assessment
    prepared = {item.key: item for item in assessment.prepared.objects}
    if row.key not in prepared or row.key not in assessment.live:
        return None
    live: Object = assessment.live[row.key]
    proposal = suggest.rule_for_all(prepared[row.key], live, row.differences, assessment.context)
    entry = msgspec.to_builtins(proposal.entry) if proposal.entry is not None else None
    return {"entry": entry, "reason": proposal.reason}


async def waves_of(call: Call) -> dict[str, Any]:
    """Return the waves of the operation that runs, or ended last; else those that a sync would have."""
    found = await call.backend.looks.see(application(call))
    return waves.waves_json(found.assessment)


async def timeline(call: Call) -> dict[str, Any]:
    """Return what happened when: commits, syncs, edits, health, Events."""
    app = application(call)
    found = await call.backend.looks.see(app)
    urls = {one.repo_url for one in found.assessment.app.spec.all_sources[:1]}
    permitted = all(permits_repository(call.backend, project_of(app), url) for url in urls)
    commits = await timelines.commits(call.backend.world, app) if permitted else []
    return timelines.timeline_json(found.assessment, commits, limit=call.number("limit", 200, least=1, most=2000))


_APP = "/api/v1/applications/{name}"
ENDPOINTS = (
    Endpoint(
        method="GET",
        path=f"{_APP}/why",
        handler=why,
        about="Why it is as it is.",
        answer=insight.Explanation,
        permission=READS,
        also=(
            Also("logs", "get", "lines of logs in the evidence"),
            Also("applicationsets", "get", "causes that lie in a set"),
            Also("projects", "get", "causes that lie in a project"),
        ),
        query=OF_APP,
    ),
    Endpoint(
        method="GET",
        path=f"{_APP}/plan",
        handler=plan,
        about="What a sync would do.",
        answer=insight.Plan,
        permission=READS,
        query=(
            *OF_APP,
            _REVISION,
            Query("prune", "As if pruning were asked for.", "boolean"),
            Query("history", "Of a rollback to this entry of the history.", "integer"),
        ),
    ),
    Endpoint(
        method="GET",
        path=f"{_APP}/diff",
        handler=diff,
        about="What differs, field by field.",
        answer=insight.AppDiff,
        permission=READS,
        query=(
            *OF_APP,
            _REVISION,
            Query("serverSide", "Ask the server what applying would change.", "boolean"),
            Query("ignoreRules", "With the smallest rule that silences each object.", "boolean"),
            Query("blame", "With the commit that wrote each line in Git.", "boolean"),
        ),
    ),
    Endpoint(
        method="GET",
        path=f"{_APP}/waves",
        handler=waves_of,
        about="The waves of a sync.",
        answer=insight.Waves,
        permission=READS,
        query=OF_APP,
    ),
    Endpoint(
        method="GET",
        path=f"{_APP}/timeline",
        handler=timeline,
        about="What happened when.",
        answer=insight.AppTimeline,
        permission=READS,
        query=(*OF_APP, Query("limit", "At most so many entries.", "integer")),
    ),
)
