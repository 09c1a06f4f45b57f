"""Exchanges the key of a GitHub App for the token of one installation.

Called by `syncline.adapters.git.tokens`, and for generators of ApplicationSets by the web reader that `syncline.wiring`
hands it to. The key signs a statement of ten minutes; the token that comes back is good for an hour.
"""

from __future__ import annotations

import dataclasses
from datetime import datetime
from typing import Any

from syncline.adapters.git.addresses import Address
from syncline.adapters.git.token_requests import Office, Token, statement
from syncline.model.errors import SourceError
from syncline.model.sources.repository import Credentials
from syncline.net import downloads
from syncline.ports.web import GitHubApp

_BASE = "https://api.github.com"


async def ask(address: Address, credentials: Credentials, now: float) -> Token:
    """Return a token for the app's installation, which is looked up where the Secret does not name it."""
    base = (credentials.github_app_base_url or _BASE).rstrip("/")
    claims = _claims(str(credentials.github_app_id), now)
    way = address.repository.way
    office = Office(
        f"the GitHub App of {address}",
        "check githubAppID, githubAppInstallationID and the key",
        downloads.Door(
            authorization=f"Bearer {statement(claims, credentials.github_app_private_key, 'githubAppPrivateKey')}",
            certificates=address.certificates,
            insecure=way.insecure,
            proxy=way.proxy,
            no_proxy=way.no_proxy,
            is_proxy_trusted=not address.repository.project,
        ),
        is_operators=not address.repository.project,
    )
    number = credentials.github_app_installation_id
    if not number:
        number = (await office.call(f"{base}/repos/{path(address)}/installation", method="GET")).get("id", 0)
    return await _exchanged(office, f"{base}/app/installations/{number}/access_tokens")


async def installation_token(app: GitHubApp, door: downloads.Door, now: float) -> tuple[str, float]:
    """Return a token of an installation that is known by its number, and when it ends."""
    signed = statement(_claims(app.id, now), app.key, "githubAppPrivateKey")
    office = Office(
        f"the GitHub App {app.id}",
        "check githubAppID, githubAppInstallationID and the key",
        dataclasses.replace(door, authorization=f"Bearer {signed}"),
    )
    token = await _exchanged(office, f"{app.base}/app/installations/{app.installation}/access_tokens")
    return token.text, token.ends


def _claims(app: str, now: float) -> dict[str, Any]:
    # A minute back: clocks differ.
    return {"iat": int(now) - 60, "exp": int(now) + 540, "iss": app}


async def _exchanged(office: Office, url: str) -> Token:
    answer = await office.call(url)
    try:
        ends = datetime.fromisoformat(str(answer["expires_at"])).timestamp()
        return Token(str(answer["token"]), ends)
    except (KeyError, ValueError):
        raise SourceError(f"{office.name} got no token") from None


def path(address: Address) -> str:
    """Return owner and name of a repository, as the API spells them."""
    return "/".join(address.url.partition("://")[2].split("/")[1:3]).removesuffix(".git")
