"""The types of conditions on an Application: Argo CD's, and three of our own.

Named by whoever makes a condition (`syncline.core`, `syncline.controller.deliver`) or looks for one. Argo CD's tools
sort by the end of the name: a type ending in `Error` is an error, one ending in `Warning` a warning. Types that others
write may be anything, so what was read from an Application is a plain text.
"""

from __future__ import annotations

from enum import StrEnum


class ConditionType(StrEnum):
    """What a condition is about."""

    INVALID_SPEC_ERROR = "InvalidSpecError"
    COMPARISON_ERROR = "ComparisonError"
    SYNC_ERROR = "SyncError"
    UNKNOWN_ERROR = "UnknownError"
    DELETION_ERROR = "DeletionError"
    SHARED_RESOURCE_WARNING = "SharedResourceWarning"
    REPEATED_RESOURCE_WARNING = "RepeatedResourceWarning"
    EXCLUDED_RESOURCE_WARNING = "ExcludedResourceWarning"
    ORPHANED_RESOURCE_WARNING = "OrphanedResourceWarning"
    UNSTEADY_RENDER_WARNING = "UnsteadyRenderWarning"
    """Our own: the render differs from one time to the next."""
    RENDER_WAITING_WARNING = "RenderWaitingWarning"
    """Our own: the render waits for its turn, because others go first."""
    MANIFEST_WARNING = "ManifestWarning"
    """Our own: manifests say something twice, or no object at all."""
    SYNC_OPTION_WARNING = "SyncOptionWarning"
    """Our own: a word among the sync options has no effect."""


def is_error(kind: str) -> bool:
    """Whether a condition of this type is an error."""
    return kind.endswith("Error")


def is_warning(kind: str) -> bool:
    """Whether a condition of this type is a warning."""
    return kind.endswith("Warning")
