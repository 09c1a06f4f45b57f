"""Who reads a diagnosis, and what of it they get: the whole of it, or what their Applications' projects permit.

Asked by the routes of the fleet and of `why` before they answer. Whoever may see every Application is an operator and
reads everything; of anybody else `syncline.core.diagnose.findings.foreign` hides what foreign objects have in them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from syncline.apimachinery.keys import GroupKind, ObjectKey, key_of
from syncline.controller.app_key import APPLICATION, application_key
from syncline.controller.appsets.keys import APPLICATION_SET
from syncline.core.assess import Assessment
from syncline.core.diagnose.explain import Explanation
from syncline.core.diagnose.findings import foreign
from syncline.core.diagnose.findings.foreign import Permits, Reader, Seen
from syncline.core.policy import global_projects
from syncline.core.policy.bounds import Bounds
from syncline.model import names
from syncline.model.application import Destination
from syncline.model.diagnosis import Diagnosis, Thing
from syncline.model.fleet import ClusterSnapshot, FleetSnapshot, Rendered
from syncline.server.lists.shelf import AppRow
from syncline.server.lists.visible_sets import visible_sets
from syncline.server.requests.call import Call

_PROJECT = GroupKind(names.GROUP, "AppProject")


def is_operator(call: Call, visible: Collection[AppRow]) -> bool:
    """Whether somebody may see every Application, and so everything that a diagnosis rests on.

    A policy that denies some of them does not match the pattern for all, so the rows that are visible are counted.
    """
    return call.may("applications", "get", "*/*") and len(visible) == len(call.backend.shelf.rows())


def redact_diagnosis(
    call: Call,
    diagnosis: Diagnosis,
    visible: Collection[AppRow],
    servers: Mapping[str, str],
    sightings: Mapping[str, frozenset[Seen]],
) -> Diagnosis:
    """Return a diagnosis as whoever asks may read it; `servers` are addresses by names of clusters."""
    reader = Reader(_permits(call, visible, servers), sightings)
    return msgspec.structs.replace(
        diagnosis,
        causes=tuple(foreign.redact_cause(cause, reader) for cause in diagnosis.causes),
        unexplained=tuple(foreign.redact_finding(one, Thing(), reader) for one in diagnosis.unexplained),
    )


def redact_explanation(
    call: Call, explanation: Explanation, assessment: Assessment, visible: Collection[AppRow]
) -> Explanation:
    """Return why an Application is as it is, as whoever asks may read it."""
    fleet = around(assessment)
    texts = [text for finding in explanation.findings for text in foreign.texts_of(finding)]
    servers = {one.name: one.server for one in fleet.clusters}
    reader = Reader(_permits(call, visible, servers), foreign.sightings(texts, fleet))
    there = Thing(cluster=fleet.clusters[0].name)
    findings = tuple(foreign.redact_finding(finding, there, reader) for finding in explanation.findings)
    return msgspec.structs.replace(explanation, findings=findings)


def around(assessment: Assessment) -> FleetSnapshot:
    """Return all that an explanation was made of, as one cluster."""
    snapshot = assessment.snapshot
    there = snapshot.destination or assessment.app.spec.destination
    cluster = ClusterSnapshot(
        name=there.name or there.server,
        server=there.server,
        objects=(snapshot.app, *snapshot.live, *snapshot.surroundings),
        events=snapshot.events,
        logs=snapshot.logs,
    )
    rendered = Rendered(app=key_of(snapshot.app), desired=snapshot.desired)
    return FleetSnapshot(as_of=snapshot.as_of, origin="", clusters=(cluster,), rendered=(rendered,))


def _permits(call: Call, rows: Collection[AppRow], servers: Mapping[str, str]) -> Permits:
    """Return what tells whether an object may be read: by a right of its own, or through a visible app's project."""
    apps, sets = {application_key(row.key) for row in rows}, visible_sets(call)
    rules, names = call.backend.world.settings.global_projects, sorted({row.project or "default" for row in rows})
    projects = global_projects.read_all(names, rules, call.backend.project).values()
    filters = {
        cluster: [Bounds(one, Destination(server, "", cluster)).child_filter() for one in projects]
        for cluster, server in servers.items()
    }

    def permits(cluster: str, key: ObjectKey) -> bool:
        kind = key.group_kind
        if kind == APPLICATION:
            return key in apps
        if kind == APPLICATION_SET:
            return key in sets
        if kind == _PROJECT:
            return call.may("projects", "get", key.name)
        return any(permitted(key) for permitted in filters.get(cluster, ()))

    return permits
