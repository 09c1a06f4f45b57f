"""Where a text stops being base64, in Go's counting.

Asked by `syncline.sandbox.api.conforming` for every field of bytes, and by the rules of Secrets and ConfigMaps.
"""

from __future__ import annotations

import base64
import binascii
import re


def wrong_at(text: str) -> int | None:
    """Return where a text stops being base64; None where it does not.

    One that lacks its end stops four letters before it. Line breaks are passed over.
    """
    plain = text.replace("\n", "").replace("\r", "")
    try:
        base64.b64decode(plain, validate=True)
    except (binascii.Error, ValueError):
        found = re.match(r"[A-Za-z0-9+/]*", plain)
        good = len(found[0]) if found else 0
        return good if good < len(plain.rstrip("=")) else len(plain) // 4 * 4
    return None
