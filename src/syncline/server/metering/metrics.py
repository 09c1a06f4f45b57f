"""What a Prometheus scrapes: how many Applications are in which state, and each cause of the published diagnosis.

Served by `syncline.server.routes.metrics` beside Argo CD's figures, from the live view alone. A cause is a series for
as long as it lasts, named by its id, so that one alert fires once for each cause and not for each Application.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from syncline.apimachinery.keys import Object
from syncline.model.published import KIND, PublishedDiagnosis

MEDIA = "text/plain; version=0.0.4; charset=utf-8"
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def exposition(objects: Iterable[Object]) -> str:
    """Return the text of all metrics, made of Applications and Diagnoses."""
    apps: Counter[tuple[str, str]] = Counter()
    lines: list[str] = []
    for obj in objects:
        if obj.get("kind") == KIND.kind:
            lines += _of_diagnosis(obj)
        else:
            apps[_word(obj, "sync"), _word(obj, "health")] += 1
    head = ["# HELP syncline_applications Applications by status.", "# TYPE syncline_applications gauge"]
    counted = [
        _sample("syncline_applications", count, {"sync_status": sync, "health_status": health})
        for (sync, health), count in sorted(apps.items())
    ]
    return "\n".join((*head, *counted, *lines)) + "\n"


def _word(app: Object, part: str) -> str:
    status: Any = app.get("status")
    found = status.get(part) if isinstance(status, dict) else None
    return str(found.get("status") or "Unknown") if isinstance(found, dict) else "Unknown"


def _of_diagnosis(obj: Object) -> Iterator[str]:
    try:
        status = msgspec.convert(obj, PublishedDiagnosis).status
    except msgspec.ValidationError:
        return
    yield "# HELP syncline_diagnosis_cause Applications behind a cause, for as long as it lasts."
    yield "# TYPE syncline_diagnosis_cause gauge"
    for one in status.causes:
        labels = {"id": one.id, "code": one.code, "name": one.name, "object": one.object, "cluster": one.cluster}
        yield _sample("syncline_diagnosis_cause", one.affected, labels)
    for name, words, value in (
        ("causes", "Causes that were found.", status.found),
        ("not_ok", "Applications that are not in order.", status.applications - status.ok),
        ("unexplained", "Applications of which nobody can tell why they are not in order.", status.unexplained),
    ):
        yield f"# HELP syncline_diagnosis_{name} {words}"
        yield f"# TYPE syncline_diagnosis_{name} gauge"
        yield _sample(f"syncline_diagnosis_{name}", value, {})


def _sample(name: str, value: int, labels: Mapping[str, str]) -> str:
    shown = ",".join(f'{label}="{text.translate(_ESCAPES)}"' for label, text in labels.items())
    return f"{name}{{{shown}}} {value}" if shown else f"{name} {value}"
