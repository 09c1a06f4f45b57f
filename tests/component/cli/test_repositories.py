"""`repo`, `repocreds`, `cert` and `gpg` through the program, on a running installation, with real servers to ask."""

from __future__ import annotations

import base64
import json
import pathlib
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import certificates, chart_server, git_http, git_ssh, registry
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def server(tmp_path: pathlib.Path) -> Iterator[git_http.Server]:
    git_http.Repository(tmp_path / "shop").commit({"a.yaml": "1"})
    with git_http.serve(tmp_path, password="ada:canary") as running:
        yield running


@pytest.fixture(autouse=True)
def private_cache(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNCLINE_CACHE", str(tmp_path / "cache"))


def secrets(installation: Installation, kind: str) -> list[dict[str, str]]:
    """Return the values of the installation's Secrets of a kind, read by kubectl."""
    label = f"argocd.argoproj.io/secret-type={kind}"
    listed = json.loads(installation.kubectl("get", "secrets", "-n", "argocd", "-l", label, "-o", "json"))
    return [
        {field: base64.b64decode(text).decode() for field, text in item["data"].items()} for item in listed["items"]
    ]


def config_map(installation: Installation, name: str) -> dict[str, str]:
    found: dict[str, Any] = json.loads(installation.kubectl("get", "configmap", name, "-n", "argocd", "-o", "json"))
    return found.get("data") or {}


def table(output: str) -> list[list[str]]:
    return [line.split() for line in output.splitlines()]


def test_a_repository_is_added_listed_tested_and_removed(
    installation: Installation, server: git_http.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.url("shop")
    answer = installation.run("repo", "add", url, "--username", "ada")
    assert answer.code == 2
    assert f"failed to list refs: authentication required: {url}" in answer.errors
    assert secrets(installation, "repository") == []
    monkeypatch.setenv("SYNCLINE_REPO_PASSWORD", "canary")
    answer = installation.run("repo", "add", url, "--username", "ada")
    assert (answer.code, answer.output) == (0, f"Repository '{url}' added\n"), answer.errors
    monkeypatch.delenv("SYNCLINE_REPO_PASSWORD")
    assert secrets(installation, "repository") == [{"url": url, "type": "git", "username": "ada", "password": "canary"}]
    assert installation.run("repo", "add", url, "--no-test").errors == (
        f"syncline: repository '{url}' already exists (--upsert replaces it)\n"
    )
    listed = installation.run("repo", "list")
    assert table(listed.output) == [
        ["TYPE", "NAME", "REPO", "INSECURE", "OCI", "LFS", "CREDS", "STATUS", "MESSAGE", "PROJECT"],
        ["git", url, "false", "false", "false", "true", "Successful"],
    ]
    shown = installation.run("repo", "get", url, "-o", "json")
    assert json.loads(shown.output) == {
        "repo": url,
        "type": "git",
        "username": "ada",
        "connectionState": {"status": "Successful", "message": ""},
    }
    assert installation.run("repo", "list", "-o", "url").output == f"{url}\n"
    tested = installation.run("repo", "test", url)
    assert (tested.code, tested.output) == (0, f"Repository '{url}' can be read with username, password\n")
    assert "canary" not in listed.output + shown.output + tested.output + listed.errors
    assert installation.run("repo", "rm", url).output == f"Repository '{url}' removed\n"
    assert secrets(installation, "repository") == []
    answer = installation.run("repo", "rm", url)
    assert (answer.code, answer.errors) == (2, f"syncline: repository '{url}' not found (known: none)\n")
    answer = installation.run("repo", "test", url)
    assert answer.code == 1
    assert "authentication required" in answer.output


def test_a_template_is_inherited_by_repositories_below_it(installation: Installation, server: git_http.Server) -> None:
    prefix, url = f"http://127.0.0.1:{server.port}/", server.url("shop")
    answer = installation.run("repocreds", "add", prefix, "--username", "ada", "--password", "canary")
    assert answer.output == f"Repository credentials for '{prefix}' added\n", answer.errors
    assert installation.run("repo", "add", url).code == 0
    assert secrets(installation, "repository") == [{"url": url, "type": "git"}]
    assert table(installation.run("repo", "list").output)[1] == [
        "git",
        url,
        "false",
        "false",
        "false",
        "inherited",
        "Successful",
    ]
    listed = installation.run("repocreds", "list")
    assert table(listed.output) == [
        ["URL", "PATTERN", "USERNAME", "SSH_CREDS", "TLS_CREDS"],
        [prefix, "ada", "false", "false"],
    ]
    assert json.loads(installation.run("repocreds", "list", "-o", "json").output) == [
        {"url": prefix, "type": "git", "username": "ada"}
    ]
    answer = installation.run("repocreds", "rm", prefix)
    assert answer.output == f"Repository credentials for '{prefix}' removed\n"
    assert installation.run("repo", "rm", url).code == 0


def test_a_repository_is_added_with_every_kind_of_login(installation: Installation, tmp_path: pathlib.Path) -> None:
    git_http.Repository(tmp_path / "shop").commit({"a.yaml": "1"})
    authority = certificates.Authority()
    context = authority.server_context("127.0.0.1")
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(cadata=authority.certificate)
    certificate, key = authority.client("ada")
    private, public = git_ssh.key_pair()
    for name, text in (("cert.pem", certificate), ("key.pem", key), ("id", private)):
        (tmp_path / name).write_text(text)
    pair = ("--tls-client-cert-path", f"{tmp_path}/cert.pem", "--tls-client-cert-key-path", f"{tmp_path}/key.pem")
    with (
        git_http.serve(tmp_path, tls=context) as tls,
        git_ssh.serve(tmp_path, [public]) as ssh,
        registry.serve(password="ada:canary") as images,
    ):
        stories: list[tuple[str, tuple[str, ...], str, dict[str, str]]] = [
            (tls.url("shop"), pair, "x509: certificate signed by unknown authority", {}),
            (
                tls.url("shop"),
                (*pair, "--insecure-skip-server-verification", "--depth", "1"),
                "",
                {
                    "type": "git",
                    "tlsClientCertData": certificate,
                    "tlsClientCertKey": key,
                    "insecure": "true",
                    "depth": "1",
                },
            ),
            (ssh.url("shop"), ("--ssh-private-key-path", f"{tmp_path}/id"), "", {}),
            (
                ssh.url("shop"),
                ("--ssh-private-key-path", f"{tmp_path}/id", "--insecure-ignore-host-key"),
                "",
                {"type": "git", "sshPrivateKey": private, "insecureIgnoreHostKey": "true"},
            ),
            (
                f"{images.place}/charts",
                ("--type", "helm", "--name", "oci", "--enable-oci", "--username", "ada", "--password", "canary"),
                "it does not speak TLS",
                {},
            ),
            (
                f"oci://{images.place}/charts",
                ("--type", "oci", "--insecure-oci-force-http", "--username", "ada", "--password", "canary"),
                "",
                {"type": "oci", "username": "ada", "password": "canary", "insecureOCIForceHttp": "true"},
            ),
        ]
        for url, flags, told, written in stories:
            answer = installation.run("repo", "add", url, *flags)
            if not written:
                assert answer.code == 2
                assert told in answer.errors
                continue
            assert (answer.code, answer.output) == (0, f"Repository '{url}' added\n"), answer.errors
            assert secrets(installation, "repository") == [{"url": url, **written}]
            assert installation.run("repo", "test", url).code == 0
            assert installation.run("repo", "rm", url).code == 0
    missing = installation.run("repo", "add", "https://git.example/x", "--ssh-private-key-path", f"{tmp_path}/none")
    assert missing.errors == f"syncline: {tmp_path}/none cannot be read: No such file or directory\n"


def test_the_longest_template_counts(installation: Installation, server: git_http.Server) -> None:
    whole, part = f"http://127.0.0.1:{server.port}", f"http://127.0.0.1:{server.port}/shop"
    assert installation.run("repocreds", "add", whole, "--username", "eve", "--password", "wrong").code == 0
    assert installation.run("repo", "test", server.url("shop")).code == 1
    assert installation.run("repocreds", "add", part, "--username", "ada", "--password", "canary").code == 0
    tested = installation.run("repo", "test", server.url("shop"))
    assert tested.output == f"Repository '{server.url('shop')}' can be read with username, password of a template\n"
    assert installation.run("repocreds", "list", "-o", "url").output == f"{whole}\n{part}\n"
    assert installation.run("repocreds", "rm", whole, part).code == 0


def test_a_helm_repository_needs_a_name_and_an_index(installation: Installation, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "charts"
    folder.mkdir()
    with chart_server.serve(folder) as charts:
        answer = installation.run("repo", "add", charts.url, "--type", "helm")
        assert answer.errors == "syncline: must specify --name for repos of type 'helm'\n"
        answer = installation.run("repo", "add", charts.url, "--type", "helm", "--name", "shop")
        assert answer.errors.startswith(f"syncline: not found: {charts.url}/index.yaml (")
        chart_server.package(folder, "web", "1.0.0")
        chart_server.index(folder)
        answer = installation.run("repo", "add", charts.url, "--type", "helm", "--name", "shop")
        assert answer.code == 0, answer.errors
        assert table(installation.run("repo", "list").output)[1][:3] == ["helm", "shop", charts.url]
        assert installation.run("repo", "rm", charts.url).code == 0


def test_host_keys_are_added_listed_and_removed(installation: Installation, tmp_path: pathlib.Path) -> None:
    _, public = git_ssh.key_pair()
    _, other = git_ssh.key_pair()
    kind, key = public.split()[:2]
    file = tmp_path / "known"
    file.write_text(f"# a comment\ngit.example.com,[git.example.com]:2222 {public} somebody\n")
    answer = installation.run("cert", "add-ssh", "--batch", "--from", str(file))
    assert answer.output == "Successfully created 2 SSH known host entries\n", answer.errors
    assert config_map(installation, "argocd-ssh-known-hosts-cm") == {
        "ssh_known_hosts": f"git.example.com {kind} {key}\n[git.example.com]:2222 {kind} {key}\n"
    }
    fingerprint = told_by_ssh_keygen(tmp_path, public)
    listed = installation.run("cert", "list", "--cert-type", "ssh")
    assert table(listed.output) == [
        ["HOSTNAME", "TYPE", "SUBTYPE", "INFO"],
        ["[git.example.com]:2222", "ssh", "ssh-ed25519", fingerprint],
        ["git.example.com", "ssh", "ssh-ed25519", fingerprint],
    ]
    file.write_text(f"git.example.com {other}\n")
    answer = installation.run("cert", "add-ssh", "--batch", "--from", str(file))
    assert answer.errors == ("syncline: another ssh-ed25519 key is known for git.example.com (--upsert replaces it)\n")
    assert installation.run("cert", "add-ssh", "--batch", "--upsert", "--from", str(file)).code == 0
    answer = installation.run("cert", "rm", "git.example.com", "--yes")
    assert answer.output == "Removed cert for 'git.example.com' of type 'ssh' (subtype 'ssh-ed25519')\n"
    answer = installation.run("cert", "rm", "*", "--yes")
    assert answer.errors == "syncline: A single wildcard is not allowed as REPOSERVER name.\n"
    assert installation.run("cert", "rm", "nobody.example", "--yes").output == (
        "No certificates were removed (none matched the given pattern)\n"
    )
    assert installation.run("cert", "rm", "?git*", "--yes").code == 0


def told_by_ssh_keygen(folder: pathlib.Path, public: str) -> str:
    if shutil.which("ssh-keygen") is None:
        pytest.skip("the program ssh-keygen is not on this machine")
    file = folder / "key.pub"
    file.write_text(public + "\n")
    done = subprocess.run(["ssh-keygen", "-l", "-f", str(file)], check=True, capture_output=True, text=True)
    return done.stdout.split()[1]


def test_certificates_are_added_used_listed_and_removed(installation: Installation, tmp_path: pathlib.Path) -> None:
    authority = certificates.Authority()
    git_http.Repository(tmp_path / "shop").commit({"a.yaml": "1"})
    file = tmp_path / "ca.pem"
    file.write_text(authority.certificate * 2)
    with git_http.serve(tmp_path, tls=authority.server_context("127.0.0.1")) as server:
        assert installation.run("repo", "test", server.url("shop")).code == 1
        answer = installation.run("cert", "add-tls", "127.0.0.1", "--from", str(file))
        assert answer.output == (
            "Created/updated TLS certificate entry for repository server 127.0.0.1 with 1 unique PEM certificates\n"
        ), answer.errors
        assert installation.run("repo", "test", server.url("shop")).code == 0
    listed = installation.run("cert", "list", "--cert-type", "https")
    assert table(listed.output)[1] == ["127.0.0.1", "https", "ecdsa", "CN=Test", "Authority"]
    answer = installation.run("cert", "rm", "127.0.0.1", "--cert-type", "https", "--yes")
    assert answer.output == "Removed cert for '127.0.0.1' of type 'https' (subtype 'ecdsa')\n"
    file.write_text("nothing")
    answer = installation.run("cert", "add-tls", "127.0.0.1", "--from", str(file))
    assert answer.errors == "syncline: No valid certificates have been detected in the stream.\n"


def test_signing_keys_are_added_shown_and_removed(installation: Installation, tmp_path: pathlib.Path) -> None:
    import pysequoia

    tsk = pysequoia.Tsk.generate("Ada <ada@example.com>", profile=pysequoia.Profile.RFC4880)
    cert = tsk.extract_certificate()
    key_id = cert.fingerprint[-16:].upper()
    file = tmp_path / "ada.asc"
    file.write_text(str(cert))
    answer = installation.run("gpg", "add", "--from", str(file))
    assert answer.output == "Created 1 key(s) from input file.\n", answer.errors
    answer = installation.run("gpg", "add", "--from", str(file))
    assert answer.output == (
        "Created 0 key(s) from input file, and 1 key(s) were skipped because they exist already.\n"
    )
    assert list(config_map(installation, "argocd-gpg-keys-cm")) == [key_id]
    assert table(installation.run("gpg", "list").output) == [
        ["KEYID", "TYPE", "IDENTITY"],
        [key_id, "ED25519", "Ada", "<ada@example.com>"],
    ]
    shown = installation.run("gpg", "get", key_id).output.splitlines()
    assert shown[:4] == [
        f"Key ID:          {key_id}",
        f"Key fingerprint: {cert.fingerprint.upper()}",
        "Key subtype:     ED25519",
        "Key owner:       Ada <ada@example.com>",
    ]
    assert installation.run("gpg", "rm", key_id).output == f"Deleted key with key ID {key_id}\n"
    answer = installation.run("gpg", "get", key_id)
    assert (answer.code, answer.errors) == (2, f"syncline: No such key: {key_id} (known: none)\n")
    file.write_text(str(tsk))
    answer = installation.run("gpg", "add", "--from", str(file))
    assert answer.errors.startswith("syncline: this is a private key (")
