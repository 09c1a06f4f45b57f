"""All routes. A request is answered by the first one that fits, so literal words stand before what any word fits."""

from __future__ import annotations

from itertools import chain
from typing import Final

from syncline.server.routes import (
    about_apps,
    accounts,
    actions,
    applications,
    applicationsets,
    badge,
    changes,
    cluster_changes,
    clusters,
    explaining,
    fleet,
    installation,
    logs,
    metrics,
    objects,
    projects,
    repositories,
    repository_changes,
    repository_contents,
    session,
    settings,
    webhooks,
)
from syncline.server.routing import Endpoint
from syncline.server.ui import demo

ENDPOINTS: Final[tuple[Endpoint, ...]] = tuple(
    chain(
        demo.ENDPOINTS,
        session.ENDPOINTS,
        accounts.ENDPOINTS,
        installation.ENDPOINTS,
        settings.ENDPOINTS,
        applications.ENDPOINTS,
        changes.ENDPOINTS,
        objects.ENDPOINTS,
        actions.ENDPOINTS,
        logs.ENDPOINTS,
        about_apps.ENDPOINTS,
        explaining.ENDPOINTS,
        fleet.ENDPOINTS,
        applicationsets.ENDPOINTS,
        projects.ENDPOINTS,
        repository_contents.ENDPOINTS,
        repository_changes.ENDPOINTS,
        repositories.ENDPOINTS,
        cluster_changes.ENDPOINTS,
        clusters.ENDPOINTS,
        badge.ENDPOINTS,
        webhooks.ENDPOINTS,
        metrics.ENDPOINTS,
    )
)
