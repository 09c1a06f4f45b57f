"""The only place that builds adapters and hands them on as ports.

Called by the command line; nobody else knows which implementation stands behind a port.
"""

from syncline.wiring.clusters import Endpoint, client, connected, connector, endpoint
from syncline.wiring.controllers import controller, observer_ports, shards, world
from syncline.wiring.customizations import customized
from syncline.wiring.machine import (
    cache_folder,
    cache_trouble,
    clock,
    evaluating,
    evaluator,
    not_shut_in,
    versions,
)
from syncline.wiring.repositories import (
    configured_repositories,
    keep_repositories,
    kept_repositories,
    repositories,
)
from syncline.wiring.sandboxes import (
    control,
    demo_sandbox,
    described_sandbox,
    kept_sandbox,
    operator_groups,
    sandbox,
    serving,
)
from syncline.wiring.sources import RenderTools, charts, checker, folder, images, renderer, source, tools, trust

__all__ = [
    "Endpoint",
    "RenderTools",
    "cache_folder",
    "cache_trouble",
    "charts",
    "checker",
    "client",
    "clock",
    "configured_repositories",
    "connected",
    "connector",
    "control",
    "controller",
    "customized",
    "demo_sandbox",
    "described_sandbox",
    "endpoint",
    "evaluating",
    "evaluator",
    "folder",
    "images",
    "keep_repositories",
    "kept_repositories",
    "kept_sandbox",
    "not_shut_in",
    "observer_ports",
    "operator_groups",
    "renderer",
    "repositories",
    "sandbox",
    "serving",
    "shards",
    "source",
    "tools",
    "trust",
    "versions",
    "world",
]
