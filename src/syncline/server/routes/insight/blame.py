"""Who wrote what an Application renders: file and line, layer of values or patch, and the commit behind the line."""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.paths import MISSING, FieldPath, InvalidPath
from syncline.core.provenance.blame import BlameCause, leaves
from syncline.model.desired import DesiredObject
from syncline.model.errors import Place
from syncline.model.masking import is_secret
from syncline.ports.source import CommitNote
from syncline.server.answers import insight
from syncline.server.insight.blames import note_json, rendered_parts
from syncline.server.requests.call import Call
from syncline.server.requests.failures import INVALID, Failure
from syncline.server.requests.routing import Endpoint, Query
from syncline.server.routes.applications.found import OF_APP, READS, application
from syncline.verbs.blaming import RenderedPart, causes_of, written_causes
from syncline.verbs.errors import NotFound
from syncline.verbs.fleet.answer import redacted_values

_MOST_FIELDS = 2000


async def blame(call: Call) -> dict[str, Any]:
    """Return who wrote one field of an object, or, without a path, every field as far as texts tell."""
    app = application(call)
    if not call.text("object"):
        raise Failure(INVALID, "object is the key of an object, such as apps/Deployment:shop/web")
    found = await call.backend.looks.see(app)
    project = call.backend.guard.project(found.assessment.app.spec.project)
    permitted = project.spec.source_repos if project is not None else ()
    parts = await rendered_parts(call.backend.world, found, tuple(permitted))
    part, item = _chosen(parts, call.text("object"))
    asked = _Asked(call, parts, part, found.assessment.app.spec.project)
    answer = await (_field(asked, item, call.text("path")) if call.text("path") else _fields(asked, item))
    shown: dict[str, Any] = redacted_values({"schemaVersion": 1, "object": str(item.key), **answer})
    return shown


class _Asked:
    """One question: the sources of the Application, and the one that the object comes from."""

    def __init__(self, call: Call, parts: list[RenderedPart], part: RenderedPart, project: str) -> None:
        self._call, self._parts, self.part, self._project = call, parts, part, project

    async def cause(self, one: BlameCause) -> dict[str, Any]:
        """Return a cause with the commit that wrote its line."""
        note = note_json(await self._note(one.place))
        return {"kind": one.kind, "place": str(one.place), "text": one.text, "commit": note}

    async def _note(self, place: Place) -> CommitNote | None:
        part = self.part
        if place.file.startswith("$"):
            ref, _, file = place.file[1:].partition("/")
            lent = next((one for one in self._parts if one.source.ref == ref), None)
            if lent is None:
                return None
            part, place = lent, Place(file, place.line)
        return await self._call.backend.blames.note(part.source, part.tree.revision, self._project, place)


async def _field(asked: _Asked, item: DesiredObject, text: str) -> dict[str, Any]:
    try:
        path = FieldPath.parse(text)
    except InvalidPath as error:
        raise Failure(INVALID, str(error)) from None
    warnings: list[str] = []
    causes = await causes_of(asked.part, item, path, warnings.append)
    value = path.resolve(item.obj)
    shown = None if value is MISSING else "(hidden)" if is_secret(item.obj) else value
    told = [await asked.cause(one) for one in causes]
    return {"path": text, "value": shown, "causes": told, "warnings": warnings}


async def _fields(asked: _Asked, item: DesiredObject) -> dict[str, Any]:
    rows = []
    for path in list(leaves(item.obj))[:_MOST_FIELDS]:
        cause = next(iter(written_causes(asked.part, item, path)), None)
        if cause is not None:
            rows.append({"path": str(path), **await asked.cause(cause)})
    return {"tool": asked.part.tool, "fields": rows}


def _chosen(parts: list[RenderedPart], name: str) -> tuple[RenderedPart, DesiredObject]:
    """Return the object that a key means, and the source that makes it; of several the last one wins."""
    for part in reversed(parts):
        for item in reversed(part.desired.objects):
            if _is_named(item, name):
                return part, item
    raise NotFound(f"Git renders no object {name} for this Application")


def _is_named(item: DesiredObject, name: str) -> bool:
    """Whether a key means an object; one without a namespace gets the Application's, which a key may have."""
    key = item.key
    if name == f"{key.kind}/{key.name}":
        return True
    kind, _, place = name.lstrip("/").rpartition(":")
    namespace, _, short = place.rpartition("/")
    wanted = f"{key.group}/{key.kind}" if key.group else key.kind
    return (kind, short) == (wanted, key.name) and key.namespace in ("", namespace)


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/v1/applications/{name}/blame",
        handler=blame,
        about="Who wrote a field: file, line, layer of values, commit.",
        answer=insight.BLAME,
        permission=READS,
        query=(
            *OF_APP,
            Query("object", "The object: apps/Deployment:shop/web, or Deployment/web."),
            Query("path", "One field, all that made it; without it every field, as far as texts tell."),
        ),
    ),
)
