"""Whatever answers, the error is one sentence with a code; and it never repeats a Secret."""

import base64
from typing import Any

import orjson
import pytest

from syncline.adapters.kube.client import KubeCluster
from syncline.ports.kube import ApiError
from tests.unit.kube_client.scripted import CONFIG_MAPS, SECRETS, Answer, Scripted, json, refusal

ASKED = "GET /api/v1/namespaces/shop/configmaps/x"
PASSWORD = "hunter2-canary"
SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {
        "name": "db",
        "namespace": "shop",
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": '{"stringData":{"p":"again-canary"}}'},
    },
    "data": {"password": base64.b64encode(PASSWORD.encode()).decode()},
    "stringData": {"token": 'with "quotes" canary'},
}


@pytest.mark.parametrize(
    ("answer", "code", "reason", "message"),
    [
        (
            Answer(502, b"<html><body>Bad Gateway</body></html>"),
            502,
            "Unknown",
            f"{ASKED} was answered 502 Unknown, but not by a Kubernetes API server",
        ),
        (
            Answer(403, b"blocked by\n  proxy"),
            403,
            "Forbidden",
            f"{ASKED} was answered 403 Forbidden: blocked by proxy",
        ),
        (
            Answer(500, b"\xff\xfe" + b"x" * 900),
            500,
            "InternalError",
            f"{ASKED} was answered 500 InternalError: \ufffd\ufffd" + "x" * 197 + "…",
        ),
        (Answer(401, b""), 401, "Unauthorized", None),
        (json({"error": "x"}, 503), 503, "ServiceUnavailable", None),
        (json({"kind": "Status"}, 409), 409, "Conflict", "the API server answered 409 Conflict"),
        (Answer(302, b"", headers={"location": "https://login"}), 302, "Unknown", None),
        (Answer(200, b"<html>login</html>"), 200, "InvalidAnswer", None),
        (Answer(200, b"[1]"), 200, "InvalidAnswer", None),
        (Answer(200, b""), 200, "InvalidAnswer", None),
    ],
)
async def test_answers_that_are_not_what_was_asked_for(
    answer: Answer, code: int, reason: str, message: str | None
) -> None:
    with pytest.raises(ApiError) as caught:
        await KubeCluster(Scripted(answer)).get(CONFIG_MAPS, "shop", "x")
    assert (caught.value.code, caught.value.reason) == (code, reason)
    assert message is None or str(caught.value) == message
    assert "\n" not in str(caught.value)


ENCODED = SECRET["data"]["password"]  # type: ignore[index]


@pytest.mark.parametrize(
    "answer",
    [
        refusal(422, "Invalid", f'Secret "db" is invalid: data[password]: Invalid value: "{PASSWORD}": no'),
        refusal(422, "Invalid", "no", causes=[{"message": f"Invalid value: {ENCODED}", "field": "data"}]),
        refusal(400, "BadRequest", f'admission webhook "w" denied the request: object was {SECRET}'),
        refusal(400, "BadRequest", f"denied: {orjson.dumps(SECRET).decode()}"),
        refusal(
            400,
            "BadRequest",
            'Secret in version v1 cannot be handled: error found in #10 byte of ...|word":"hunter2-can|..., '
            'bigger context ...|{"data":{"password":"hunter2-canar|...',
        ),
        refusal(422, "Invalid", 'Invalid value: "part of hunter2-can": no'),
        Answer(413, f"too large: {PASSWORD}".encode()),
    ],
)
@pytest.mark.parametrize("write", ["create", "apply", "patch"])
async def test_refusals_of_secrets_do_not_repeat_their_values(answer: Answer, write: str) -> None:
    kube = KubeCluster(Scripted(answer))
    with pytest.raises(ApiError) as caught:
        await _write(kube, write)
    shown = f"{caught.value} {caught.value.message} {caught.value.details}"
    for hidden in (PASSWORD, ENCODED, "hunter2-can", 'with "quotes" canary', "again-canary"):
        assert hidden not in shown
    assert caught.value.code >= 400


async def _write(kube: KubeCluster, write: str) -> Any:
    if write == "patch":
        operations = [
            {"op": "add", "path": "/data", "value": SECRET["data"]},
            {"op": "add", "path": "/stringData", "value": SECRET["stringData"]},
            {"op": "add", "path": "/metadata", "value": SECRET["metadata"]},
        ]
        return await kube.patch(SECRETS, "shop", "db", operations, kind="json", manager="m")
    return await getattr(kube, write)(SECRETS, SECRET, manager="m")
