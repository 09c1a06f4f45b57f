"""What an operator can choose about an installation, and which choices contradict each other.

Filled by `syncline.cli.install` and by tests; read by the other modules of this folder.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from syncline.core.rights.delivery import Profile
from syncline.model.errors import InvalidSpec

MANAGED_BY = "syncline-install"
"""Value of app.kubernetes.io/managed-by on what `syncline install` makes; the chart has Helm there."""


class Mode(StrEnum):
    """What is installed."""

    FULL = "full"
    DIAGNOSE = "diagnose"


class InstallOptions(msgspec.Struct, frozen=True, kw_only=True):
    """One installation. `targets` are namespaces to deliver to, `impersonated` are accounts, each as NAMESPACE:NAME."""

    image: str
    namespace: str = "argocd"
    mode: Mode = Mode.FULL
    controller_replicas: int = 2
    server_replicas: int = 2
    profile: Profile = Profile.CLUSTER_ADMIN
    targets: tuple[str, ...] = ()
    impersonated: tuple[str, ...] = ()
    application_namespaces: tuple[str, ...] = ()
    insecure: bool = False
    require_isolation: bool = True


def check_options(options: InstallOptions) -> None:
    """Raise `InvalidSpec` where choices contradict each other."""
    if options.mode is Mode.DIAGNOSE:
        if options.profile is not Profile.CLUSTER_ADMIN or options.targets or options.impersonated:
            raise InvalidSpec("diagnose mode only reads, so it takes no delivery profile, namespaces or accounts")
        return
    if options.profile is Profile.NAMESPACES and not options.targets:
        raise InvalidSpec("the profile namespaces needs the namespaces to deliver to", hint="--deliver-to NAMESPACE")
    if options.profile is Profile.CLUSTER_ADMIN and options.targets:
        raise InvalidSpec(
            "the profile cluster-admin delivers everywhere, so no namespaces are named",
            hint="choose the profile namespaces",
        )
    if options.profile is Profile.IMPERSONATION and not options.impersonated:
        raise InvalidSpec("the profile impersonation needs service accounts", hint="--impersonate NAMESPACE:NAME")
    if options.profile is not Profile.IMPERSONATION and options.impersonated:
        raise InvalidSpec(
            "service accounts to impersonate were named, but the profile does not impersonate",
            hint="choose the profile impersonation",
        )
