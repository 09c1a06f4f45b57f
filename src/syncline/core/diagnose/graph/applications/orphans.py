"""Applications that their ApplicationSet no longer generates and has not deleted.

Asked by the check on such apps, and by the one on objects that several apps deliver. A set may keep what it generates
no more (`applicationsSync: create-update`), and goes on listing it: only its generators tell for sure.
"""

from __future__ import annotations

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.diagnose.graph.fault import condition
from syncline.core.diagnose.graph.view.fleet import FleetIndex, part
from syncline.model import names

_KIND = "ApplicationSet"


def owner_of(app: Object) -> ObjectKey | None:
    """Return the set that made an Application; None where none did."""
    for one in meta.owner_references(app):
        group = str(one.get("apiVersion") or "").rpartition("/")[0]
        if one.get("kind") == _KIND and group == names.GROUP and one.get("controller") is not False:
            return ObjectKey(names.GROUP, _KIND, meta.namespace(app), str(one.get("name") or ""))
    return None


def orphaned(fleet: FleetIndex, app: Object) -> ObjectKey | None:
    """Return the set that made an Application and generates it no more; None where that is not known."""
    appset = owner_of(app)
    found = fleet.home.get(appset) if appset is not None else None
    if appset is None or found is None or meta.deletion_timestamp(app) or meta.deletion_timestamp(found):
        return None
    generated = fleet.generated(appset)
    if generated is not None:
        # No names at all is more often a generator that finds nothing than a set that nobody needs.
        return appset if generated and meta.name(app) not in generated else None
    return appset if _listed_without(found, meta.name(app)) else None


def _listed_without(appset: Object, name: str) -> bool:
    """Whether the status of a set, where it is whole and of a pass that went well, lists others and not this one."""
    status = part(appset, "status")
    rows = status.get("resources")
    listed = [str(one.get("name")) for one in rows if isinstance(one, dict)] if isinstance(rows, list) else []
    whole = status.get("resourcesCount") in (None, len(listed))
    well = condition(appset, "ErrorOccurred").get("status") != "True"
    return bool(listed) and whole and well and name not in listed


def kept_by_policy(appset: Object) -> str:
    """Return the policy by which a set keeps what it generates no more; empty where it should delete it."""
    policy = str(part(appset, "spec", "syncPolicy").get("applicationsSync") or "")
    return policy if policy in ("create-only", "create-update") else ""
