"""What the soak says about its samples; nothing runs for minutes here."""

from __future__ import annotations

import pytest

from bench import soak


def samples(*resident: float) -> list[soak.Sample]:
    return [soak.Sample(float(minute), minute * 50, size, 80.0, 3000, 0) for minute, size in enumerate(resident, 1)]


@pytest.mark.parametrize(
    ("resident", "flat", "slope"),
    [
        # Caches fill first: only the second half counts.
        ((100, 150, 200, 200, 200, 200), True, "+0.00"),
        ((200, 200, 200, 205, 210, 215), False, "+5.00"),
    ],
)
def test_the_verdict_is_the_slope_of_the_second_half(resident: tuple[float, ...], flat: bool, slope: str) -> None:
    found, line = soak.verdict(samples(*resident))
    assert (found, f"resident {slope} MiB a minute" in line) == (flat, True)


def test_two_minutes_are_too_short_for_a_verdict() -> None:
    assert soak.verdict(samples(1, 2)) == (False, "too short for a verdict: at least 3 minutes are needed")
