"""Settings that change how the engine behaves, as one value.

Read from ConfigMaps, an ArgoCD resource or chart values by `syncline.core.settings`, from a cluster by
`syncline.controller.settings`, and from the command line by `syncline.wiring`; every decision sees them. Configuration
of logins is left out on purpose: it may hold secrets, and a `Settings` is part of every snapshot.
"""

from __future__ import annotations

import functools
import hashlib
from enum import StrEnum

import msgspec

from syncline.model import names
from syncline.model.settings.parts import (
    ApplicationSets,
    ControllerLimits,
    GlobalProject,
    Permissions,
    Safety,
    Sharding,
    SourceSettings,
    ToolSettings,
)
from syncline.model.settings.resources import (
    NO_CUSTOMIZATIONS,
    CompareOptions,
    Customizations,
    ResourceFilter,
    ResourceOverride,
    RespectRbac,
)


class TrackingMethod(StrEnum):
    """How a live object says which app it belongs to."""

    ANNOTATION = "annotation"
    ANNOTATION_AND_LABEL = "annotation+label"
    LABEL = "label"


class Compat(StrEnum):
    """Whose behaviour to follow where the two differ on purpose."""

    SYNCLINE = "syncline"
    ARGOCD = "argocd"


class Profile(StrEnum):
    """Which distribution's defaults hold where nothing is set."""

    UPSTREAM = "upstream"
    OPENSHIFT_GITOPS = "openshift-gitops"


ALWAYS_EXCLUDED: tuple[str, ...] = (
    "events.k8s.io/*",
    "metrics.k8s.io/*",
    "coordination.k8s.io/Lease",
    "Event",
)
"""Kinds that no setting brings back."""

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
"""Kinds left out where there is no argocd-cm to say so."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What an operator can set. Times are in seconds.

    A kind is seen unless a pattern of `exclusions` or a filter of `resource_exclusions` matches it; with
    `resource_inclusions` one of those must match too. `refresh_interval`, `hard_refresh_interval` and `sync_timeout` of
    0 mean never; `self_heal_delay` counts only while `self_heal_backoff` is 0.
    """

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

    profile: Profile = Profile.UPSTREAM
    application_namespaces: tuple[str, ...] = ()
    hard_refresh_interval: float = 0.0
    self_heal_delay: float = 0.0
    sync_timeout: float = 0.0
    repo_error_grace: float = 180.0
    render_timeout: float = 60.0

    server_side_diff: bool = False
    jq_timeout: float = 1.0
    compare: CompareOptions = CompareOptions()
    overrides: tuple[ResourceOverride, ...] = ()
    resource_customizations: str = ""
    """The folder that `customizations` are read from, on the machine of the controller."""
    customizations: Customizations = NO_CUSTOMIZATIONS
    resource_exclusions: tuple[ResourceFilter, ...] = ()
    resource_inclusions: tuple[ResourceFilter, ...] = ()
    ignore_resource_updates: bool = True
    respect_rbac: RespectRbac = RespectRbac.OFF

    impersonation: bool = False
    impersonation_enforced: bool = True
    replace_allowed: bool = True
    in_cluster: bool = True
    exec_commands: tuple[str, ...] = ()
    """Programs that a cluster Secret may have us run for credentials; `*` is any."""
    global_projects: tuple[GlobalProject, ...] = ()
    persist_health: bool = False
    event_labels: tuple[str, ...] = ()
    event_labels_excluded: tuple[str, ...] = ()
    masked_annotations: tuple[str, ...] = ()

    tools: ToolSettings = ToolSettings()
    sources: SourceSettings = SourceSettings()
    sharding: Sharding = Sharding()
    limits: ControllerLimits = ControllerLimits()
    safety: Safety = Safety()
    application_sets: ApplicationSets = ApplicationSets()
    permissions: Permissions = Permissions()


@functools.lru_cache(maxsize=16)
def digest(settings: Settings) -> str:
    """Return a short text that differs when any setting differs; part of memo keys."""
    return hashlib.sha256(msgspec.json.encode(settings, order="deterministic")).hexdigest()[:32]
