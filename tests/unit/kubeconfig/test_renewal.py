"""Tokens that are renewed on disk, and credentials handed out by a plugin."""

import pathlib
import sys
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from syncline.adapters.kube import config
from syncline.adapters.kube import plugin as plugins
from syncline.adapters.kube.connection import Connection, Credential
from syncline.adapters.kube.kubeconfig import KubeconfigError
from syncline.ports.transport import TransportError
from tests.unit.kubeconfig.files import StillClock, kubeconfig, write

POD = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "6443"}


@pytest.fixture
def mounted(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "ca.crt").write_bytes(b"PEM")
    (tmp_path / "token").write_text("one")
    (tmp_path / "namespace").write_text("shop")
    return tmp_path


async def test_the_token_of_a_pod_is_read_again_after_a_minute(mounted: pathlib.Path) -> None:
    clock = StillClock()
    connection = config.in_cluster(environment=POD, clock=clock, folder=str(mounted))
    assert (connection.server, connection.authority, connection.namespace) == ("https://[fd00::1]:6443", b"PEM", "shop")
    seen = []
    for token in ("one", "two", "two", ""):
        (mounted / "token").write_text(token)
        seen.append((await connection.credentials.current()).authorization)
        clock.seconds += 40
    assert seen == ["Bearer one", "Bearer one", "Bearer two", "Bearer two"]


async def test_a_refused_token_is_replaced_at_once_if_there_is_a_newer_one(mounted: pathlib.Path) -> None:
    connection = config.in_cluster(environment=POD, clock=StillClock(), folder=str(mounted))
    await connection.credentials.current()
    assert not connection.credentials.forget()
    (mounted / "token").write_text("two")
    assert connection.credentials.forget()
    assert await connection.credentials.current() == Credential("Bearer two")


async def test_a_pod_without_token_says_which_file(mounted: pathlib.Path) -> None:
    (mounted / "token").unlink()
    connection = config.in_cluster(environment=POD, clock=StillClock(), folder=str(mounted))
    with pytest.raises(TransportError, match="token cannot be read or is empty"):
        await connection.credentials.current()


def test_a_pod_without_service_account_is_told_so(tmp_path: pathlib.Path) -> None:
    with pytest.raises(KubeconfigError, match="the pod has no service account: ca"):
        config.in_cluster(environment=POD, clock=StillClock(), folder=str(tmp_path))


V1 = "client.authentication.k8s.io/v1"


def plugin(tmp_path: pathlib.Path, clock: StillClock, body: str, **settings: Any) -> Connection:
    """A user whose credential comes from a Python script."""
    script = tmp_path / "plugin.py"
    script.write_text(body)
    run = {"apiVersion": V1, "command": sys.executable, "args": [str(script)], **settings}
    path = write(tmp_path / "config", kubeconfig(user={"exec": run}))
    return config.connect(environment={}, clock=clock, kubeconfig=path)


def printing(status: object, version: str = V1) -> str:
    text = orjson.dumps({"apiVersion": version, "kind": "ExecCredential", "status": status}).decode()
    return f"print('''{text}''')"


async def test_a_plugin_is_asked_again_shortly_before_its_credential_expires(tmp_path: pathlib.Path) -> None:
    clock = StillClock()
    expires = datetime.fromtimestamp(clock.now().timestamp() + 100, UTC).isoformat()
    body = f"""
import json, pathlib
count = pathlib.Path({str(tmp_path / "count")!r})
count.write_text(str(int(count.read_text() or 0) + 1) if count.exists() else "1")
status = {{"token": "t" + count.read_text(), "expirationTimestamp": "{expires}"}}
print(json.dumps({{"apiVersion": "{V1}", "kind": "ExecCredential", "status": status}}))
"""
    credentials = plugin(tmp_path, clock, body).credentials
    tokens = [(await credentials.current()).authorization]
    clock.seconds += 60
    tokens.append((await credentials.current()).authorization)
    clock.seconds += 11
    tokens.append((await credentials.current()).authorization)
    assert tokens == ["Bearer t1", "Bearer t1", "Bearer t2"]


async def test_a_refused_plugin_credential_is_asked_for_again_once(tmp_path: pathlib.Path) -> None:
    credentials = plugin(tmp_path, StillClock(), printing({"token": "t"})).credentials
    assert not credentials.forget()
    await credentials.current()
    assert credentials.forget()


async def test_a_plugin_may_give_a_certificate(tmp_path: pathlib.Path) -> None:
    status = {"clientCertificateData": "CERT", "clientKeyData": "KEY"}
    credentials = plugin(tmp_path, StillClock(), printing(status)).credentials
    assert await credentials.current() == Credential("", b"CERT", b"KEY")


async def test_a_plugin_is_told_about_the_cluster_and_gets_its_environment(tmp_path: pathlib.Path) -> None:
    body = """
import json, os
question = json.loads(os.environ["KUBERNETES_EXEC_INFO"])
server = question["spec"]["cluster"]["server"]
status = {"token": os.environ["PROFILE"] + " " + server + " " + str(question["spec"]["interactive"])}
print(json.dumps({**question, "status": status}))
"""
    env = [{"name": "PROFILE", "value": "work"}]
    credentials = plugin(tmp_path, StillClock(), body, env=env, provideClusterInfo=True).credentials
    assert await credentials.current() == Credential("Bearer work https://dev.example:6443 False")


@pytest.mark.parametrize(
    ("body", "settings", "sentence"),
    [
        (
            "import sys; print('canary'); sys.exit('x\\nno session: log in')",
            {},
            "exited with code 1: no session: log in",
        ),
        ("print('canary')", {}, "did not print an ExecCredential with a status"),
        (printing({}), {}, "printed neither a token nor a certificate with its key"),
        (
            printing({"token": "canary"}, "client.authentication.k8s.io/v1beta1"),
            {},
            f"printed apiVersion {V1}beta1, but {V1} was asked for",
        ),
        (
            printing({"token": "canary", "expirationTimestamp": "soon"}),
            {},
            "printed an expirationTimestamp that is not a time",
        ),
        ("", {"command": "no-such-plugin", "installHint": "run\n  install me"}, "cannot be started: run install me"),
        ("", {"command": "./no-such-plugin"}, "cannot be started: install it"),
    ],
)
async def test_a_plugin_that_fails_gives_one_sentence_without_its_output(
    tmp_path: pathlib.Path, body: str, settings: dict[str, str], sentence: str
) -> None:
    credentials = plugin(tmp_path, StillClock(), body, **settings).credentials
    with pytest.raises(TransportError) as caught:
        await credentials.current()
    assert str(caught.value).startswith("the credential plugin ")
    assert str(caught.value).endswith(sentence)
    assert "canary" not in str(caught.value)


async def test_a_plugin_that_hangs_is_killed(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "_SECONDS", 0.5)
    body = "import sys\nwhile True: sys.stderr.write('x' * 100000)"
    credentials = plugin(tmp_path, StillClock(), body).credentials
    with pytest.raises(TransportError, match=r"gave no answer within 0\.5 seconds"):
        await credentials.current()
