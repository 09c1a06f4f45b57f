"""Exchanges identities for tokens that git can use, and keeps them until they are about to end.

Called by `syncline.adapters.git.remote` before each call of git; user, password, token, key and certificate pass
unchanged. Whoever has an identity that cannot be exchanged is told so and never asks as nobody.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from syncline.adapters.git import cloud_identities, github_app
from syncline.adapters.git.addresses import Address
from syncline.adapters.git.token_requests import Token
from syncline.model.sources.repository import Credentials, fingerprint

_EARLY = 300.0


class Tokens:
    """Tokens by the credentials they were given for."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._kept: dict[str, tuple[Credentials, float]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    async def exchanged(self, address: Address) -> Credentials:
        """Return the credentials git uses: of an identity, its token in place of its key."""
        credentials = address.credentials
        if not credentials.identity():
            return credentials
        key = f"{fingerprint(credentials)} {github_app.path(address).partition('/')[0]}"
        kept = self._kept.get(key)
        if kept is None or kept[1] - _EARLY < self._now():
            kept = await self._ask(address, credentials)
            # Credentials change: what was given for former ones ends, and is not kept beyond that.
            now = self._now()
            self._kept = {**{other: one for other, one in self._kept.items() if one[1] > now}, key: kept}
        return kept[0]

    async def _ask(self, address: Address, credentials: Credentials) -> tuple[Credentials, float]:
        now = self._now()
        if credentials.github_app_private_key:
            given = await github_app.ask(address, credentials, now)
            return Credentials(username="x-access-token", password=given.text), given.ends
        if credentials.gcp_service_account_key:
            owner, given = await cloud_identities.google(address, credentials, now)
            return Credentials(username=owner, password=given.text), given.ends
        given = await self._azure(address, credentials, now)
        return Credentials(bearer_token=given.text), given.ends

    async def _azure(self, address: Address, credentials: Credentials, now: float) -> Token:
        if credentials.azure_client_secret:
            return await cloud_identities.azure_principal(address, credentials, now)
        return await cloud_identities.azure_pod(address, now)
