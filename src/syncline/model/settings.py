"""Settings that change how the engine behaves, as one value.

Read from the control-plane namespace's ConfigMaps and the command line by `syncline.wiring`; every decision sees them.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from syncline.model import names


class TrackingMethod(StrEnum):
    """How a live object says which app it belongs to."""

    ANNOTATION = "annotation"
    ANNOTATION_AND_LABEL = "annotation+label"
    LABEL = "label"


class Compat(StrEnum):
    """Whose behaviour to follow where the two differ on purpose."""

    SYNCLINE = "syncline"
    ARGOCD = "argocd"


DEFAULT_EXCLUSIONS: tuple[str, ...] = (
    "events.k8s.io/*",
    "metrics.k8s.io/*",
    "coordination.k8s.io/Lease",
    "authentication.k8s.io/*",
    "authorization.k8s.io/*",
    "discovery.k8s.io/EndpointSlice",
    "Event",
    "Endpoints",
)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What an operator can set. Times are in seconds."""

    namespace: str = "argocd"
    tracking: TrackingMethod = TrackingMethod.ANNOTATION
    instance_label: str = names.INSTANCE_LABEL
    installation_id: str = ""
    exclusions: tuple[str, ...] = DEFAULT_EXCLUSIONS
    field_manager: str = names.FIELD_MANAGER
    refresh_interval: float = 120.0
    refresh_jitter: float = 60.0
    wave_delay: float = 2.0
    self_heal_backoff: float = 2.0
    self_heal_factor: float = 3.0
    self_heal_cap: float = 300.0
    history_limit: int = 10
    compat: Compat = Compat.SYNCLINE
