"""What a cluster can do, as charts ask for it.

Worked out by `syncline.controller.deliver.observe` from what a cluster was found to serve; part of every request for a
render, and of what `syncline.controller.sources.renders` goes by.
"""

from __future__ import annotations

import msgspec

from syncline.ports.kube import Discovery


class Capabilities(msgspec.Struct, frozen=True, omit_defaults=True):
    """The version of a cluster, and its kinds: `apps/v1` and `apps/v1/Deployment`."""

    kube_version: str = ""
    api_versions: tuple[str, ...] = ()


def capabilities(discovery: Discovery) -> Capabilities:
    """Return version and kinds of a cluster."""
    found: set[str] = set()
    for resource in discovery.resources:
        found |= {resource.gvk.api_version, f"{resource.gvk.api_version}/{resource.gvk.kind}"}
    return Capabilities(discovery.version, tuple(sorted(found)))
