"""Times the way from a snapshot to its diagnosis, for a fleet in which many apps are red for few reasons.

Run: python -m bench diagnose.reasoning
Goals: 200 apps and 5,000 objects within 1 s; 10,000 apps and 200,000 objects within 20 s with reading the file.
"""

from __future__ import annotations

import resource
import time
from typing import Any

import msgspec

from bench.rows import Row
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model.fleet import ClusterSnapshot, FleetSnapshot
from tests.support import planted
from tests.support.sick_fleet import NOW, SERVER, Fleet

SMALL = (200, 5_000)
LARGE = (10_000, 200_000)
_FAULTS = (
    planted.image_tag,
    planted.missing_secret,
    planted.selector,
    planted.bad_config,
    planted.quota,
    planted.missing_kind,
    planted.store,
    planted.wrong_host,
)
_RED = 0.3


def fleet(apps: int, objects: int) -> FleetSnapshot:
    """Return a fleet with a third of its apps red, each group of a hundred for one reason, and many plain objects."""
    pieces: list[dict[str, Any]] = []
    for number in range(apps // 100):
        part = Fleet()
        names = [f"app-{number}-{each}" for each in range(100)]
        for name in names:
            part.app(name)
            part.deploy(name, app=name)
        for name in names[: int(100 * _RED)]:
            _FAULTS[number % len(_FAULTS)](part, name)
        found = part.snapshot().clusters[0].objects
        pieces += found if not number else [one for one in found if one["metadata"]["name"].startswith("app-")]
    for number in range(objects - len(pieces)):
        metadata = {"name": f"extra-{number}", "namespace": f"space-{number % 50}", "uid": f"extra-{number}"}
        pieces.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "b" * 200}})
    cluster = ClusterSnapshot(name="prod", server=SERVER, objects=tuple(pieces[:objects]))
    return FleetSnapshot(as_of=NOW, origin="a benchmark", clusters=(cluster,))


def measure(apps: int, objects: int) -> tuple[float, float, int]:
    """Return processor seconds for reading the file and for reasoning, and how many causes there are."""
    text = msgspec.json.encode(fleet(apps, objects))
    begin = time.process_time()
    snapshot = msgspec.json.decode(text, type=FleetSnapshot)
    read = time.process_time()
    found = diagnose(snapshot)
    return read - begin, time.process_time() - read, len(found.causes)


def rows() -> list[Row]:
    """Return the rows of this benchmark."""
    found = []
    for (apps, objects), limit in ((SMALL, 1.0), (LARGE, 20.0)):
        reading, reasoning, causes = measure(apps, objects)
        name = f"diagnose {apps:,} apps, {objects:,} objects, {causes} causes"
        found.append(Row(name=name, figure=reading + reasoning, unit="s", raw=reading, raw_is="reading", at_most=limit))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 / 1024
    found.append(Row(name="most memory, with the fleet that was made", figure=peak, unit="GiB", at_most=4.0))
    return found
