"""The rights of whoever sends a request, as `syncline.verbs` ask for them, and what sets are judged by."""

from __future__ import annotations

from syncline.controller.appsets.projects import read_projects
from syncline.server.lists.shelf import rbac_name
from syncline.server.requests.call import Call
from syncline.verbs.writing_sets import Installation


class CallerRights:
    """Whoever sends a request, and what they may do."""

    def __init__(self, call: Call) -> None:
        self._call = call

    @property
    def is_admin(self) -> bool:
        """Whether they may change every project, and so give themselves any right."""
        return self._call.may("projects", "update", "*")

    def require(self, resource: str, action: str, project: str, namespace: str, name: str) -> None:
        """Raise `PermissionDenied` unless they may do something to an Application or a set."""
        self._call.require(resource, action, rbac_name(project, namespace, name, self._call.backend.namespace))

    def require_project(self, action: str, project: str) -> None:
        """Raise `PermissionDenied` unless they may do something to a project."""
        self._call.require("projects", action, project)


def installation(call: Call) -> Installation:
    """Return what ApplicationSets are judged by when they are written."""
    settings = call.backend.world.settings
    return Installation(read_projects(call.backend.live.index, settings), settings.namespace)
