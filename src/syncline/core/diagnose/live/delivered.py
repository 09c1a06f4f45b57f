"""Where an Application itself is to be changed: on the cluster, or in the app that delivers it and would set it back.

Shared by the rules whose fix is another value in an Application.
"""

from __future__ import annotations

import shlex

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.compare import tracking
from syncline.core.diagnose.live import around
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Fix


def parent(app: App) -> ObjectKey | None:
    """Return the Application that delivers this one; None where nobody does."""
    snapshot, own = app.assessment.snapshot, app.assessment.myself
    owner = tracking.owner_of(snapshot.app, snapshot.settings)
    if not owner:
        return None
    for key, _obj in around.of_kind(app, own.group_kind):
        if key != own and tracking.instance_name(key.namespace, key.name, snapshot.settings) == owner:
            return key
    return None


def by_application(app: App, flag: str, value: str, field: str, remark: str, shown: str = "") -> Fix:
    """Return the fix that gives a field of the Application another value, where it lasts."""
    name, above = app.assessment.app.metadata.name, parent(app)
    if appset := made_by(app.assessment.snapshot.app):
        return in_set(appset, name, shown or value, field, remark)
    if above is None:
        return Fix(text=remark, command=f"syncline app set {name} {flag} {shlex.quote(value)}")
    title = around.title(app, above)
    return Fix(
        text=f"decide: write {shown or value} for {field} of Application/{name} in the source of app {title}, which "
        f"delivers it; its line: syncline blame Application/{name} {field} --app {title}; {remark}"
    )


def made_by(app: Object) -> str:
    """Return the name of the ApplicationSet that makes an Application, and would set it back; empty where none does."""
    owners = meta.owner_references(app)
    return next((str(one.get("name")) for one in owners if one.get("kind") == "ApplicationSet"), "")


def in_set(appset: str, app: str, value: str, field: str, remark: str) -> Fix:
    """Return the fix of a field that comes from the template or the parameters of a set."""
    return Fix(text=f"decide: let ApplicationSet/{appset}, which makes {app}, say {value} for {field}; {remark}")
