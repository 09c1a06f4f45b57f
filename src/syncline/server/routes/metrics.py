"""What a Prometheus scrapes: Argo CD's figures under their names, and those of the server itself.

Names of Applications and clusters are in it, so it takes a session like everything else: a token of an account with
`role:readonly` will do. Figures of Applications come from their rows, so a scrape of thousands takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from starlette.responses import Response

from syncline.apimachinery.keys import Object
from syncline.controller.app_key import APPLICATION
from syncline.model.published import KIND
from syncline.server.answers.kinds import Text
from syncline.server.lists.shelf import AppRow
from syncline.server.metering.meter import BUCKETS
from syncline.server.metering.metrics import MEDIA, exposition
from syncline.server.requests.call import Call
from syncline.server.requests.permissions import Needs, always
from syncline.server.requests.routing import Endpoint
from syncline.verbs.clusters import known_clusters

_ESCAPES: Final = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
_SYNCING = ("Running", "Terminating", "Pending")


async def metrics(call: Call) -> Response:
    """Return all figures as text."""
    backend = call.backend
    known, _broken = await known_clusters(backend.home, backend.namespace)
    servers = {one.server: one.name for one in known}
    lines = [
        *family("argocd_info", "gauge", "The version of the server.", [({"version": backend.version}, 1)]),
        *family("argocd_app_info", "gauge", "Information about Applications.", map(app_sample, backend.shelf.rows())),
        *family(
            "argocd_cluster_info",
            "gauge",
            "Clusters that Applications are delivered to.",
            (
                ({"server": server, "name": name, "k8s_version": _version(call, server)}, 1)
                for server, name in servers.items()
            ),
        ),
        *family(
            "argocd_cluster_connection_status",
            "gauge",
            "Whether a cluster answers; one that nobody has asked yet is left out.",
            (({"server": server}, up) for server in servers if (up := _answers(call, server)) is not None),
        ),
        *family(
            "argocd_login_request_total",
            "counter",
            "Logins by how they ended.",
            (({"status": word}, count) for word, count in backend.sessions.counts.items()),
        ),
        *family("argocd_webhook_requests_total", "counter", "Webhooks.", [({}, backend.meter.webhooks["total"])]),
        *family(
            "argocd_webhook_handlers_in_flight",
            "gauge",
            "Webhooks under way.",
            [({}, backend.meter.webhooks["inFlight"])],
        ),
        *family("syncline_stream_clients", "gauge", "Clients that follow a stream.", [({}, len(backend.feed))]),
        *family(
            "syncline_webhook_refreshes_total", "counter", "Refreshes by webhooks.", [({}, backend.refreshing.asked)]
        ),
        *_http(call),
        *exposition(_published(call)).splitlines(),
    ]
    return Response("\n".join(lines) + "\n", media_type=MEDIA)


def _published(call: Call) -> Iterator[Object]:
    index = call.backend.live.index
    yield from index.of_kind(APPLICATION)
    yield from index.of_kind(KIND)


Samples = Iterable[tuple[Mapping[str, str], float]]


def family(name: str, kind: str, about: str, samples: Samples) -> Iterator[str]:
    """Yield one metric with its samples."""
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
    for labels, value in samples:
        yield sample(name, labels, value)


def sample(name: str, labels: Mapping[str, str], value: float) -> str:
    """Return one line."""
    shown = ",".join(f'{label}="{text.translate(_ESCAPES)}"' for label, text in labels.items())
    return f"{name}{{{shown}}} {value:g}" if shown else f"{name} {value:g}"


def app_sample(row: AppRow) -> tuple[Mapping[str, str], float]:
    """Return what Argo CD's `argocd_app_info` says of an Application."""
    labels = {
        "namespace": row.namespace,
        "name": row.name,
        "project": row.project,
        "autosync_enabled": "true" if row.auto else "false",
        "repo": next(iter(row.repos), ""),
        "dest_server": row.server or row.cluster,
        "dest_namespace": row.destination_namespace,
        "sync_status": row.sync,
        "health_status": row.health,
        "operation": "sync" if row.operation in _SYNCING else "",
    }
    return labels, 1


def _version(call: Call, server: str) -> str:
    live = call.backend.view.live_of(server)
    return live.discovery.version if live is not None else ""


def _answers(call: Call, server: str) -> int | None:
    live = call.backend.view.live_of(server)
    return None if live is None else int(not live.unreachable)


def _http(call: Call) -> Iterator[str]:
    meter = call.backend.meter
    name = "syncline_http_request_duration_seconds"
    yield from family(
        "syncline_http_requests_total",
        "counter",
        "Answers by route and status.",
        (
            ({"method": method, "path": path, "code": str(status)}, count)
            for (method, path, status), count in sorted(meter.answers.items())
        ),
    )
    yield f"# HELP {name} How long answers took, by route."
    yield f"# TYPE {name} histogram"
    for (method, path), counts in sorted(meter.durations.items()):
        labels = {"method": method, "path": path}
        for bound, count in zip((*map(str, BUCKETS), "+Inf"), counts, strict=True):
            yield sample(f"{name}_bucket", {**labels, "le": bound}, count)
        yield sample(f"{name}_sum", labels, meter.seconds[(method, path)])
        yield sample(f"{name}_count", labels, counts[-1])


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/metrics",
        handler=metrics,
        about="Figures for Prometheus.",
        permission=(Needs("applications", "get", always("*/*")), Needs("clusters", "get", always("*"))),
        answer=Text("text/plain"),
    ),
)
