"""Where the rule stands that denied something: the line of a file in Git, else the object and its field.

Asked after a request was `Denied`. An AppProject that an Application delivers has a line in a repository; finding it
takes a render of that Application, so this is done for denials only. The line is named only where Git says the same as
the stored project.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.controller.app_key import AppKey
from syncline.core.compare import tracking
from syncline.core.policy import global_projects
from syncline.core.policy.denials import Denial
from syncline.model.desired import DesiredObject
from syncline.model.errors import SynclineError
from syncline.ports.kube import Cluster
from syncline.ports.transport import TransportError
from syncline.verbs.applications import read_application
from syncline.verbs.errors import Denied
from syncline.verbs.look import Worlds, look
from syncline.verbs.permission import ProjectRules, read_rules


class DecidingRule(msgspec.Struct, frozen=True):
    """The field of a stored AppProject that decided."""

    project: Object
    field: str

    @property
    def value(self) -> object:
        """What the field says."""
        return FieldPath.parse(self.field).resolve(self.project)


async def located(denied: Denied, cluster: Cluster, worlds: Worlds) -> Denied:
    """Return the same refusal with where each of its rules stands."""
    rules = await read_rules(cluster, denied.control)
    places = []
    for denial in denied.denials:
        rule = deciding(denial, rules)
        if rule is not None:
            places.append(await _place(rule, rules, cluster, worlds))
    hints = [denied.hint, *(f"decided by {place}" for place in dict.fromkeys(places))]
    return Denied(denied.what, denied.denials, control=denied.control, hint="; ".join(filter(None, hints)))


def deciding(denial: Denial, rules: ProjectRules) -> DecidingRule | None:
    """Return the rule behind a denial: an entry may have come from a global project."""
    found = rules.projects.get(denial.project)
    if found is None or not denial.field:
        return None
    inherited = rules.settings.global_projects
    return DecidingRule(*global_projects.holder(found, denial.field, inherited, rules.projects.get))


async def _place(rule: DecidingRule, rules: ProjectRules, cluster: Cluster, worlds: Worlds) -> str:
    """Return file and line with the Application that delivers them, or the object and its field."""
    key = key_of(rule.project)
    field = f"{rule.field} of AppProject {key.namespace}/{key.name}"
    instance = tracking.owner_of(rule.project, rules.settings)
    if not instance:
        return field
    namespace, underscore, name = instance.partition("_")
    owner = AppKey(namespace, name) if underscore else AppKey(rules.settings.namespace, instance)
    item = await _rendered(key, owner, rules.settings.namespace, cluster, worlds)
    if item is None:
        return f"{field}, which Application {owner.name} delivers"
    same = FieldPath.parse(rule.field).resolve(item.obj) == rule.value
    if not same or rule.value is MISSING:
        return f"{field} ({item.origin.place()} of Application {owner.name} says something else)"
    return f"{item.origin.place(rule.field)}, which Application {owner.name} delivers: change it there"


async def _rendered(
    key: ObjectKey, owner: AppKey, namespace: str, cluster: Cluster, worlds: Worlds
) -> DesiredObject | None:
    """Return a project as Git has it; None where that cannot be found out."""
    try:
        app = await read_application(cluster, owner)
        desired = (await look(cluster, namespace, app.obj, worlds)).snapshot.desired
    except (SynclineError, TransportError):
        return None
    found = desired.objects if desired is not None else ()
    return next(
        (one for one in found if one.key.name == key.name and one.key.kind == key.kind and one.origin.file), None
    )
