"""Reasons over what was gathered, and makes the report that every format shows.

Used by `syncline.cli.diagnose.command`, once or again and again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from syncline.cli.diagnose.gathering import Gathered
from syncline.cli.show.diagnosis.report import Report

if TYPE_CHECKING:
    from datetime import datetime

    from syncline.model.diagnosis import Thing
    from syncline.model.fleet import FleetSnapshot

_APPLICATION = "Application"


def reported(gathered: Gathered, *, is_live: bool, with_logs: bool, about: Thing | None = None) -> Report:
    """Return the report on a fleet, or on one thing in it; the time of a dump is when it was made."""
    from syncline import wiring
    from syncline.core.diagnose.graph.diagnose import diagnose

    clock = wiring.clock()
    begun = clock.monotonic()
    found = diagnose(gathered.snapshot, about)
    seconds = clock.monotonic() - begun
    states = _states(gathered.snapshot)
    return Report(
        diagnosis=found,
        words=gathered.words,
        read_seconds=gathered.seconds,
        seconds=seconds,
        now=clock.now() if is_live else _moment(gathered.snapshot.as_of, clock.now()),
        counted="object" if about is not None else "app" if states else "workload",
        states=states,
        home=gathered.snapshot.clusters[0].name if gathered.snapshot.clusters else "",
        secrets_read=any(one.secrets_listed for one in gathered.snapshot.clusters),
        with_logs=with_logs,
    )


def _moment(text: str, otherwise: datetime) -> datetime:
    from syncline.apimachinery import times

    try:
        return times.parse(text)
    except times.InvalidTime:
        return otherwise


def _states(snapshot: FleetSnapshot) -> dict[str, str]:
    """Return how each Application stands, as far as that is not good: `OutOfSync, Degraded`."""
    from syncline.apimachinery import meta
    from syncline.cli.show.words import sync_and_health
    from syncline.model import names

    found = {}
    for cluster in snapshot.clusters[:1]:
        for obj in cluster.objects:
            if obj.get("kind") == _APPLICATION and obj.get("apiVersion") == names.API_VERSION:
                sync, health = sync_and_health(obj)
                wrong = [word for word, good in ((sync, "Synced"), (health, "Healthy")) if word != good]
                found[f"{meta.namespace(obj)}/{meta.name(obj)}"] = ", ".join(wrong) or "Synced, Healthy"
    return found
