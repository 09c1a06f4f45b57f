"""Cuts a snapshot down to what a right to one Application covers, before it leaves the server.

Called by the route that hands looks to clients which run the same engine. Of the policies only those lines go out that
count for whoever reads; settings that say how others are treated, and that no comparison needs, go out as if nothing
were set.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.policy.rbac.rights import Who
from syncline.model.settings.parts import ApplicationSets, ControllerLimits, Sharding, SourceSettings
from syncline.model.settings.settings import Settings
from syncline.model.snapshot import Snapshot
from syncline.server.access.guard import Guard


def shared(snapshot: Snapshot, guard: Guard, who: Who, sees: Callable[[str], bool]) -> Snapshot:
    """Return a snapshot as somebody may have it who may see its Application; `sees` says which others, by title."""
    project = snapshot.project
    if project is not None:
        spec = {name: value for name, value in (project.get("spec") or {}).items() if name != "roles"}
        if roles := guard.roles_for(who, str((project.get("metadata") or {}).get("name") or "")):
            spec["roles"] = roles
        project = {name: value for name, value in project.items() if name != "status"} | {"spec": spec}
    return msgspec.structs.replace(
        snapshot,
        project=project,
        settings=_for_readers(snapshot.settings, guard, who),
        schemas=tuple(map(_schema, snapshot.schemas)),
        surroundings=(),
        logs=(),
        newest_revisions=(),
        unseen=("another Application",) if snapshot.unseen else (),
        # That another Application desires the same object explains a verdict; where its files are does not.
        claims=tuple(one if sees(one.app) else msgspec.structs.replace(one, place=None) for one in snapshot.claims),
    )


def _schema(definition: Object) -> Object:
    """Return a CRD as far as objects are compared by it: it is an object of the cluster, which may be foreign."""
    kept = {name: value for name, value in meta.metadata(definition).items() if name in _KNOWN_BY}
    spec = {name: value for name, value in (definition.get("spec") or {}).items() if name != "conversion"}
    return {"apiVersion": definition.get("apiVersion"), "kind": definition.get("kind"), "metadata": kept, "spec": spec}


_KNOWN_BY = ("name", "uid", "resourceVersion")


def _for_readers(settings: Settings, guard: Guard, who: Who) -> Settings:
    """Return settings without policies of others, names of other projects and namespaces, and the operator's limits."""
    return msgspec.structs.replace(
        settings,
        permissions=guard.rules_for(who),
        exec_commands=(),
        global_projects=(),
        application_namespaces=(),
        application_sets=ApplicationSets(),
        sharding=Sharding(),
        limits=ControllerLimits(),
        sources=SourceSettings(),
        resource_customizations="",
    )
