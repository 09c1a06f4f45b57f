"""What a Prometheus scrapes of a controller without a page: `/metrics` and `/healthz`, on a port of their own.

Started by `syncline.cli.run.session` for `syncline controller --metrics-port`. As in Argo CD nobody logs in here, and
names of Applications are in it: it listens on the loopback address unless told otherwise.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from syncline.apimachinery.keys import Object
from syncline.controller.app_key import APPLICATION, AppKey, application_key
from syncline.controller.controller import Controller
from syncline.controller.notify.outbox import Tally
from syncline.controller.runtime.timing import BUCKETS, Timing
from syncline.model.published import KIND
from syncline.server.app import Listening, listening_at
from syncline.server.lists.shelf import Shelf
from syncline.server.metering.counting import CountingSink
from syncline.server.metering.metrics import MEDIA, exposition
from syncline.server.routes.metrics import app_sample, family, sample

_QUEUES = {"Application": "app_reconciliation_queue", "ApplicationSet": "applicationset"}


def controller_metrics(controller: Controller, shelf: Shelf, counted: CountingSink, version: str) -> str:
    """Return all figures of a controller as text."""
    index = controller.live.index
    objects: list[Object] = [*index.of_kind(APPLICATION), *index.of_kind(KIND)]
    lines = [
        *family("argocd_info", "gauge", "The version of the controller.", [({"version": version}, 1)]),
        *family("argocd_app_info", "gauge", "Information about Applications.", map(app_sample, shelf.rows())),
        *_syncs(shelf, counted),
        *_clusters(controller),
        *_queues(controller),
        *_renders(controller),
        *_notifications(controller.notified or Tally()),
        *exposition(objects).splitlines(),
    ]
    return "\n".join(lines) + "\n"


def _syncs(shelf: Shelf, counted: CountingSink) -> Iterator[str]:
    def samples() -> Iterator[tuple[dict[str, str], float]]:
        for (app, phase), count in sorted(counted.ended.items()):
            namespace, _, name = app.partition("/")
            row = shelf.row(application_key(AppKey(namespace, name)))
            server = "" if row is None else row.server or row.cluster
            project = "" if row is None else row.project
            yield {
                "namespace": namespace, "name": name, "project": project, "dest_server": server, "phase": phase
            }, count  # fmt: skip

    yield from family("argocd_app_sync_total", "counter", "Syncs that ended, by phase.", samples())


def _clusters(controller: Controller) -> Iterator[str]:
    found = controller.clusters()
    yield from family(
        "argocd_cluster_info",
        "gauge",
        "Clusters that Applications are delivered to.",
        (
            ({"server": one.server, "name": one.name, "k8s_version": live.discovery.version if live else ""}, 1)
            for one, live in found
        ),
    )
    yield from family(
        "argocd_cluster_connection_status",
        "gauge",
        "Whether a cluster answers; one that nobody has asked yet is left out.",
        (({"server": one.server}, int(not live.unreachable)) for one, live in found if live is not None),
    )


def _queues(controller: Controller) -> Iterator[str]:
    loops = list(controller.runtime.loops())
    yield from family(
        "workqueue_depth",
        "gauge",
        "Keys that wait, by queue.",
        (({"name": _QUEUES.get(name, name)}, waiting) for name, waiting, _ in loops),
    )
    for name, _, timing in loops:
        if name == "Application":
            yield from _histogram("argocd_app_reconcile", "How long passes over Applications took.", timing)


def _renders(controller: Controller) -> Iterator[str]:
    figures = controller.render_figures()
    yield from family(
        "syncline_renders_waiting",
        "gauge",
        "Renders that wait for their turn, by whether somebody waits for them.",
        (({"lane": lane}, count) for lane, count in sorted(figures.waiting.items())),
    )
    yield from family("syncline_renders_running", "gauge", "Programs that render.", [({}, figures.running)])
    yield from family(
        "syncline_render_processor_seconds_total",
        "counter",
        "Processor seconds of programs that render, by project.",
        (({"project": project}, seconds) for project, seconds in sorted(figures.processor_seconds.items())),
    )
    yield from family(
        "syncline_renders_backing_off",
        "gauge",
        "Renders that ran into a limit and are not tried again yet.",
        [({}, controller.applications.sources.backing_off())],
    )


def _histogram(name: str, about: str, timing: Timing) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} histogram"
    for where, counts in sorted(timing.counts.items()):
        labels = {"namespace": where[0], "dest_server": where[1]}
        for bound, count in zip((*map(str, BUCKETS), "+Inf"), counts, strict=True):
            yield sample(f"{name}_bucket", {**labels, "le": bound}, count)
        yield sample(f"{name}_sum", labels, timing.seconds[where])
        yield sample(f"{name}_count", labels, counts[-1])


def _notifications(tally: Tally) -> Iterator[str]:
    yield from family(
        "argocd_notifications_deliveries_total",
        "counter",
        "Notifications by trigger, service and whether they were delivered.",
        (
            ({"trigger": trigger, "service": service, "succeeded": str(succeeded).lower()}, count)
            for (trigger, service, succeeded), count in sorted(tally.deliveries.items())
        ),
    )
    yield from family(
        "argocd_notifications_trigger_eval_total",
        "counter",
        "Conditions of triggers that were evaluated, by whether they held.",
        (
            ({"name": name, "triggered": str(held).lower()}, count)
            for (name, held), count in sorted(tally.evaluations.items())
        ),
    )


@asynccontextmanager
async def scraped(
    controller: Controller, counted: CountingSink, version: str, listening: Listening
) -> AsyncIterator[str]:
    """Serve the figures of a controller until the block is left; yields the address."""
    shelf = Shelf(controller.live)

    async def metrics(_request: Request) -> Response:
        return Response(controller_metrics(controller, shelf, counted, version), media_type=MEDIA)

    async def health(_request: Request) -> Response:
        ready = controller.live.is_ready() and not controller.live.unreachable
        words = "ok" if ready else controller.live.unreachable or "the cluster is being read"
        return PlainTextResponse(f"{words}\n", 200 if ready else 503)

    app = Starlette(routes=[Route("/metrics", metrics), Route("/healthz", health)])
    try:
        async with listening_at(app, listening) as address:
            yield address
    finally:
        shelf.close()
