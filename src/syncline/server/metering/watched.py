"""What a diagnosis that runs again and again serves: figures and health for the cluster, the answer on loopback alone.

Started by `syncline.cli.diagnose.serving`, which hands in each answer. The answer names objects and quotes events, and
nobody logs in here: it is served on the loopback address of the pod, for `kubectl port-forward`, and only under names
of this machine, so that no web page reaches it under a name of its own.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from syncline.model.diagnosis import Diagnosis
from syncline.server.app import Listening, listening_at
from syncline.server.metering.metrics import MEDIA
from syncline.server.routes.metrics import family

_THIS_MACHINE: Final = ("127.0.0.1", "localhost")
_MISSED_RUNS: Final = 3
"""After so many intervals without an answer the last one no longer counts."""
_SHORTEST: Final = 300.0


@dataclass(frozen=True, slots=True)
class Answer:
    """One finished run: the diagnosis, and the same as a page and as JSON."""

    diagnosis: Diagnosis
    page: str
    data: str


class Watched:
    """The latest answer, and how runs went; the clock counts seconds."""

    def __init__(self, now: Callable[[], float], every: float) -> None:
        self._now = now
        self._patience = max(_MISSED_RUNS * every, _SHORTEST)
        self._finished = 0.0
        self._runs = {"ok": 0, "failed": 0}
        self.answer: Answer | None = None
        self.trouble = "the cluster is being read"

    def succeeded(self, answer: Answer) -> None:
        """Take the answer of a run."""
        self.answer, self.trouble, self._finished = answer, "", self._now()
        self._runs["ok"] += 1

    def failed(self, sentence: str) -> None:
        """Note why a run gave no answer; the last answer stays, with its age."""
        self.trouble = sentence
        self._runs["failed"] += 1

    def age(self) -> float:
        """Return how many seconds ago the last answer was given."""
        return self._now() - self._finished

    def problem(self) -> str:
        """Return why the last answer does not count; nothing while it does."""
        if self.answer is None:
            return self.trouble
        if self.age() > self._patience:
            return f"the last answer is {self.age():.0f} s old: {self.trouble or 'a run takes too long'}"
        return ""

    def metrics(self) -> str:
        """Return all figures."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        runs = [({"result": result}, float(count)) for result, count in self._runs.items()]
        yield from family("syncline_diagnosis_runs_total", "counter", "Finished runs, by result.", runs)
        if self.answer is None:
            return
        diagnosis = self.answer.diagnosis
        causes = [
            (
                {
                    "id": cause.id,
                    "code": cause.finding.code,
                    "object": str(cause.thing.key),
                    "cluster": cause.thing.cluster,
                },
                float(len(cause.affected)),
            )
            for cause in diagnosis.causes
        ]
        yield from family("syncline_diagnosis_cause", "gauge", "Applications behind a cause, while it lasts.", causes)
        for name, about, value in (
            ("causes", "Causes that were found.", len(diagnosis.causes)),
            ("not_ok", "Applications that are not Synced and Healthy.", diagnosis.total - diagnosis.good),
            ("unexplained", "Unhealthy Applications without a known cause.", len(diagnosis.untold)),
            ("unread", "Kinds and clusters that could not be read.", len(diagnosis.unread)),
            ("age_seconds", "Seconds since the last answer.", self.age()),
        ):
            yield from family(f"syncline_diagnosis_{name}", "gauge", about, [({}, float(value))])


@asynccontextmanager
async def serving_figures(watched: Watched, listening: Listening) -> AsyncIterator[str]:
    """Serve /metrics and /healthz until the block is left; yields the address."""

    async def metrics(_request: Request) -> Response:
        return Response(watched.metrics(), media_type=MEDIA)

    async def health(_request: Request) -> Response:
        problem = watched.problem()
        return PlainTextResponse(f"{problem or 'ok'}\n", 503 if problem else 200)

    app = Starlette(routes=[Route("/metrics", metrics), Route("/healthz", health)])
    async with listening_at(app, listening) as address:
        yield address


@asynccontextmanager
async def serving_answers(watched: Watched, port: int) -> AsyncIterator[str]:
    """Serve the latest answer on the loopback address until the block is left; yields the address."""

    async def page(_request: Request) -> Response:
        return _answered(watched, lambda answer: Response(answer.page, media_type="text/html; charset=utf-8"))

    async def data(_request: Request) -> Response:
        return _answered(watched, lambda answer: Response(answer.data, media_type="application/json"))

    app = Starlette(
        routes=[Route("/", page), Route("/diagnosis.json", data)],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=_THIS_MACHINE, www_redirect=False)],
    )
    async with listening_at(app, Listening(port=port)) as address:
        yield address


def _answered(watched: Watched, respond: Callable[[Answer], Response]) -> Response:
    if watched.answer is None:
        return PlainTextResponse(f"no answer yet: {watched.trouble}\n", 503)
    response = respond(watched.answer)
    response.headers["Syncline-Age-Seconds"] = f"{watched.age():.0f}"
    response.headers["Cache-Control"] = "no-store"
    response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    return response
