"""Entries of ConfigMaps and Secrets of the installation, as the live view has them, and what is made of them.

Used for logins by a provider: every request asks how that is configured, and hardly any finds it changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, TypeVar

from syncline.apimachinery import meta
from syncline.apimachinery.keys import ObjectKey
from syncline.controller.live.cluster import LiveCluster
from syncline.server.access.accounts import decoded

T = TypeVar("T")
_PART_OF: Final = ("app.kubernetes.io/part-of", "argocd")


class Entries:
    """What ConfigMaps and Secrets say; notes the version of each that was looked at, of those that are missing too."""

    def __init__(self, live: LiveCluster, namespace: str) -> None:
        self._live = live
        self._namespace = namespace
        self._seen: dict[ObjectKey, int] = {}

    def config(self, name: str) -> dict[str, str]:
        """Return the entries of a ConfigMap of the installation."""
        found = self._live.index.get(self._noted("ConfigMap", name)) or {}
        data = found.get("data")
        return {str(key): str(value) for key, value in data.items()} if isinstance(data, dict) else {}

    def secret(self, name: str, key: str) -> str:
        """Return an entry of a Secret, by default of argocd-secret; empty where it, or the Secret, is not for us."""
        found = self._live.index.get(self._noted("Secret", name or "argocd-secret"))
        if found is None or (name and meta.labels(found).get(_PART_OF[0]) != _PART_OF[1]):
            return ""
        return decoded(found).get(key, b"").decode(errors="replace").strip()

    def are_the_same(self) -> bool:
        """Whether nothing that was looked at has changed since."""
        return all(self._live.index.version(key) == version for key, version in self._seen.items())

    def _noted(self, kind: str, name: str) -> ObjectKey:
        key = ObjectKey("", kind, self._namespace, name)
        self._seen[key] = self._live.index.version(key)
        return key


class Remembered(Generic[T]):
    """A value made of entries, which is made again when one of their objects has changed; an error counts as one."""

    def __init__(self, live: LiveCluster, namespace: str, make: Callable[[Entries], T], error: type[Exception]) -> None:
        self._live = live
        self._namespace = namespace
        self._make = make
        self._error = error
        self._entries: Entries | None = None
        self._value: T | Exception

    def value(self) -> T:
        """Return the value, or raise what making it raised."""
        if self._entries is None or not self._entries.are_the_same():
            self._entries = Entries(self._live, self._namespace)
            try:
                self._value = self._make(self._entries)
            except self._error as error:
                self._value = error
        if isinstance(self._value, Exception):
            raise self._value.with_traceback(None)
        return self._value
