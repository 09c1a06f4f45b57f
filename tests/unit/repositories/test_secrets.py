"""Repositories in Argo CD's Secrets: read, written, found by address and project, and never printed."""

import base64
from typing import Any

import msgspec
import pytest

from syncline.controller.clusters.access import read_access
from syncline.model.errors import InvalidSpec
from syncline.model.sources.access import SourceAccess, parse_known_hosts
from syncline.model.sources.repository import (
    Credentials,
    CredentialTemplate,
    Repository,
    Way,
    parse_repository,
    parse_template,
    repository_secret,
    secret_name,
    secret_values,
    template_secret,
    updated_secret,
)
from syncline.ports.kube import ApiError, ApiResource, Listed

URL = "https://git.example.com/team/shop"
EVERYTHING = {
    "url": URL,
    "type": "helm",
    "name": "shop",
    "project": "payments",
    "username": "ada",
    "password": "canary-password",
    "bearerToken": "canary-token",
    "sshPrivateKey": "canary-key",
    "tlsClientCertData": "certificate",
    "tlsClientCertKey": "canary-tls",
    "githubAppID": "7",
    "githubAppInstallationID": "8",
    "githubAppPrivateKey": "canary-app",
    "githubAppEnterpriseBaseUrl": "https://ghe.example.com/api/v3",
    "gcpServiceAccountKey": "canary-gcp",
    "azureServicePrincipalTenantId": "tenant",
    "azureServicePrincipalClientId": "client",
    "azureServicePrincipalClientSecret": "canary-azure",
    "azureActiveDirectoryEndpoint": "https://login.example.com",
    "forceHttpBasicAuth": "true",
    "useAzureWorkloadIdentity": "true",
    "proxy": "http://ada:canary-proxy@proxy.example",
    "noProxy": "internal.example",
    "insecure": "true",
    "insecureIgnoreHostKey": "true",
    "enableLfs": "true",
    "enableOCI": "true",
    "insecureOCIForceHttp": "true",
    "depth": "3",
}
PARSED = Repository(
    url=URL,
    kind="helm",
    name="shop",
    project="payments",
    secret="one",
    credentials=Credentials(
        username="ada",
        password="canary-password",
        bearer_token="canary-token",
        ssh_private_key="canary-key",
        tls_client_certificate="certificate",
        tls_client_key="canary-tls",
        github_app_id=7,
        github_app_installation_id=8,
        github_app_private_key="canary-app",
        github_app_base_url="https://ghe.example.com/api/v3",
        gcp_service_account_key="canary-gcp",
        azure_tenant_id="tenant",
        azure_client_id="client",
        azure_client_secret="canary-azure",
        azure_endpoint="https://login.example.com",
        force_basic=True,
        azure_workload_identity=True,
    ),
    way=Way(
        proxy="http://ada:canary-proxy@proxy.example",
        no_proxy="internal.example",
        insecure=True,
        ignore_host_key=True,
        lfs=True,
        oci=True,
        plain_http=True,
        depth=3,
    ),
)


def secret(values: dict[str, str], name: str = "one", kind: str = "repository") -> dict[str, Any]:
    data = {field: base64.b64encode(text.encode()).decode() for field, text in values.items()}
    labels = {"argocd.argoproj.io/secret-type": kind}
    return {"metadata": {"name": name, "namespace": "argocd", "labels": labels}, "data": data}


def test_every_field_of_a_secret_is_read() -> None:
    assert parse_repository(secret(EVERYTHING)) == PARSED


def test_a_written_secret_reads_back_the_same() -> None:
    written = repository_secret(PARSED, "argocd")
    assert written["metadata"]["labels"] == {"argocd.argoproj.io/secret-type": "repository"}
    assert {field: base64.b64decode(text).decode() for field, text in written["data"].items()} == EVERYTHING
    assert parse_repository(written) == PARSED


def test_a_secret_that_is_replaced_keeps_what_others_wrote_into_it() -> None:
    stored = secret({"url": URL, "password": "old", "depth": "3", "webhookManifestCacheWarmDisabled": "true"})
    stored["metadata"] |= {"resourceVersion": "7", "annotations": {"team": "a"}}
    stored["metadata"]["labels"]["more"] = "x"
    wanted = repository_secret(Repository(url=URL, credentials=Credentials(bearer_token="new"), secret="one"), "argocd")
    updated = updated_secret(stored, wanted)
    assert secret_values(updated) == {
        "url": URL,
        "type": "git",
        "bearerToken": "new",
        "webhookManifestCacheWarmDisabled": "true",
    }
    assert updated["metadata"] == {
        "name": "one",
        "namespace": "argocd",
        "resourceVersion": "7",
        "labels": {"argocd.argoproj.io/secret-type": "repository", "more": "x"},
        "annotations": {"team": "a", "managed-by": "argocd.argoproj.io"},
    }


def test_a_template_has_neither_name_nor_project() -> None:
    template = CredentialTemplate(url=URL, credentials=Credentials(username="ada", password="x"))
    written = template_secret(template, "argocd")
    assert parse_template(written) == msgspec.structs.replace(template, secret=written["metadata"]["name"])
    assert set(written["data"]) == {"url", "type", "username", "password"}


def test_a_secret_of_text_is_read_as_the_server_would_store_it() -> None:
    given = {"metadata": {"name": "one"}, "stringData": {"url": URL, "password": "new"}, "data": {"password": "b2xk"}}
    assert parse_repository(given).credentials.password == "new"


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, "Secret one: url is missing"),
        ({"url": URL, "insecure": "canary"}, "Secret one: insecure is neither true nor false"),
        ({"url": URL, "githubAppID": "canary"}, "Secret one: githubAppID is not a number"),
        ({"url": URL, "depth": "-canary"}, "Secret one: depth is not a number"),
    ],
)
def test_a_field_that_cannot_be_read_is_named_and_not_quoted(values: dict[str, str], told: str) -> None:
    with pytest.raises(InvalidSpec) as caught:
        parse_repository(secret(values))
    assert str(caught.value) == told


def test_a_value_that_is_no_base64_is_named_and_not_quoted() -> None:
    broken = {"metadata": {"name": "one"}, "data": {"password": "canary!"}}
    with pytest.raises(InvalidSpec) as caught:
        parse_repository(broken)
    assert str(caught.value) == "Secret one: data.password is not base64-encoded text"


def test_printing_a_repository_shows_no_secret() -> None:
    access = SourceAccess(repositories=(PARSED,))
    assert "canary" not in f"{PARSED!r} {PARSED} {access!r} {PARSED.credentials!r}"
    assert sorted(text for text in PARSED.credentials.secrets()) == [
        "canary-app",
        "canary-azure",
        "canary-gcp",
        "canary-key",
        "canary-password",
        "canary-tls",
        "canary-token",
    ]


@pytest.mark.parametrize(
    ("prefix", "url", "project", "name"),
    [
        # The test vectors of the FNV hash itself: of nothing, and of the letter a.
        ("repo", "", "", "repo-2166136261"),
        ("creds", "a", "", "creds-3826002220"),
        ("repo", "", "a", "repo-3826002220"),
    ],
)
def test_the_secret_of_an_address_has_argocds_name(prefix: str, url: str, project: str, name: str) -> None:
    assert secret_name(prefix, url, project) == name


def credentials(name: str) -> Credentials:
    return Credentials(username=name, password="x")


ACCESS = SourceAccess(
    repositories=(
        Repository(url=f"{URL}.git", credentials=credentials("everybody")),
        Repository(url=URL, project="payments", credentials=credentials("payments")),
        Repository(url="https://git.example.com/team/empty", way=Way(insecure=True)),
        Repository(url="https://git.example.com/only", project="payments", credentials=credentials("only")),
    ),
    templates=(
        CredentialTemplate(url="https://git.example.com", credentials=credentials("host")),
        CredentialTemplate(url="https://git.example.com/team", credentials=credentials("team")),
        CredentialTemplate(url="https://git.example.com/charts", kind="helm", credentials=credentials("charts")),
    ),
)


@pytest.mark.parametrize(
    ("url", "project", "username", "inherited"),
    [
        (URL, "", "everybody", False),
        (URL.upper(), "games", "everybody", False),
        (URL, "payments", "payments", False),
        ("https://git.example.com/team/other", "", "team", True),
        ("https://git.example.com/team/empty", "", "team", True),
        ("https://git.example.com/else", "", "host", True),
        ("https://git.example.com/only", "", "host", True),
        ("https://git.example.com/only", "payments", "only", False),
        ("https://git.example.com.evil.org/team/x", "", "", False),
        ("http://git.example.com/team/x", "", "", False),
    ],
)
def test_an_exact_address_comes_first_then_the_longest_template(
    url: str, project: str, username: str, inherited: bool
) -> None:
    found = ACCESS.repository(url, project)
    assert (found.credentials.username, found.inherited) == (username, inherited)


def test_a_repository_keeps_its_own_ways_with_credentials_of_a_template() -> None:
    assert ACCESS.repository("https://git.example.com/team/empty").way == Way(insecure=True)


def test_known_hosts_are_lines_without_comments_each_once() -> None:
    texts = ["# comment\nhost  ssh-rsa AAAA\n\n", "host ssh-rsa AAAA\nother ssh-rsa BBBB"]
    assert parse_known_hosts(texts) == "host ssh-rsa AAAA\nother ssh-rsa BBBB\n"


class Home:
    """An API server with a few objects, some of which may not be read."""

    def __init__(self, secrets: list[dict[str, Any]], maps: dict[str, dict[str, str]], refuse: bool = False) -> None:
        self._secrets, self._maps, self._refuse = secrets, maps, refuse

    async def list(self, resource: ApiResource, *, namespace: str = "", label_selector: str = "") -> Listed:
        if self._refuse:
            raise ApiError(403, "Forbidden", "no")
        kind = label_selector.partition("=")[2]
        found = [one for one in self._secrets if one["metadata"]["labels"]["argocd.argoproj.io/secret-type"] == kind]
        return Listed(tuple(found), "1")

    async def get(self, resource: ApiResource, namespace: str, name: str) -> dict[str, Any] | None:
        return {"data": self._maps[name]} if name in self._maps else None


async def test_an_installation_is_read_whole_and_a_broken_secret_costs_itself_alone() -> None:
    home = Home(
        [
            secret({"url": URL, "password": "x"}, "good"),
            secret({"url": URL, "insecure": "perhaps"}, "broken"),
            secret({"url": "https://git.example.com", "username": "ada"}, "template", "repo-creds"),
        ],
        {
            "argocd-ssh-known-hosts-cm": {"ssh_known_hosts": "# ours\nhost ssh-rsa AAAA\n"},
            "argocd-tls-certs-cm": {"Git.Example.com": "PEM"},
            "argocd-gpg-keys-cm": {"ABCD": "KEY"},
        },
    )
    assert await read_access(home, "argocd") == SourceAccess(  # type: ignore[arg-type]
        repositories=(Repository(url=URL, credentials=Credentials(password="x"), secret="good"),),
        templates=(
            CredentialTemplate(
                url="https://git.example.com", credentials=Credentials(username="ada"), secret="template"
            ),
        ),
        known_hosts="host ssh-rsa AAAA\n",
        certificates={"git.example.com": "PEM"},
        signing_keys={"ABCD": "KEY"},
        problems=("Secret broken: insecure is neither true nor false",),
    )


async def test_secrets_that_may_not_be_read_are_said() -> None:
    access = await read_access(Home([], {}, refuse=True), "argocd")  # type: ignore[arg-type]
    assert access == SourceAccess(
        problems=(
            "Secrets in namespace argocd cannot be read, so no repository is known: no",
            "Secrets in namespace argocd cannot be read, so no repo-creds is known: no",
        )
    )
