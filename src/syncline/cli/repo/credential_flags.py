"""The flags of `argocd repo add` and `argocd repocreds add` that say who we are and how a server is reached.

Secrets are best not typed where others see them: a value of `-` is read from standard input, an environment variable
stands in for a missing flag, and a password that is missing beside a user name is asked for without an echo.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from syncline.model.errors import NeedsUser
from syncline.model.sources.repository import Credentials, Way

_OPTIONS: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("--username",), {"default": "", "help": "User name."}),
    (("--password",), {"default": "", "envvar": "SYNCLINE_REPO_PASSWORD", "help": "Password; - reads standard input."}),
    (
        ("--bearer-token",),
        {"default": "", "envvar": "SYNCLINE_REPO_TOKEN", "help": "Bearer token; - reads standard input."},
    ),
    (("--ssh-private-key-path",), {"default": "", "help": "File of the private ssh key."}),
    (("--tls-client-cert-path",), {"default": "", "help": "File of the TLS client certificate (PEM)."}),
    (("--tls-client-cert-key-path",), {"default": "", "help": "File of the TLS client certificate's key (PEM)."}),
    (("--github-app-id",), {"type": int, "default": 0, "help": "Id of the GitHub App."}),
    (
        ("--github-app-installation-id",),
        {"type": int, "default": 0, "help": "Installation ID of the GitHub App (default: found automatically)."},
    ),
    (("--github-app-private-key-path",), {"default": "", "help": "File of the GitHub App's private key."}),
    (("--github-app-enterprise-base-url",), {"default": "", "help": "API of a GitHub Enterprise server."}),
    (("--gcp-service-account-key-path",), {"default": "", "help": "File of a Google service account's key."}),
    (("--azure-service-principal-tenant-id",), {"default": "", "help": "Tenant of the Azure service principal."}),
    (("--azure-service-principal-client-id",), {"default": "", "help": "Client id of the Azure service principal."}),
    (
        ("--azure-service-principal-client-secret",),
        {
            "default": "",
            "envvar": "SYNCLINE_REPO_CLIENT_SECRET",
            "help": "Client secret of the Azure service principal; - reads standard input.",
        },
    ),
    (("--azure-active-directory-endpoint",), {"default": "", "help": "Token endpoint of Azure."}),
    (("--force-http-basic-auth",), {"is_flag": True, "help": "Always send username and password."}),
    (("--use-azure-workload-identity",), {"is_flag": True, "help": "Log in with Azure workload identity."}),
    (("--proxy", "--proxy-url"), {"default": "", "help": "Proxy to use."}),
    (("--no-proxy",), {"default": "", "help": "Hosts to reach without the proxy, separated by commas."}),
    (("--enable-oci",), {"is_flag": True, "help": "The repository is a registry."}),
    (("--insecure-oci-force-http",), {"is_flag": True, "help": "Reach the registry without TLS."}),
    (("--insecure-skip-server-verification",), {"is_flag": True, "help": "Trust any certificate and host key."}),
    (("--insecure-ignore-host-key",), {"is_flag": True, "help": "Trust any host key (ssh)."}),
    (
        ("--depth",),
        {"type": click.IntRange(min=0), "default": 0, "help": "Clone depth for Argo CD; Syncline does not use it."},
    ),
    (("--enable-lfs",), {"is_flag": True, "help": "The repository uses Git LFS."}),
)


def credential_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags; the command takes them as `credentials` and `way`."""

    @functools.wraps(command)
    def with_credentials(*args: Any, **given: Any) -> Any:
        taken = {name: given.pop(name) for name in _names()}
        return command(*args, credentials=_credentials(taken), way=_way(taken), **given)

    wrapped: Callable[..., Any] = with_credentials
    for names, options in reversed(_OPTIONS):
        wrapped = click.option(*names, **options)(wrapped)
    return wrapped


def _names() -> list[str]:
    return [names[0].removeprefix("--").replace("-", "_") for names, _ in _OPTIONS]


def _credentials(given: dict[str, Any]) -> Credentials:
    password = _secret(given["password"])
    if given["username"] and not password and not given["bearer_token"] and sys.stdin.isatty():
        password = click.prompt("Password", hide_input=True, default="", show_default=False, err=True)
    if bool(given["tls_client_cert_path"]) != bool(given["tls_client_cert_key_path"]):
        raise NeedsUser("--tls-client-cert-path and --tls-client-cert-key-path must be given together")
    return Credentials(
        username=given["username"],
        password=password,
        bearer_token=_secret(given["bearer_token"]),
        ssh_private_key=_file(given["ssh_private_key_path"]),
        tls_client_certificate=_file(given["tls_client_cert_path"]),
        tls_client_key=_file(given["tls_client_cert_key_path"]),
        github_app_id=given["github_app_id"],
        github_app_installation_id=given["github_app_installation_id"],
        github_app_private_key=_file(given["github_app_private_key_path"]),
        github_app_base_url=given["github_app_enterprise_base_url"],
        gcp_service_account_key=_file(given["gcp_service_account_key_path"]),
        azure_tenant_id=given["azure_service_principal_tenant_id"],
        azure_client_id=given["azure_service_principal_client_id"],
        azure_client_secret=_secret(given["azure_service_principal_client_secret"]),
        azure_endpoint=given["azure_active_directory_endpoint"],
        force_basic=given["force_http_basic_auth"],
        azure_workload_identity=given["use_azure_workload_identity"],
    )


def _way(given: dict[str, Any]) -> Way:
    return Way(
        proxy=given["proxy"],
        no_proxy=given["no_proxy"],
        insecure=given["insecure_skip_server_verification"],
        ignore_host_key=given["insecure_ignore_host_key"],
        lfs=given["enable_lfs"],
        oci=given["enable_oci"],
        plain_http=given["insecure_oci_force_http"],
        depth=given["depth"],
    )


def _secret(text: str) -> str:
    return sys.stdin.read().rstrip("\r\n") if text == "-" else text


def _file(path: str) -> str:
    if not path:
        return ""
    if path == "-":
        return sys.stdin.read()
    try:
        return Path(path).expanduser().read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise NeedsUser(f"{path} cannot be read: {reason}") from None
