"""Asks registries whether images are there: `syncline.ports.images.Images`.

Built by `syncline.wiring`, switched off unless somebody switches it on: a look-up tells a registry what is about to be
delivered, and needs a way out. Every answer is kept for a while; many apps run the same images. Logins come from pull
secrets, and a registry sees only those that are its own.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence

from syncline.adapters.images.names import ImageName, Login, login_for, parse_image, parse_logins
from syncline.model.sources.access import SourceAccess
from syncline.net import downloads, registries, urls
from syncline.ports.images import ImageNote

_KEEP_SECONDS = 300.0
_KEPT = 10_000
_AT_ONCE = 8


class RegistryImages:
    """All registries; `plain_http` names those that have no TLS, besides those of this machine."""

    def __init__(
        self,
        *,
        on: bool,
        plain_http: Collection[str] = (),
        reach: urls.Reach | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._on = on
        self._plain_http = frozenset(plain_http)
        self._reach = reach or urls.Reach()
        self._access = SourceAccess()
        self._now = now
        self._known: OrderedDict[tuple[str, str], tuple[float, ImageNote]] = OrderedDict()
        self._turns = asyncio.Semaphore(_AT_ONCE)

    def use(self, access: SourceAccess) -> None:
        """Check registries against these certificates from the next request on."""
        self._access = access

    async def look_up(self, image: str, pull_secrets: Sequence[str] = ()) -> ImageNote:
        """Say whether an image is there; `pull_secrets` are texts of `.dockerconfigjson`."""
        if not self._on:
            return ImageNote(image, None, "images are not looked up here")
        name = parse_image(image)
        if name is None:
            return ImageNote(image, False, f"{image[:200]!r} is not an image name")
        login = login_for(name, [login for text in pull_secrets for login in parse_logins(text)])
        key = (image, _mark(login))
        known = self._known.get(key)
        if known is not None and self._now() - known[0] < _KEEP_SECONDS:
            return known[1]
        async with self._turns:
            note = await self._ask(image, name, login)
        if note.exists is not None:
            self._known[key] = (self._now(), note)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return note

    async def tags(self, image: str, pull_secrets: Sequence[str] = ()) -> tuple[str, ...] | None:
        """Return the tags of an image's repository, none where there is no such repository; None if nobody can tell."""
        name = parse_image(image) if self._on else None
        if name is None:
            return None
        login = login_for(name, [login for text in pull_secrets for login in parse_logins(text)])
        try:
            async with self._turns:
                return tuple(await self._registry(name, login).tags(name.repository))
        except registries.RegistryError as error:
            return () if error.status == 404 else None

    def _registry(self, name: ImageName, login: Login | None) -> registries.RegistryClient:
        door = downloads.Door(
            authorization=downloads.basic(login.username, login.password) if login else "",
            certificates=self._access.certificate(f"https://{name.place}"),
            reach=self._reach,
        )
        return registries.RegistryClient(name.place, door, plain_http=self._is_plain(name.registry))

    async def _ask(self, image: str, name: ImageName, login: Login | None) -> ImageNote:
        registry = self._registry(name, login)
        try:
            exists = await registry.exists(name.repository, name.reference)
        except registries.RegistryError as error:
            if error.status in (401, 403):
                whose = "the pull secrets were rejected" if login else "no pull secret matches"
                return ImageNote(image, None, f"{name.registry} denied access: {whose}")
            return ImageNote(image, None, str(error))
        if exists:
            return ImageNote(image, True)
        return ImageNote(image, False, f"{name.registry} has no {name.repository}:{name.reference}")

    def _is_plain(self, registry: str) -> bool:
        """Whether a registry has no TLS: one of this machine is tried without, as container tools do."""
        host = registry.rpartition(":")[0] or registry
        return registry in self._plain_http or host == "localhost" or host.startswith("127.")


def _mark(login: Login | None) -> str:
    """Return what tells two logins apart without keeping them."""
    return hashlib.sha256(f"{login.username}\0{login.password}".encode()).hexdigest() if login else ""
