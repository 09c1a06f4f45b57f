"""Exchanges the key of a GitHub App for the token of one installation.

Called by `syncline.adapters.git.tokens`. The key signs a statement of ten minutes; the token that comes back is good
for an hour.
"""

from __future__ import annotations

from datetime import datetime

from syncline.adapters.git.addresses import Address
from syncline.adapters.git.token_requests import Office, Token, statement
from syncline.model.errors import SourceError
from syncline.model.sources.repository import Credentials
from syncline.net import downloads

_BASE = "https://api.github.com"


async def ask(address: Address, credentials: Credentials, now: float) -> Token:
    """Return a token for the app's installation, which is looked up where the Secret does not name it."""
    base = (credentials.github_app_base_url or _BASE).rstrip("/")
    # A minute back: clocks differ.
    claims = {"iat": int(now) - 60, "exp": int(now) + 540, "iss": str(credentials.github_app_id)}
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
        ),
    )
    number = credentials.github_app_installation_id
    if not number:
        number = (await office.call(f"{base}/repos/{path(address)}/installation", method="GET")).get("id", 0)
    answer = await office.call(f"{base}/app/installations/{number}/access_tokens")
    try:
        ends = datetime.fromisoformat(str(answer["expires_at"])).timestamp()
        return Token(str(answer["token"]), ends)
    except (KeyError, ValueError):
        raise SourceError(f"the GitHub App of {address} got no token") from None


def path(address: Address) -> str:
    """Return owner and name of a repository, as the API spells them."""
    return "/".join(address.url.partition("://")[2].split("/")[1:3]).removesuffix(".git")
