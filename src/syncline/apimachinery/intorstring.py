"""Values that are a number or a percentage, such as `maxSurge: 1` and `maxSurge: 25%`.

Handed raw field values by the sandbox's controllers and by comparison. A number and its text are different
values to Kubernetes (`targetPort: "80"` is the port named 80), so they never compare as equal here.
"""

from __future__ import annotations

import re
from typing import Any

_PERCENT = re.compile(r"([+-]?[0-9]+)%", re.ASCII)


class InvalidIntOrString(ValueError):
    """A value that is neither a number nor a percentage."""


def percent(value: Any) -> int | None:
    """Return the number of a percentage text, None for anything else."""
    found = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    return int(found[1]) if found else None


def scaled(value: Any, total: int, *, round_up: bool) -> int:
    """Return a number as it is, and a percentage as that part of the total."""
    if value is None:
        raise InvalidIntOrString("nil value for IntOrString")
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, str) or not value.endswith("%"):
        raise InvalidIntOrString("invalid value for IntOrString: invalid type: string is not a percentage")
    share = percent(value)
    if share is None:
        reason = f'strconv.Atoi: parsing "{value.removesuffix("%")}": invalid syntax'
        raise InvalidIntOrString(f'invalid value for IntOrString: invalid value "{value}": {reason}')
    return -(-share * total // 100) if round_up else share * total // 100


def equal(left: Any, right: Any) -> bool:
    """Return whether both are the same number or the same percentage."""
    if type(left) is not type(right):
        return False
    share = percent(left)
    return bool(left == right) or (share is not None and share == percent(right))
