"""Words what an apply may not take from others, as the API server does.

`syncline.apimachinery.merge.applying` makes the conflicts; the sandbox puts message and causes into its 409 answer,
and the explanation of a failed sync reads them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from syncline.apimachinery.merge import paths
from syncline.apimachinery.merge.fieldset import FieldSet
from syncline.apimachinery.merge.managers import UPDATE, OwnerId, Owners


class FieldConflict(NamedTuple):
    """One field another owner holds with another value."""

    manager: str
    path: str
    operation: str = UPDATE
    api_version: str = ""
    subresource: str = ""
    time: str | None = None

    @property
    def owner(self) -> str:
        """The owner as the API server prints it; appliers are known by name alone."""
        text = paths.go_quote(self.manager)
        if self.subresource:
            text += f" with subresource {paths.go_quote(self.subresource)}"
        return f"{text} using {self.api_version}" if self.operation == UPDATE else text


def from_owners(lost: Mapping[OwnerId, FieldSet], owners: Owners) -> tuple[FieldConflict, ...]:
    """Return the conflicts ordered by owner, then path."""
    return tuple(
        FieldConflict(
            manager=owner.manager,
            path=str(member),
            operation=owner.operation,
            api_version=owners[owner].api_version,
            subresource=owner.subresource,
            time=owners[owner].time,
        )
        for owner in sorted(lost, key=lambda owner: owner.text)
        for member in lost[owner].iterate()
    )


def conflict_message(conflicts: Sequence[FieldConflict]) -> str:
    """Return the message of the API server's refusal."""
    if len(conflicts) == 1:
        return f"Apply failed with 1 conflict: conflict with {conflicts[0].owner}: {conflicts[0].path}"
    by_owner: dict[str, list[str]] = {}
    for conflict in conflicts:
        by_owner.setdefault(conflict.owner, []).append(conflict.path)
    lines = [
        line
        for owner, members in by_owner.items()
        for line in (f"conflicts with {owner}:", *(f"- {member}" for member in members))
    ]
    return f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(lines)


def conflict_causes(conflicts: Sequence[FieldConflict]) -> list[dict[str, Any]]:
    """Return `details.causes` of the API server's Status object."""
    return [
        {
            "reason": "FieldManagerConflict",
            "message": f"conflict with {conflict.owner}",
            "field": conflict.path,
        }
        for conflict in conflicts
    ]
