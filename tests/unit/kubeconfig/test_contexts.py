"""Which server and user a set of kubeconfig files comes down to."""

import base64
import pathlib
from typing import Any

import pytest

from syncline.adapters.kube import config
from syncline.adapters.kube.connection import Connection, Credential
from syncline.adapters.kube.kubeconfig import KubeconfigError
from tests.unit.kubeconfig.files import StillClock, kubeconfig, write

API = "client.authentication.k8s.io"
PEM = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
ENCODED = base64.b64encode(PEM).decode()


def connect(environment: dict[str, str], **given: str) -> Connection:
    return config.connect(environment=environment, clock=StillClock(), **given)


def one(tmp_path: pathlib.Path, **parts: Any) -> Connection:
    return connect({}, kubeconfig=write(tmp_path / "config", kubeconfig(**parts)))


def test_the_first_file_that_names_something_wins(tmp_path: pathlib.Path) -> None:
    first = write(tmp_path / "a", kubeconfig("dev", current=""))
    second_config = kubeconfig("prod")
    second_config["clusters"].append({"name": "dev", "cluster": {"server": "https://shadowed:1"}})
    second = write(tmp_path / "b", second_config)
    environment = {"KUBECONFIG": f"{first}:{tmp_path}/missing::{second}", "HOME": str(tmp_path)}
    assert connect(environment).server == "https://prod.example:6443"
    assert connect(environment, context="dev").server == "https://dev.example:6443"


def test_without_kubeconfig_the_home_folder_is_used(tmp_path: pathlib.Path) -> None:
    write(tmp_path / ".kube" / "config", kubeconfig("home"))
    connection = connect({"HOME": str(tmp_path)})
    assert (connection.server, connection.context) == ("https://home.example:6443", "home")


def test_files_are_found_from_the_folder_of_their_kubeconfig(tmp_path: pathlib.Path) -> None:
    write(tmp_path / "pki" / "x", {})
    (tmp_path / "pki" / "ca.pem").write_bytes(PEM)
    cluster = {"server": "https://a", "certificate-authority": "pki/ca.pem", "tls-server-name": "kube"}
    connection = one(tmp_path, cluster=cluster)
    assert (connection.authority, connection.tls_server_name) == (PEM, "kube")


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ({}, Credential()),
        ({"token": "t"}, Credential("Bearer t")),
        ({"username": "u", "password": "p:w"}, Credential("Basic dTpwOnc=")),
        (
            {"client-certificate-data": ENCODED, "client-key-data": ENCODED, "token": "t"},
            Credential("Bearer t", PEM, PEM),
        ),
        ({"client-certificate": "c.pem", "client-key": "c.pem"}, Credential("", PEM, PEM)),
        ({"tokenFile": "token"}, Credential("Bearer from-file")),
        ({"tokenFile": "token", "token": "older"}, Credential("Bearer from-file")),
    ],
)
async def test_users(tmp_path: pathlib.Path, user: dict[str, str], expected: Credential) -> None:
    (tmp_path / "c.pem").write_bytes(PEM)
    (tmp_path / "token").write_text("from-file\n")
    connection = one(tmp_path, user=user)
    assert await connection.credentials.current() == expected


def test_a_whole_context(tmp_path: pathlib.Path) -> None:
    connection = one(
        tmp_path,
        cluster={
            "server": "https://a:6443/prefix/",
            "certificate-authority-data": ENCODED,
            "insecure-skip-tls-verify": True,
            "proxy-url": "http://proxy:3128",
        },
        context={"cluster": "dev", "user": "dev", "namespace": "shop"},
        user={"token": "canary", "as": "eve", "as-groups": ["a", "b"], "as-user-extra": {"scope": ["x"]}},
    )
    assert (connection.server, connection.authority, connection.insecure) == ("https://a:6443/prefix", PEM, True)
    assert (connection.proxy, connection.namespace, connection.context) == ("http://proxy:3128", "shop", "dev")
    assert connection.headers == {
        "Impersonate-User": ("eve",),
        "Impersonate-Group": ("a", "b"),
        "Impersonate-Extra-scope": ("x",),
    }
    assert "canary" not in repr(connection)


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"current": ""}, "FILE: no current-context is set (known contexts: dev)"),
        ({"current": "prod"}, "FILE: no context named 'prod' (known contexts: dev)"),
        (
            {"context": {"cluster": "x", "user": "dev"}},
            "FILE: context 'dev' names cluster 'x', which does not exist (known clusters: dev)",
        ),
        (
            {"context": {"cluster": "dev", "user": "x"}},
            "FILE: context 'dev' names user 'x', which does not exist (known users: dev)",
        ),
        (
            {"cluster": {"server": "dev.example"}},
            "FILE: cluster 'dev' has no https:// server address",
        ),
        (
            {"cluster": {"server": "https://a", "certificate-authority": "gone.pem"}},
            "FILE: certificate-authority of cluster 'dev' cannot be read: FOLDER/gone.pem: No such file or directory",
        ),
        (
            {"cluster": {"server": "https://a", "certificate-authority-data": "%%"}},
            "FILE: certificate-authority-data of cluster 'dev' is not base64: paste it again without line breaks",
        ),
        (
            {"cluster": {"server": "https://a", "proxy-url": "socks5://p"}},
            "FILE: proxy-url of cluster 'dev' is not an http:// or https:// address; other proxies are not supported",
        ),
        (
            {"user": {"client-certificate-data": ENCODED}},
            "FILE: user 'dev' has only one of client-certificate and client-key",
        ),
        (
            {"user": {"auth-provider": {"name": "gcp"}}},
            "FILE: user 'dev' uses auth-provider, which Kubernetes has removed (use an exec plugin)",
        ),
        ({"user": {"exec": {"args": ["x"]}}}, "FILE: exec of user 'dev' names no command"),
        (
            {"user": {"exec": {"command": "x", "apiVersion": "v7"}}},
            f"FILE: exec of user 'dev' has apiVersion 'v7' (one of {API}/v1, {API}/v1beta1)",
        ),
    ],
)
def test_what_is_wrong_is_one_sentence(tmp_path: pathlib.Path, parts: dict[str, Any], sentence: str) -> None:
    with pytest.raises(KubeconfigError) as caught:
        one(tmp_path, **parts)
    expected = sentence.replace("FILE", str(tmp_path / "config")).replace("FOLDER", str(tmp_path))
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("clusters: {", "this kubeconfig is not valid YAML"),
        ("[]", "this kubeconfig does not hold a Config object"),
        ("clusters: 3", "clusters is not a list"),
        ("users: [{user: {}}]", "an entry of users has no name"),
        ("", "no current-context is set (known contexts: none)"),
    ],
)
def test_files_that_are_no_kubeconfig(tmp_path: pathlib.Path, text: str, sentence: str) -> None:
    path = tmp_path / "config"
    path.write_text(text)
    with pytest.raises(KubeconfigError) as caught:
        connect({}, kubeconfig=str(path))
    assert str(caught.value).startswith(str(path))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_named_file_has_to_exist_even_in_a_cluster(tmp_path: pathlib.Path) -> None:
    with pytest.raises(KubeconfigError, match="this kubeconfig does not exist"):
        connect({"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, kubeconfig=str(tmp_path / "gone"))


def test_nothing_configured_says_what_to_set(tmp_path: pathlib.Path) -> None:
    with pytest.raises(KubeconfigError) as caught:
        connect({"HOME": str(tmp_path)})
    path = tmp_path / ".kube" / "config"
    expected = f"no cluster is configured: {path} not found (set KUBECONFIG or pass --kubeconfig)"
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("server", "environment", "proxy"),
    [
        ("https://a.example", {}, ""),
        ("https://a.example", {"HTTPS_PROXY": "http://p:1"}, "http://p:1"),
        ("https://a.example", {"https_proxy": "p:1"}, "http://p:1"),
        ("http://a.example", {"HTTPS_PROXY": "http://p:1"}, ""),
        ("https://a.example", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "b.example, .example"}, ""),
        ("https://a.example", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "xample"}, "http://p:1"),
        ("https://10.1.2.3:6443", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "10.0.0.0/8"}, ""),
        ("https://10.1.2.3:6443", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "10.2.0.0/16"}, "http://p:1"),
        ("https://127.0.0.1:6443", {"HTTPS_PROXY": "http://p:1"}, ""),
        ("https://[::1]:6443", {"HTTPS_PROXY": "http://p:1"}, ""),
        ("https://a.example", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "*"}, ""),
    ],
)
def test_proxies_of_the_environment(
    tmp_path: pathlib.Path, server: str, environment: dict[str, str], proxy: str
) -> None:
    path = write(tmp_path / "config", kubeconfig(cluster={"server": server}))
    assert connect(environment, kubeconfig=path).proxy == proxy
