"""Every request that Syncline makes for its own purposes: one row for each kind of object, and what it is for.

Roles are made of it by `syncline.core.rights.roles`. Requests for objects of Applications, wherever they live, are not
in it: they are delivery. `tests/arch/test_rights.py` proves that every module which writes to a cluster is named here
or is one that delivers, and `tests/real/test_rights.py` that the components need nothing else and use all of it.
Discovery and questions about one's own rights are open to every authenticated user, so they are no rows.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from syncline.model import names
from syncline.model.published import GROUP as DIAGNOSIS_GROUP
from syncline.model.published import NAME as DIAGNOSIS_NAME
from syncline.model.published import PLURAL as DIAGNOSES

_FOLLOW: Final = ("list", "watch")


class Component(StrEnum):
    """A program that runs under an identity of its own."""

    CONTROLLER = "controller"
    SERVER = "server"


class Where(StrEnum):
    """In which namespaces a request is made."""

    CONTROL_PLANE = "control plane"
    APPLICATIONS = "applications"
    """The control-plane namespace and those that `application.namespaces` names."""


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """What one component asks of one kind of object.

    `modules` make the requests, below `syncline`. With `named` only these objects are asked for; creating, listing and
    watching cannot be limited to names, so such verbs stand in rows without.
    """

    component: Component
    group: str = ""
    resource: str
    verbs: tuple[str, ...]
    where: Where = Where.CONTROL_PLANE
    named: tuple[str, ...] = ()
    purpose: str
    modules: tuple[str, ...]


_LIVE: Final = "controller.live.following"
_ARGO: Final = names.GROUP

_CONTROLLER = (
    Use(
        component=Component.CONTROLLER,
        resource="configmaps",
        verbs=("get", *_FOLLOW),
        purpose="settings, known hosts, certificates, signing keys, notifications, plugins of generators",
        modules=("controller.settings", "controller.clusters.access", "controller.notify.configuration", _LIVE),
    ),
    Use(
        component=Component.CONTROLLER,
        resource="secrets",
        verbs=("get", *_FOLLOW),
        purpose="clusters, repositories and their credentials, tokens of notifications and generators",
        modules=("controller.clusters.access", "controller.notify.configuration", _LIVE),
    ),
    Use(
        component=Component.CONTROLLER,
        group=_ARGO,
        resource="applications",
        verbs=("get", *_FOLLOW, "create", "patch", "delete"),
        where=Where.APPLICATIONS,
        purpose="what to deliver, its status, and the Applications of ApplicationSets",
        modules=(
            "controller.appsets.act",
            "controller.coexistence.ownership",
            "controller.deliver.failures",
            "controller.deliver.record",
            "controller.deliver.waits",
            "controller.notify.applications",
            _LIVE,
        ),
    ),
    Use(
        component=Component.CONTROLLER,
        group=_ARGO,
        resource="applicationsets",
        verbs=(*_FOLLOW, "patch"),
        where=Where.APPLICATIONS,
        purpose="what to generate",
        modules=("controller.appsets.act", _LIVE),
    ),
    Use(
        component=Component.CONTROLLER,
        group=_ARGO,
        resource="applicationsets/status",
        verbs=("patch",),
        where=Where.APPLICATIONS,
        purpose="what came of generating",
        modules=("controller.appsets.act",),
    ),
    Use(
        component=Component.CONTROLLER,
        group=_ARGO,
        resource="appprojects",
        verbs=_FOLLOW,
        purpose="what Applications are permitted",
        modules=(_LIVE,),
    ),
    Use(
        component=Component.CONTROLLER,
        group=DIAGNOSIS_GROUP,
        resource=DIAGNOSES,
        verbs=(*_FOLLOW, "create"),
        purpose="the published diagnosis",
        modules=("controller.diagnosis.publisher", _LIVE),
    ),
    Use(
        component=Component.CONTROLLER,
        group=DIAGNOSIS_GROUP,
        resource=DIAGNOSES,
        verbs=("patch",),
        named=(DIAGNOSIS_NAME,),
        purpose="the published diagnosis, and who was notified of its causes",
        modules=("controller.diagnosis.publisher", "controller.notify.causes"),
    ),
    Use(
        component=Component.CONTROLLER,
        resource="events",
        verbs=("create",),
        where=Where.APPLICATIONS,
        purpose="Events about Applications and the diagnosis",
        modules=("controller.deliver.events", "controller.diagnosis.telling"),
    ),
    Use(
        component=Component.CONTROLLER,
        group="coordination.k8s.io",
        resource="leases",
        verbs=("get", "create", "update", "patch"),
        purpose="which controller works on which shard",
        modules=("controller.runtime.lease",),
    ),
    Use(
        component=Component.CONTROLLER,
        group="apps",
        resource="deployments",
        verbs=_FOLLOW,
        purpose="whether Argo CD's application or notifications controller runs here",
        modules=("controller.coexistence.ownership", _LIVE),
    ),
    Use(
        component=Component.CONTROLLER,
        group="apps",
        resource="statefulsets",
        verbs=("list",),
        purpose="whether Argo CD's application controller runs here",
        modules=("controller.coexistence.ownership",),
    ),
    Use(
        component=Component.CONTROLLER,
        resource="pods",
        verbs=("list",),
        purpose="whether Argo CD's application controller runs here",
        modules=("controller.coexistence.ownership",),
    ),
)

_SERVER = (
    Use(
        component=Component.SERVER,
        resource="configmaps",
        verbs=("get", *_FOLLOW, "create"),
        purpose="settings, policies, known hosts, certificates and signing keys; ended sessions and failed logins",
        modules=("controller.settings", "controller.clusters.access", "server.access.kept_entries", _LIVE),
    ),
    Use(
        component=Component.SERVER,
        resource="configmaps",
        verbs=("patch",),
        named=("syncline-ended-sessions", "syncline-login-failures"),
        purpose="ended sessions and failed logins",
        modules=("server.access.kept_entries",),
    ),
    Use(
        component=Component.SERVER,
        resource="secrets",
        verbs=("get", *_FOLLOW, "create", "update", "patch", "delete"),
        purpose="accounts and the key of sessions; repositories and clusters that people add, change and remove",
        modules=(
            "controller.clusters.access",
            "server.access.bootstrap",
            "server.access.certificates",
            "server.routes.people.accounts",
            "verbs.clusters",
            "verbs.sources",
            _LIVE,
        ),
    ),
    Use(
        component=Component.SERVER,
        group=_ARGO,
        resource="applications",
        verbs=("get", *_FOLLOW, "create", "update", "patch", "delete"),
        where=Where.APPLICATIONS,
        purpose="Applications that people read, create, change, sync and delete",
        modules=("verbs.applications", "verbs.create", "verbs.delete", "verbs.list", _LIVE),
    ),
    Use(
        component=Component.SERVER,
        group=_ARGO,
        resource="applicationsets",
        verbs=("get", *_FOLLOW, "create", "update", "patch", "delete"),
        where=Where.APPLICATIONS,
        purpose="ApplicationSets that people read, create, change and delete",
        modules=("verbs.applicationsets", "verbs.writing_sets", _LIVE),
    ),
    Use(
        component=Component.SERVER,
        group=_ARGO,
        resource="appprojects",
        verbs=("get", *_FOLLOW, "create", "update", "delete"),
        purpose="projects that people read, create, change and delete",
        modules=(
            "server.access.bootstrap",
            "verbs.projects",
            "verbs.sync_windows",
            "verbs.permission",
            "verbs.rights",
            _LIVE,
        ),
    ),
    Use(
        component=Component.SERVER,
        group=DIAGNOSIS_GROUP,
        resource=DIAGNOSES,
        verbs=_FOLLOW,
        purpose="the published diagnosis",
        modules=(_LIVE,),
    ),
    Use(
        component=Component.SERVER,
        resource="events",
        verbs=("list",),
        where=Where.APPLICATIONS,
        purpose="Events about Applications",
        modules=("server.routes.applications.logs",),
    ),
)

USES: Final = (*_CONTROLLER, *_SERVER)
