"""Creates an Application, or overwrites one that says something else."""

from __future__ import annotations

import copy
from collections.abc import Callable
from enum import StrEnum
from typing import Final

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.controller.app_key import AppKey
from syncline.model import names
from syncline.ports.kube import ApiError, ApiResource, Cluster
from syncline.verbs.applications import MANAGER, StoredApplication, application_resource, change_application
from syncline.verbs.errors import Conflict, InvalidRequest
from syncline.verbs.permission import read_rules
from syncline.verbs.policy import PolicyChange, put_policy
from syncline.verbs.settings import SpecSetting, put_settings
from syncline.verbs.validation import validate

_SERVER_FIELDS: Final = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink")
"""What an API server writes: an Application that was printed from a cluster may hold it."""


class CreateRequest(msgspec.Struct, frozen=True, kw_only=True):
    """An Application to create, as far as it is written, and what completes it; what is said here wins.

    `namespace` is that of the installation, and of an Application that names none. `upsert` overwrites one that is
    there and says something else.
    """

    app: Object
    name: str = ""
    namespace: str
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    settings: tuple[SpecSetting, ...] = ()
    policy: PolicyChange = PolicyChange()
    finalizer: bool = False
    validate: bool = True
    upsert: bool = False


class CreateOutcome(StrEnum):
    """What became of a request to create."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"


class Created(msgspec.Struct, frozen=True):
    """The Application as it is stored now."""

    stored: StoredApplication
    outcome: CreateOutcome


def completed(request: CreateRequest) -> Object:
    """Return the whole Application that a request stands for; raises a sentence where it cannot work."""
    app: Object = {**copy.deepcopy(request.app), "apiVersion": names.API_VERSION, "kind": "Application"}
    app.pop("status", None)
    spec = app["spec"] = app.get("spec") or {}
    given = meta.metadata(app)
    metadata = app["metadata"] = {name: value for name, value in given.items() if name not in _SERVER_FIELDS}
    metadata["name"] = request.name or metadata.get("name") or ""
    if not metadata["name"]:
        raise InvalidRequest("the Application has no name", hint="give one as argument, or in metadata.name")
    metadata.setdefault("namespace", request.namespace)
    for field, more in (("labels", request.labels), ("annotations", request.annotations)):
        if more:
            metadata[field] = {**(metadata.get(field) or {}), **more}
    if request.finalizer:
        metadata["finalizers"] = list(dict.fromkeys([*(metadata.get("finalizers") or []), names.RESOURCES_FINALIZER]))
    spec.setdefault("destination", {})
    spec.setdefault("project", "default")
    put_settings(app, request.settings)
    put_policy(app, request.policy)
    if request.validate:
        validate(app)
    return app


async def create_application(
    cluster: Cluster, request: CreateRequest, permit: Callable[[Object, Object], None] = lambda _before, _after: None
) -> Created:
    """Store an Application; one that is there already and says something else is only overwritten on request.

    `permit` is shown one that is there and what it would become, and raises what forbids that.
    """
    app = completed(request)
    rules = await read_rules(cluster, request.namespace)
    rules.require(app, known_cluster=request.validate)
    resource = await application_resource(cluster)
    metadata = app["metadata"]
    if await cluster.get(resource, metadata["namespace"], metadata["name"]) is None:
        created = await _created(cluster, resource, app)
        if created is not None:
            return Created(StoredApplication(created, changed=True, note=rules.unread), CreateOutcome.CREATED)

    def over(found: Object) -> Object:
        wanted = _over(found, app)
        permit(found, wanted)
        if wanted != found and not request.upsert:
            raise Conflict(
                f"Application {metadata['name']} already exists with a different spec",
                hint="overwrite it with --upsert, or change it with: syncline app set",
            )
        return wanted

    stored = await change_application(cluster, AppKey(metadata["namespace"], metadata["name"]), over)
    stored = msgspec.structs.replace(stored, note=rules.unread)
    return Created(stored, CreateOutcome.UPDATED if stored.changed else CreateOutcome.UNCHANGED)


async def _created(cluster: Cluster, resource: ApiResource, app: Object) -> Object | None:
    """Return the new Application; None where somebody else was quicker."""
    try:
        return await cluster.create(resource, app, manager=MANAGER)
    except ApiError as error:
        if error.reason != "AlreadyExists":
            raise
        return None


def _over(found: Object, app: Object) -> Object:
    """Return what is stored with another spec; labels, annotations and finalizers are added to those there are."""
    metadata = dict(found["metadata"])
    for field in ("labels", "annotations"):
        if app["metadata"].get(field):
            metadata[field] = {**(metadata.get(field) or {}), **app["metadata"][field]}
    if app["metadata"].get("finalizers"):
        metadata["finalizers"] = list(dict.fromkeys([*metadata.get("finalizers", []), *app["metadata"]["finalizers"]]))
    return {**found, "metadata": metadata, "spec": app["spec"]}
