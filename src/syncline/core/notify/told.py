"""What was told already: the annotation `notified.notifications.argoproj.io`, as Argo CD writes it.

Read and written by `syncline.core.notify.due`, so that neither side tells what the other has told. A key names trigger,
condition and recipient, and before them the value of `oncePer` where the condition has one; the value is the time.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from syncline.model.notifications import Recipient

MOST = 100
"""Entries that are kept; the oldest go first."""


def read(text: str) -> dict[str, int]:
    """Return what an annotation says; nothing where somebody wrote something else there."""
    try:
        return msgspec.json.decode(text, type=dict[str, int]) if text else {}
    except msgspec.DecodeError:
        return {}


def write(told: Mapping[str, int]) -> str | None:
    """Return the text of the annotation; None where there is nothing to say."""
    if not told:
        return None
    newest = sorted(told, key=lambda key: (-told[key], key))[:MOST]
    return msgspec.json.encode({key: told[key] for key in sorted(newest)}).decode()


def key_of(trigger: str, condition: str, once_per: str, to: Recipient) -> str:
    """Return under which key a notification is remembered."""
    key = f"{trigger}:{condition}:{to.service}:{to.recipient}"
    return f"{once_per}:{key}" if once_per else key
