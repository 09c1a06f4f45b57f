"""What a client reads of an error never holds a secret that the error quotes (security row E2)."""

from __future__ import annotations

import orjson
import pytest

from syncline.model.errors import RenderError, SourceError
from syncline.ports.kube import ApiError
from syncline.ports.transport import TransportError
from syncline.server.requests.failures import failure_of

CANARY = "c4n4ry-Sup3rSecretValue"
SECRET = {"kind": "secrets", "name": "db"}


@pytest.mark.parametrize(
    "error",
    [
        ApiError(422, "Invalid", f'Secret "db" is invalid: data: Invalid value: "{CANARY}"', SECRET),
        ApiError(422, "Invalid", f"Secret db is invalid: map[data:map[password:{CANARY}]]", SECRET),
        ApiError(400, "BadRequest", f"cannot decode map[stringData:map[x:{CANARY}]]"),
        ApiError(403, "Forbidden", f"token: {CANARY} is not known"),
        ApiError(500, "InternalError", f"webhook failed: Authorization: Bearer {CANARY}"),
        TransportError(f"https://u:{CANARY}@cluster.example does not answer"),
        SourceError(f"git fetch https://bot:{CANARY}@git.example/x.git failed"),
        RenderError(f"helm pull --username bot --password={CANARY} failed"),
        RenderError(f"AWS_SECRET_ACCESS_KEY={CANARY} is not valid"),
        SourceError("the registry refused", hint=f"client_secret: {CANARY}"),
    ],
    ids=lambda error: f"{type(error).__name__}-{str(error)[:24]}",
)
def test_an_answer_does_not_repeat_a_secret(error: Exception) -> None:
    found = failure_of(error)
    assert found is not None
    told = orjson.dumps(found.body()).decode()
    assert CANARY not in told
    assert found.status >= 400
    assert found.message


def test_words_without_secrets_are_told_as_they_are() -> None:
    found = failure_of(SourceError("git fetch https://git.example/x.git failed: could not resolve host"))
    assert found is not None
    assert found.message == "git fetch https://git.example/x.git failed: could not resolve host"
