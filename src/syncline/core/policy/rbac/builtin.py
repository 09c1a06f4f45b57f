"""The roles that every installation has: `role:readonly` and `role:admin`, the latter for the user `admin`."""

from __future__ import annotations

from typing import Final

from syncline.core.policy.rbac.lines import PolicyLine
from syncline.core.policy.rbac.reserved import ADMIN

_READ: Final = (
    "applications",
    "applicationsets",
    "certificates",
    "clusters",
    "repositories",
    "write-repositories",
    "projects",
    "accounts",
    "gpgkeys",
    "logs",
)
_CHANGE: Final = {
    "applications": (
        "create",
        "update",
        "update/*",
        "delete",
        "delete/*",
        "sync",
        "rollback",
        "override",
        "action/*",
    ),
    "applicationsets": ("get", "create", "update", "delete"),
    "certificates": ("create", "update", "delete"),
    "clusters": ("create", "update", "delete"),
    "repositories": ("create", "update", "delete"),
    "write-repositories": ("create", "update", "delete"),
    "projects": ("create", "update", "delete"),
    "accounts": ("update",),
    "gpgkeys": ("create", "delete"),
    "exec": ("create",),
}
_WITH_PROJECT: Final = ("applications", "applicationsets", "logs", "exec")
PLACE: Final = "built in"


def _line(role: str, resource: str, action: str) -> PolicyLine:
    objects = "*/*" if resource in _WITH_PROJECT else "*"
    return PolicyLine("p", (role, resource, action, objects, "allow"), PLACE)


LINES: Final = (
    *(_line("role:readonly", resource, "get") for resource in _READ),
    *(_line("role:admin", resource, action) for resource, actions in _CHANGE.items() for action in actions),
    PolicyLine("g", ("role:admin", "role:readonly"), PLACE),
    PolicyLine("g", (ADMIN, "role:admin"), PLACE),
)
"""The built-in policy. `exec` and `extensions` are nobody's but for the first, which is the admins'."""
