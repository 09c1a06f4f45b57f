"""An API server that is a list of answers, and the small objects the tests of the client talk about."""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl

import orjson

from syncline.apimachinery.keys import GroupVersionKind
from syncline.ports.kube import ApiResource
from syncline.ports.transport import Request, TransportError

CONFIG_MAPS = ApiResource(gvk=GroupVersionKind("", "v1", "ConfigMap"), plural="configmaps", namespaced=True)
SECRETS = ApiResource(gvk=GroupVersionKind("", "v1", "Secret"), plural="secrets", namespaced=True)
NAMESPACES = ApiResource(gvk=GroupVersionKind("", "v1", "Namespace"), plural="namespaces", namespaced=False)
DEPLOYMENTS = ApiResource(gvk=GroupVersionKind("apps", "v1", "Deployment"), plural="deployments", namespaced=True)


class Answer:
    """One answer: a status and pieces of body, and whether the connection is cut after them."""

    def __init__(
        self, status: int = 200, *pieces: bytes, headers: Mapping[str, str] | None = None, cut: bool = False
    ) -> None:
        self.status = status
        self.headers: Mapping[str, str] = headers or {}
        self.closed = False
        self._pieces = pieces
        self._cut = cut

    async def read(self) -> bytes:
        if self._cut:
            raise TransportError("cannot reach scripted: the connection was reset")
        return b"".join(self._pieces)

    async def chunks(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece
        if self._cut:
            raise TransportError("cannot reach scripted: the connection was reset")

    async def close(self) -> None:
        self.closed = True


Script = Answer | TransportError | Callable[[Request], Answer]


class Scripted:
    """A transport that gives out answers in order and remembers what it was asked."""

    def __init__(self, *script: Script) -> None:
        self.requests: list[Request] = []
        self.timeouts: list[float | None] = []
        self.given: list[Answer] = []
        self._script = list(script)

    async def send(self, request: Request, *, timeout: float | None = None) -> Answer:
        self.requests.append(request)
        self.timeouts.append(timeout)
        step = self._script.pop(0)
        if isinstance(step, TransportError):
            raise step
        answer = step if isinstance(step, Answer) else step(request)
        self.given.append(answer)
        return answer

    async def close(self) -> None:
        pass

    def asked(self) -> list[tuple[str, str, dict[str, str]]]:
        """Return method, path and query of every request."""
        parted = [(request.method, *request.path.partition("?")) for request in self.requests]
        return [(method, path, dict(parse_qsl(query))) for method, path, _, query in parted]


class ByPath(Scripted):
    """A transport that answers by path, for requests whose order does not matter; 404 for the rest."""

    def __init__(self, answers: Mapping[str, Answer | TransportError]) -> None:
        super().__init__()
        self._answers = answers

    async def send(self, request: Request, *, timeout: float | None = None) -> Answer:
        self._script = [self._answers.get(request.path.partition("?")[0], Answer(404))]
        return await super().send(request, timeout=timeout)


def json(value: Any, status: int = 200, **headers: str) -> Answer:
    return Answer(status, orjson.dumps(value), headers=headers)


def refusal(code: int, reason: str, message: str, **details: Any) -> Answer:
    body = {"kind": "Status", "code": code, "reason": reason, "message": message, "details": details}
    return json(body, code)


def config_map(name: str, **fields: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "shop"},
        **fields,
    }
