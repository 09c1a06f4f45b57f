"""Times as Kubernetes writes them: RFC 3339 in UTC, to the second (Time) or to the microsecond (MicroTime).

Handed moments by the sandbox and the controller, and texts from objects; always returns aware datetimes in
UTC.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

_SHAPE = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}:[0-9]{2}:[0-9]{2})(?:[.,]([0-9]+))?(Z|[+-][0-9]{2}:[0-9]{2})", re.ASCII
)


class InvalidTime(ValueError):
    """A text that is not an RFC 3339 time."""


def parse(text: str) -> datetime:
    """Read a time; digits below a microsecond are dropped."""
    found = _SHAPE.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        fraction = (found[3] or "").ljust(6, "0")[:6]
        return datetime.fromisoformat(f"{found[1]}T{found[2]}.{fraction}{found[4]}").astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidTime(f'parsing time "{text}" as "2006-01-02T15:04:05Z07:00": not an RFC 3339 time') from None


def format_time(moment: datetime) -> str:
    """Return the moment as `metav1.Time` prints it: whole seconds, the rest cut off."""
    # Not strftime, which takes five times as long: every pass over an app asks a few times.
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='seconds')}Z"


def format_micro_time(moment: datetime) -> str:
    """Return the moment as `metav1.MicroTime` prints it: always six digits."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
