"""Names that a login provider cannot give: they stand for roles, for tokens of projects, or for the built-in admin.

Asked by `syncline.core.policy.rbac.rights` about groups, and by the server's OpenID Connect about who somebody is.
Groups, people, roles and accounts share one space of names in policies, so a provider that may choose freely could
name somebody `role:admin`.
"""

from __future__ import annotations

from typing import Final

ADMIN: Final = "admin"
_PREFIXES: Final = ("role:", "proj:")


def is_reserved(name: str) -> bool:
    """Whether a name is that of a role, of a project's token or of the built-in admin."""
    return name == ADMIN or name.startswith(_PREFIXES)
