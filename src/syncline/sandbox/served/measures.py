"""The server's own measures at /metrics, in the text form that Prometheus reads.

Asked by `syncline.sandbox.server`, which also says what was answered. Few, under the names of a real server's: enough
to see what is asked of a sandbox and how much it holds.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from syncline.sandbox.api.answers import ServerResponse
from syncline.sandbox.store.store import ObjectStore

_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"


class Measures:
    """Counts what one sandbox answers."""

    def __init__(self, version: str) -> None:
        self._version = version
        self._answers: Counter[tuple[str, int]] = Counter()

    def count(self, method: str, code: int) -> None:
        """Hear of one answer."""
        self._answers[method, code] += 1

    def answer(self, store: ObjectStore, watches: int) -> ServerResponse:
        """Answer with all measures."""
        requests = [
            f'apiserver_request_total{{code="{code}",verb="{method}"}} {count}'
            for (method, code), count in sorted(self._answers.items())
        ]
        objects = [
            f'apiserver_resource_objects{{group="{bucket.group}",resource="{bucket.plural}"}} {store.count(bucket)}'
            for bucket in store.buckets()
        ]
        lines = [
            *_head("apiserver_request_total", "counter", "Requests that were answered, by verb and code."),
            *requests,
            *_head("apiserver_resource_objects", "gauge", "Objects that are stored, by resource."),
            *objects,
            *_head("apiserver_longrunning_requests", "gauge", "Watches that are open."),
            f'apiserver_longrunning_requests{{verb="WATCH"}} {watches}',
            *_head("kubernetes_build_info", "gauge", "The version of Kubernetes that is played."),
            f'kubernetes_build_info{{git_version="{self._version}"}} 1',
            "",
        ]
        return ServerResponse(200, "\n".join(lines).encode(), content_type=_TYPE)


def _head(name: str, kind: str, told: str) -> tuple[str, str]:
    return f"# HELP {name} {told}", f"# TYPE {name} {kind}"
