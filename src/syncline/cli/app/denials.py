"""Says of what a project denies where the rule stands that decided: file and line in Git, else object and field."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from syncline.cli.options import observer_ports
from syncline.ports.kube import Cluster
from syncline.verbs.errors import Denied


@asynccontextmanager
async def naming_rules(cluster: Cluster) -> AsyncIterator[None]:
    """Let a refusal out with the place of each rule behind it."""
    try:
        yield
    except Denied as denied:
        from syncline.verbs.deciding import located

        raise await located(denied, cluster, observer_ports) from None
