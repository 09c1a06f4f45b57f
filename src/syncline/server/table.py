"""All routes. A request is answered by the first one that fits, so literal words stand before what any word fits."""

from __future__ import annotations

from itertools import chain
from typing import Final

from syncline.server.requests.routing import Endpoint
from syncline.server.routes import (
    applicationsets,
    badge,
    installation,
    metrics,
    notifications,
    projects,
    settings,
    webhooks,
)
from syncline.server.routes.applications import (
    about_apps,
    actions,
    changes,
    logs,
    looking,
    objects,
    operations,
    reading,
)
from syncline.server.routes.connections import (
    cluster_changes,
    clusters,
    repositories,
    repository_changes,
    repository_contents,
)
from syncline.server.routes.insight import blame, checks, everywhere, explaining, fleet
from syncline.server.routes.people import accounts, dex, session, sso
from syncline.server.ui import demo

ENDPOINTS: Final[tuple[Endpoint, ...]] = tuple(
    chain(
        demo.ENDPOINTS,
        session.ENDPOINTS,
        sso.ENDPOINTS,
        dex.ENDPOINTS,
        accounts.ENDPOINTS,
        installation.ENDPOINTS,
        settings.ENDPOINTS,
        notifications.ENDPOINTS,
        reading.ENDPOINTS,
        changes.ENDPOINTS,
        operations.ENDPOINTS,
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
