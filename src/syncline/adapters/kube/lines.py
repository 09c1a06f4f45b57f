"""Cuts a stream of bytes into lines, wherever the pieces were cut on their way.

Feeds `syncline.adapters.kube.client`, which reads one watch event per line. A large event arrives in many
pieces: they are joined once, at its end.
"""

from __future__ import annotations

from collections.abc import AsyncIterator


async def lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield each line without its end, empty ones left out; a last line needs no end."""
    pending: list[bytes] = []
    async for chunk in chunks:
        *complete, rest = chunk.split(b"\n")
        for line in complete:
            pending.append(line)
            whole = b"".join(pending)
            pending.clear()
            if whole.strip():
                yield whole
        if rest:
            pending.append(rest)
    whole = b"".join(pending)
    if whole.strip():
        yield whole
