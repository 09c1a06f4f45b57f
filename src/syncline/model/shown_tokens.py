"""What a signed token shows, checked by nobody: good for finding the key or the login it belongs to, nothing else."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import msgspec


def unchecked(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return header and claims of a token; both empty for what is none."""
    parts = token.split(".")
    if len(parts) != 3:
        return {}, {}
    return _part(parts[0]), _part(parts[1])


def _part(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=dict[str, Any])
    except (msgspec.DecodeError, binascii.Error, ValueError):
        return {}
