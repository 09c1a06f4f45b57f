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
    blame,
    changes,
    checks,
    cluster_changes,
    clusters,
    everywhere,
    explaining,
    fleet,
    installation,
    logs,
    looking,
    metrics,
    objects,
    projects,
    repositories,
    repository_changes,
    repository_contents,
    session,
    settings,
    sso,
    webhooks,
)
from syncline.server.routing import Endpoint
from syncline.server.ui import demo

ENDPOINTS: Final[tuple[Endpoint, ...]] = tuple(
    chain(
        demo.ENDPOINTS,
        session.ENDPOINTS,
        sso.ENDPOINTS,
        accounts.ENDPOINTS,
        installation.ENDPOINTS,
        settings.ENDPOINTS,
        applications.ENDPOINTS,
        changes.ENDPOINTS,
        objects.ENDPOINTS,
        actions.ENDPOINTS,
        logs.ENDPOINTS,
        looking.ENDPOINTS,
        about_apps.ENDPOINTS,
        explaining.ENDPOINTS,
        blame.ENDPOINTS,
        fleet.ENDPOINTS,
        everywhere.ENDPOINTS,
        checks.ENDPOINTS,
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
