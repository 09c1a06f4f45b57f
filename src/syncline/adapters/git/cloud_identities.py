"""Exchanges the identities of clouds for tokens: a Google service account's key, an Azure principal, an Azure pod.

Called by `syncline.adapters.git.tokens`. Where tokens are given out stands in the key, the Secret or the environment of
the pod; where a project's Secret says it, the address is checked like any other.
"""

from __future__ import annotations

import os
import pathlib
from typing import Any

import msgspec

from syncline.adapters.git.addresses import Address
from syncline.adapters.git.token_requests import Office, Token, statement, token
from syncline.model.errors import SourceError
from syncline.model.sources.repository import Credentials
from syncline.net import downloads

_GOOGLE = "https://oauth2.googleapis.com/token"
_GOOGLE_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_GOOGLE_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_AZURE = "https://login.microsoftonline.com"
# Azure DevOps, as Azure calls it: the one service of theirs that has Git repositories.
_AZURE_SCOPE = "499b84ac-1321-427f-aa17-267ca6975798/.default"
_AZURE_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_POD = ("AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_FEDERATED_TOKEN_FILE")


async def google(address: Address, credentials: Credentials, now: float) -> tuple[str, Token]:
    """Return the account's name and a token, for the key of a Google service account."""
    try:
        key = msgspec.json.decode(credentials.gcp_service_account_key.encode(), type=dict[str, Any])
        owner, private, place = str(key["client_email"]), str(key["private_key"]), str(key.get("token_uri") or _GOOGLE)
    except (msgspec.DecodeError, msgspec.ValidationError, KeyError):
        hint = "the file must have client_email and private_key, as downloaded from Google"
        raise SourceError("gcpServiceAccountKey is not a service account key in JSON", hint=hint) from None
    claims = {"iss": owner, "scope": _GOOGLE_SCOPE, "aud": place, "iat": int(now) - 60, "exp": int(now) + 3000}
    signed = statement(claims, private, "private_key of gcpServiceAccountKey", str(key.get("private_key_id") or ""))
    office = _office(f"the Google service account of {address}", "check gcpServiceAccountKey", address)
    answer = await office.call(place, form={"grant_type": _GOOGLE_GRANT, "assertion": signed})
    return owner, token(answer, office.name, now)


async def azure_principal(address: Address, credentials: Credentials, now: float) -> Token:
    """Return a token for a service principal of Azure, known by its client secret."""
    if not (credentials.azure_tenant_id and credentials.azure_client_id):
        hint = "set azureServicePrincipalTenantId and azureServicePrincipalClientId too"
        raise SourceError(f"the Azure service principal of {address} is not named", hint=hint)
    form = {"client_id": credentials.azure_client_id, "client_secret": credentials.azure_client_secret}
    office = _office(f"the Azure service principal of {address}", "check tenant, client id and client secret", address)
    return await _azure(office, credentials.azure_endpoint, credentials.azure_tenant_id, form, now)


async def azure_pod(address: Address, now: float) -> Token:
    """Return a token for the Azure identity that this pod has."""
    missing = [name for name in _POD if not os.environ.get(name)]
    name = f"the Azure workload identity of {address}"
    if missing:
        hint = "the webhook of Azure workload identity sets them in pods whose service account is bound to an identity"
        raise SourceError(f"{name} is not available: {', '.join(missing)} are not set", hint=hint)
    tenant, client, path = (os.environ[name] for name in _POD)
    form = {"client_id": client, "client_assertion_type": _AZURE_ASSERTION, "client_assertion": _read(path, name)}
    office = _office(name, "check the federated credential of the identity", address)
    return await _azure(office, os.environ.get("AZURE_AUTHORITY_HOST", ""), tenant, form, now)


def _read(path: str, name: str) -> str:
    try:
        return pathlib.Path(path).read_text().strip()
    except OSError as error:
        raise SourceError(f"{name} is not available: {path} cannot be read ({error.strerror})") from None


async def _azure(office: Office, endpoint: str, tenant: str, form: dict[str, str], now: float) -> Token:
    if not tenant.replace("-", "").replace(".", "").isalnum():
        raise SourceError(f"no token for {office.name}: its tenant is invalid")
    place = f"{(endpoint or _AZURE).rstrip('/')}/{tenant}/oauth2/v2.0/token"
    answer = await office.call(place, form={"grant_type": "client_credentials", "scope": _AZURE_SCOPE, **form})
    return token(answer, office.name, now)


def _office(name: str, check: str, address: Address) -> Office:
    way = address.repository.way
    is_operators = not address.repository.project
    way_out = downloads.Door(proxy=way.proxy, no_proxy=way.no_proxy, is_proxy_trusted=is_operators)
    return Office(name, check, way_out, is_operators=is_operators)
