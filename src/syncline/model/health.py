"""Health of one object or of a whole app: a status, and why.

Assessed by `syncline.core.health`.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from syncline.model.finding import Evidence


class HealthCode(StrEnum):
    """Argo CD's six words."""

    HEALTHY = "Healthy"
    SUSPENDED = "Suspended"
    PROGRESSING = "Progressing"
    MISSING = "Missing"
    DEGRADED = "Degraded"
    UNKNOWN = "Unknown"

    @property
    def badness(self) -> int:
        """Rank from best (0) to worst (5)."""
        return _ORDER.index(self)


_ORDER = (
    HealthCode.HEALTHY,
    HealthCode.SUSPENDED,
    HealthCode.PROGRESSING,
    HealthCode.MISSING,
    HealthCode.DEGRADED,
    HealthCode.UNKNOWN,
)


class Health(msgspec.Struct, frozen=True, omit_defaults=True):
    """A health status with its message, its reason word and the evidence it rests on.

    Without `gating` it is only shown: it neither counts for the app nor holds up a sync.
    """

    status: HealthCode
    message: str = ""
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    since: str = ""
    gating: bool = True
