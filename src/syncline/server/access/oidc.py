"""Signing in with OpenID Connect: not there yet."""

from __future__ import annotations


class Oidc:
    """A provider."""

    def settings(self) -> dict[str, object]:
        """Return what a login page needs to know of the provider."""
        return {}
