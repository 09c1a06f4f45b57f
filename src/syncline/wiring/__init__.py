"""The only place that builds adapters and hands them on as ports.

Called by the command line; nobody else knows which implementation stands behind a port.
"""

from syncline.wiring.checkouts import common_revision, export, revision_of
from syncline.wiring.clusters import Endpoint, argocd_api, client, connected, connector, contexts, endpoint
from syncline.wiring.controllers import controller, observer_ports, rendering_ports, server_ports, shards, web, world
from syncline.wiring.customizations import customized
from syncline.wiring.dumps import read_from, write_snapshot
from syncline.wiring.homes import (
    direct_home,
    login_callback,
    login_to,
    served_home,
    server_api,
    server_contexts,
    unguessable,
)
from syncline.wiring.machine import (
    FastForward,
    cache_folder,
    cache_trouble,
    clock,
    evaluating,
    evaluator,
    not_shut_in,
    run_in_virtual_time,
    versions,
    virtual_clock,
)
from syncline.wiring.repositories import (
    checkout_branches,
    checkout_remotes,
    configured_repositories,
    keep_repositories,
    kept_repositories,
    repositories,
)
from syncline.wiring.sandboxes import (
    control,
    described_sandbox,
    operator_groups,
    sandbox,
    serving,
    told_sandbox,
)
from syncline.wiring.servers import server_tools
from syncline.wiring.sources import RenderTools, charts, checker, folder, images, renderer, source, tools, trust

__all__ = [
    "Endpoint",
    "FastForward",
    "RenderTools",
    "argocd_api",
    "cache_folder",
    "cache_trouble",
    "charts",
    "checker",
    "checkout_branches",
    "checkout_remotes",
    "client",
    "clock",
    "common_revision",
    "configured_repositories",
    "connected",
    "connector",
    "contexts",
    "control",
    "controller",
    "customized",
    "described_sandbox",
    "direct_home",
    "endpoint",
    "evaluating",
    "evaluator",
    "export",
    "folder",
    "images",
    "keep_repositories",
    "kept_repositories",
    "login_callback",
    "login_to",
    "not_shut_in",
    "observer_ports",
    "operator_groups",
    "read_from",
    "renderer",
    "rendering_ports",
    "repositories",
    "revision_of",
    "run_in_virtual_time",
    "sandbox",
    "served_home",
    "server_api",
    "server_contexts",
    "server_ports",
    "server_tools",
    "serving",
    "shards",
    "source",
    "told_sandbox",
    "tools",
    "trust",
    "unguessable",
    "versions",
    "virtual_clock",
    "web",
    "world",
    "write_snapshot",
]
