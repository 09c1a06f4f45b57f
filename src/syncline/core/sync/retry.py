"""When a failed attempt is tried again.

Used by `syncline.core.decide`. The counter is already raised when the pause is measured, so with the defaults the real
pauses are 10, 20, 40, 80 and 160 seconds, as with Argo CD.
"""

from __future__ import annotations

from syncline.apimachinery import duration
from syncline.model.operation import Operation, OperationState

AUTOMATED_LIMIT = 5
_LARGEST_EXPONENT = 64
_SKEW = 60.0
"""Seconds by which the clocks of two controllers may differ without one of them being wrong."""


def may_retry(state: OperationState) -> bool:
    """Whether another attempt is allowed after this one failed."""
    retry = state.operation.retry
    if retry is None or retry.limit == 0:
        return False
    return retry.limit < 0 or state.retry_count < retry.limit


def pause(operation: Operation, retry_count: int) -> float:
    """Return how many seconds to wait before attempt number `retry_count`."""
    backoff = operation.retry.backoff if operation.retry else None
    base = _seconds(backoff.duration if backoff else "", 5.0)
    factor = backoff.factor if backoff and backoff.factor else 2
    longest = _seconds(backoff.max_duration if backoff else "", 180.0)
    # Far beyond any cap already, and a float that is raised without end overflows.
    return min(base * float(factor) ** min(retry_count, _LARGEST_EXPONENT), longest)


def left(since: float, wait: float, now: float) -> float:
    """Return what is left of a pause that began at `since`, never less than nothing.

    A beginning well in the future was written down by a clock that has since been set right; nobody waits for it.
    """
    return max(0.0, since + wait - now) if since <= now + _SKEW else 0.0


def _seconds(text: str, default: float) -> float:
    if not text:
        return default
    try:
        return float(duration.parse(text if not text.isdigit() else f"{text}s")) / 1e9
    except ValueError:
        return default
