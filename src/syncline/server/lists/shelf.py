"""One light row for each Application, kept up to date by the live view: what lists, filters, counts and sorts need.

Used by the routes that list. A whole Application is decoded only when it is shown; thousands are filtered by their
rows, which are worked out again only for those that changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.controller.app_key import APPLICATION, AppKey
from syncline.controller.live.cluster import LiveCluster
from syncline.core import glance
from syncline.core.appset.changes import controller_of
from syncline.model import names

_LONGEST_SENTENCE = 300


class AppRow(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What lists say of one Application."""

    namespace: str
    name: str
    project: str
    sync: str
    health: str
    operation: str
    sentence: str
    since: str
    created: str
    cluster: str
    server: str
    destination_namespace: str
    revision: str
    repos: tuple[str, ...]
    git: tuple[str, ...]
    """Those of the repositories that are read with Git."""
    labels: Mapping[str, str]
    auto: bool
    set: str
    set_uid: str
    version: str
    words: str
    """All that a search looks at, in lower case."""
    objects: str = ""
    """The objects that its status names, one on each line: kind, namespace, name, group, sync status, health."""
    accepts: bool = False
    """Whether somebody has agreed to live with a difference of it."""

    @property
    def key(self) -> AppKey:
        """Its namespace and name."""
        return AppKey(self.namespace, self.name)

    @property
    def good(self) -> bool:
        """Whether it is Synced and Healthy."""
        return self.sync == "Synced" and self.health == "Healthy"

    def rbac_name(self, control: str) -> str:
        """Return the object of policies: `project/name`, with the namespace where it is another than the control's."""
        return rbac_name(self.project, self.namespace, self.name, control)


def rbac_name(project: str, namespace: str, name: str, control: str) -> str:
    """Return the name under which policies speak of an Application."""
    return f"{project}/{name}" if namespace in ("", control) else f"{project}/{namespace}/{name}"


def project_of(obj: Object) -> str:
    """Return the project of an Application."""
    return str((obj.get("spec") or {}).get("project") or "default")


def newest_version(rows: list[AppRow]) -> str:
    """Return the version from which a stream has to go on for whoever has these rows."""
    return str(max((int(row.version) for row in rows if row.version.isdigit()), default=0))


class Shelf:
    """The rows of all Applications."""

    def __init__(self, live: LiveCluster) -> None:
        self._live = live
        self._rows: dict[ObjectKey, AppRow] = {}
        self._stale: set[ObjectKey] = set()
        self._sorted: list[AppRow] | None = None
        self._begun = False
        live.listeners.append(self._changed)

    def close(self) -> None:
        """Hear of nothing more."""
        self._live.listeners.remove(self._changed)

    def rows(self) -> list[AppRow]:
        """Return the rows of all Applications, by namespace and name; the list is not to be changed."""
        self._take_in()
        if self._sorted is None:
            self._sorted = [self._rows[key] for key in sorted(self._rows)]
        return self._sorted

    def row(self, key: ObjectKey) -> AppRow | None:
        """Return the row of one Application."""
        self._take_in()
        return self._rows.get(key)

    def _take_in(self) -> None:
        """Work out the rows of those that changed."""
        if not self._begun:
            self._begun = True
            self._stale.update(self._live.index.keys(APPLICATION))
        if not self._stale:
            return
        stale, self._stale = self._stale, set()
        for key in stale:
            obj = self._live.index.get(key)
            if obj is None:
                self._rows.pop(key, None)
            else:
                self._rows[key] = row_of(obj)
        self._sorted = None

    def _changed(self, obj: Object) -> None:
        if obj.get("kind") == APPLICATION.kind and (key := key_of(obj)).group_kind == APPLICATION:
            self._stale.add(key)


def row_of(obj: Object) -> AppRow:
    """Return the row of an Application."""
    spec, status = _dict(obj.get("spec")), _dict(obj.get("status"))
    sync, health = glance.sync_and_health(obj)
    destination = _dict(spec.get("destination"))
    sources = spec.get("sources") or [spec.get("source")]
    repos = tuple(str(one.get("repoURL") or "") for one in sources if isinstance(one, dict))
    state, synced = _dict(status.get("operationState")), _dict(status.get("sync"))
    server = str(destination.get("server") or "")
    cluster = str(destination.get("name") or "") or (names.IN_CLUSTER_NAME if _is_home(server) else server)
    namespace, name, project = meta.namespace(obj), meta.name(obj), project_of(obj)
    words = (name, namespace, project, cluster, server, str(destination.get("namespace") or ""), *repos)
    good = (sync, health) == ("Synced", "Healthy")
    owner = controller_of(obj)
    told = glance.trouble(obj) or ("" if good else _waits(obj, sync))
    return AppRow(
        namespace=namespace,
        name=name,
        project=project,
        sync=sync,
        health=health,
        operation=str(state.get("phase") or ("Pending" if obj.get("operation") else "")),
        sentence=told[:_LONGEST_SENTENCE],
        since=str(_dict(status.get("health")).get("lastTransitionTime") or ""),
        created=str(meta.metadata(obj).get("creationTimestamp") or ""),
        cluster=cluster,
        server=server,
        destination_namespace=str(destination.get("namespace") or ""),
        revision=str(synced.get("revision") or next(iter(synced.get("revisions") or ()), "")),
        repos=repos,
        git=tuple(dict.fromkeys(str(one["repoURL"]) for one in sources if _is_git(one))),
        labels={str(key): str(value) for key, value in meta.labels(obj).items()},
        auto=glance.is_automated(obj),
        set=owner.name if owner is not None and owner.is_set else "",
        set_uid=owner.uid if owner is not None and owner.is_set else "",
        version=meta.resource_version(obj),
        words="\n".join(words).lower(),
        objects="\n".join(_object_line(one) for one in status.get("resources") or () if isinstance(one, dict)),
        accepts=names.ACCEPTED_DRIFT in meta.annotations(obj),
    )


def _waits(obj: Object, sync: str) -> str:
    """Return what an Application waits for; of one that is OutOfSync, which objects differ is said too."""
    waits = glance.waits(obj)
    rows = [one for one in _dict(obj.get("status")).get("resources") or () if isinstance(one, dict)]
    differing = [f"{one.get('kind')}/{one.get('name')}" for one in rows if one.get("status") == "OutOfSync"]
    if sync != "OutOfSync" or not differing:
        return waits
    more = f" and {len(differing) - _NAMED} more" if len(differing) > _NAMED else ""
    verb = "differs" if len(differing) == 1 else "differ"
    said = f"{', '.join(differing[:_NAMED])}{more} {verb}"
    return f"{said}; {waits}" if waits else said


def _object_line(one: dict[str, Any]) -> str:
    health = _dict(one.get("health")).get("status")
    parts = (one.get("kind"), one.get("namespace"), one.get("name"), one.get("group"), one.get("status"), health)
    # A status may hold names that no server would store: one with a tab or a line end is two otherwise.
    return "\t".join(" ".join(str(part or "").split()) for part in parts)


_NAMED = 3


def _is_git(source: Any) -> bool:
    if not isinstance(source, dict) or source.get("chart"):
        return False
    return bool(source.get("repoURL")) and not str(source["repoURL"]).startswith("oci://")


def _is_home(server: str) -> bool:
    return server.rstrip("/") == names.IN_CLUSTER_SERVER


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
