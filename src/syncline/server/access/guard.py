"""Decides by the policies of the installation, as they stand in the live view, what somebody may do.

Asked by every route through `syncline.server.requests.call`. Lines are read once for each version of argocd-rbac-cm and
of a project; a question costs some microseconds, so that a list of thousands can be asked about one by one.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.core.policy.rbac import sources
from syncline.core.policy.rbac.enforcer import RbacRequest, RbacVerdict
from syncline.core.policy.rbac.rights import (
    PolicySource,
    ProjectRights,
    Rights,
    Who,
    project_asked_about,
    project_of_subject,
)
from syncline.core.settings.parse import SettingsInput, entries
from syncline.model import names, project
from syncline.model.errors import InvalidSpec
from syncline.model.project import AppProject
from syncline.model.settings.parts import Permissions

_KEPT = 1000


class Guard:
    """The rights in force."""

    def __init__(self, world: World, live: LiveCluster) -> None:
        self._world = world
        self._live = live
        self._rights: tuple[int, Rights] | None = None
        self._of_projects: dict[str, tuple[int, ProjectRights]] = {}

    def may(self, who: Who, resource: str, action: str, name: str) -> bool:
        """Whether somebody may do something."""
        return self.decide(who, resource, action, name).allowed

    def decide(self, who: Who, resource: str, action: str, name: str) -> RbacVerdict:
        """Return the answer with the line that decides."""
        request = RbacRequest(who.subject, resource, action, name)
        about = project_asked_about(request) or project_of_subject(who.subject)
        return self._of(about).decide_for(who, request)

    def rules_for(self, who: Who) -> Permissions:
        """Return the policies of the installation as far as they count for somebody."""
        rights = self._current()
        policy = "\n".join(map(str, rights.lines_for(who)))
        return Permissions(policy=policy, default=rights.source.default_role, match_mode=rights.source.mode)

    def roles_for(self, who: Who, name: str) -> list[dict[str, Any]]:
        """Return the roles of a project that somebody has: their policies, and the groups that are theirs."""
        found = self.project(name)
        names = self._of(name).subjects_of(who) if found is not None else frozenset()
        return [
            {
                "name": role.name,
                "policies": list(role.policies),
                "groups": [group for group in role.groups if group in who.groups],
            }
            for role in (found.spec.roles if found is not None else ())
            if f"proj:{name}:{role.name}" in names
        ]

    def project(self, name: str) -> AppProject | None:
        """Return a typed project; None where it is not there or cannot be read."""
        found = self._live.index.get(self._project_key(name)) if name else None
        try:
            return project.parse(found) if found is not None else None
        except InvalidSpec:
            return None

    def _of(self, about: str) -> ProjectRights:
        rights = self._current()
        version = self._live.index.version(self._project_key(about)) if about else 0
        known = self._of_projects.get(about)
        if known is None or known[0] != version:
            if len(self._of_projects) >= _KEPT:
                self._of_projects.clear()
            # A project that does not exist is not kept: anybody can ask for any number of them.
            if not version:
                return rights.of_project(None)
            known = self._of_projects[about] = (version, rights.of_project(self.project(about)))
        return known[1]

    def _current(self) -> Rights:
        key = ObjectKey("", "ConfigMap", self._world.settings.namespace, "argocd-rbac-cm")
        version = self._live.index.version(key)
        if self._rights is None or self._rights[0] != version:
            self._rights = (version, Rights(_source(self._live.index.get(key))))
            self._of_projects.clear()
        return self._rights[1]

    def _project_key(self, name: str) -> ObjectKey:
        return ObjectKey(names.GROUP, "AppProject", self._world.settings.namespace, name)


def _source(config_map: Object | None) -> PolicySource:
    if config_map is None:
        return PolicySource()
    return sources.of_entries(entries([SettingsInput({**config_map, "apiVersion": "v1", "kind": "ConfigMap"})]))
