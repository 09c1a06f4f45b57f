"""The words of policies: resources, the actions of each, and the short names that commands take for resources."""

from __future__ import annotations

from typing import Final

_CHANGES: Final = frozenset(("get", "create", "update", "delete"))

ACTIONS: Final = {
    "applications": _CHANGES | {"sync", "rollback", "override", "action"},
    "applicationsets": _CHANGES,
    "clusters": _CHANGES,
    "projects": _CHANGES,
    "repositories": _CHANGES,
    "write-repositories": _CHANGES,
    "certificates": _CHANGES,
    "accounts": frozenset(("get", "create", "update")),
    "gpgkeys": frozenset(("get", "create", "delete")),
    "logs": frozenset(("get",)),
    "exec": frozenset(("create",)),
    "extensions": frozenset(("invoke",)),
}
"""What can be done to each resource."""

WITH_PATH: Final = frozenset(("update", "delete", "action"))
"""Actions on applications that go on to an object: `delete/*/Pod/*/*`, `action/apps/Deployment/restart`."""

IN_PROJECTS: Final = frozenset(("applications", "applicationsets", "logs", "exec", "clusters", "repositories"))
"""Resources whose objects may be written as `project/name`."""

ALWAYS_IN_PROJECTS: Final = frozenset(("applications", "applicationsets", "logs", "exec"))
"""Resources whose objects are always asked for as `project/name` or `project/namespace/name`."""

_SHORT: Final = {
    "applications": ("app", "apps", "application"),
    "applicationsets": ("appset", "appsets", "applicationset"),
    "accounts": ("account",),
    "certificates": ("cert", "certs", "certificate"),
    "clusters": ("cluster",),
    "extensions": ("extension",),
    "gpgkeys": ("gpgkey", "key"),
    "logs": ("log",),
    "projects": ("proj", "projs", "project"),
    "repositories": ("repo", "repos", "repository"),
    "write-repositories": ("write-repository",),
}
_BY_SHORT: Final = {short: resource for resource, names in _SHORT.items() for short in names}


def resource_named(name: str) -> str:
    """Return the resource that a name or short name stands for; an unknown one stays as it is."""
    return _BY_SHORT.get(name, name)


def action_known(resource: str, action: str) -> bool:
    """Whether an action makes sense for a resource; what follows a slash is for objects of applications alone."""
    verb, slash, _ = action.partition("/")
    if verb not in ACTIONS.get(resource, ()):
        return False
    return not slash or (resource == "applications" and verb in WITH_PATH)
