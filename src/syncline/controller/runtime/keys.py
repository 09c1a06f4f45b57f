"""What is queued: the namespace and name of one thing, and nothing else.

Each subject has a key class of its own (`class AppKey(Key)`), so that mypy tells the keys of two subjects apart.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar


class Key(NamedTuple):
    """Namespace and name."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


K = TypeVar("K", bound=Key)
"""The key class of one subject."""
