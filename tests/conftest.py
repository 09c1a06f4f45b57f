"""Settings that hold for every test."""

import gc
import os

from hypothesis import HealthCheck, settings

# The same examples in every run, so that a red run is about the change at hand; SYNCLINE_EXPLORE=1 looks for new ones.
# Machines are noisy: how long an example takes says nothing.
settings.register_profile(
    "steady",
    deadline=None,
    derandomize=not os.environ.get("SYNCLINE_EXPLORE"),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

# Thousands of tests keep their modules and tables alive: looking through them for garbage so often only costs time.
gc.set_threshold(50_000, 20, 100)
