"""Strings that must appear in no output, and the search for them in every form in which a program might print one.

`tests.hostile.installation` plants them: in a file of the machine, in Secrets, ConfigMaps, private repositories,
passwords and environment variables of the processes. `tests.hostile.oracle` searches what came out.
"""

from __future__ import annotations

import base64
import json
import secrets
from dataclasses import dataclass, field
from urllib.parse import quote

PLACES = (
    "file",
    "environment",
    "foreign-secret",
    "foreign-config",
    "own-secret",
    "private-repository",
    "other-team-repository",
    "repository-password",
    "cluster-token",
    "webhook-secret",
    "signing-key",
    "notification-token",
    "scm-token",
    "live-canary",
)


def _new(place: str) -> str:
    # Letters and digits alone, so that no escaping hides it, and a length that no mask has.
    return f"canary{place.replace('-', '')}{secrets.token_hex(12)}"


@dataclass(frozen=True, slots=True)
class Canaries:
    """One string per place."""

    texts: dict[str, str] = field(default_factory=lambda: {place: _new(place) for place in PLACES})

    def __getitem__(self, place: str) -> str:
        return self.texts[place]

    def leaked(self, text: str, *, besides: tuple[str, ...] = ()) -> list[str]:
        """Return the places whose canary is in a text, plain or as base64, hex, reversed or percent-encoded."""
        return [
            place
            for place, canary in self.texts.items()
            if place not in besides and any(form in text for form in forms(canary))
        ]


def forms(canary: str) -> list[str]:
    """Return a text as programs may print it."""
    found = [canary, canary[::-1], canary.encode().hex(), quote(canary), json.dumps(canary)[1:-1]]
    # In base64 a text looks different at each of three offsets; the first and last characters depend on neighbours.
    for offset in range(3):
        encoded = base64.b64encode(b"x" * offset + canary.encode()).decode()
        found.append(encoded[4 if offset else 0 : -4])
    return found
