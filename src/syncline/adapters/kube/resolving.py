"""Looks names up for clusters that a project described, and refuses those that lead to inner machines.

Used by `syncline.adapters.kube.http`. Each connection asks again, so a name that changes its address is judged by the
address that is connected to. An address that is written as a number is not looked up; the API lets only an admin store
an inner one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from syncline.net.urls import AddressKind, address_kind

if TYPE_CHECKING:
    import aiohttp.abc


class InnerAddress(OSError):
    """A name that leads to this machine, to a metadata service or to no single machine."""


def ordinary_resolver() -> aiohttp.abc.AbstractResolver:
    """Return a resolver that returns ordinary addresses only."""
    import socket

    import aiohttp
    from aiohttp.abc import AbstractResolver, ResolveResult

    class OrdinaryResolver(AbstractResolver):
        """Refuses a name as soon as one of its addresses is not an ordinary one."""

        def __init__(self) -> None:
            self._inner = aiohttp.ThreadedResolver()

        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
        ) -> list[ResolveResult]:
            results = await self._inner.resolve(host, port, family)
            for result in results:
                if address_kind(result["host"]) is not AddressKind.ORDINARY:
                    raise InnerAddress(f"{host} leads to an address that clusters of projects may not have")
            return results

        async def close(self) -> None:
            await self._inner.close()

    return OrdinaryResolver()
