"""What the apps of each story showed with the real Argo CD, and the rows that are not as the story tells, with why.

Recorded by `tests/argocd/test_stories.py`, read by `tests/unit/scenarios/test_by_argocd.py`.
"""

import datetime as dt
import json
import os
import pathlib
from collections import Counter
from typing import NamedTuple

from syncline.cli.scenario import comparing
from syncline.scenarios.story import Story

FILE = pathlib.Path(__file__).parents[1] / "fixtures" / "stories" / "by_argocd.json"
_ONE_ABSENT = "until 3.4 one object that is not there made an app Missing: controller/health.go of v3.2.11"
_UNCHECKED = "until 3.4 an object that is not there made no app Missing if it has no health check: the same"
_UNSYNCED = ("data-migrations", "platform-backstage", "platform-plausible-seed")


class Known(NamedTuple):
    """A row that Argo CD 3.2.11 shows otherwise: what it shows, what the story tells, and why."""

    shown: str
    told: str
    why: str


KNOWN: dict[str, dict[str, Known]] = {
    "ameide": {
        f"{where}-{name}": Known("OutOfSync Healthy", "OutOfSync Missing", _UNCHECKED)
        for where in ("staging", "production")
        for name in _UNSYNCED
    },
    "kubeflow": {
        "kubeflow-common-services": Known(
            "OutOfSync Missing InvalidSpecError SharedResourceWarning",
            "OutOfSync Healthy InvalidSpecError SharedResourceWarning",
            _ONE_ABSENT,
        )
    },
    "self-healing": {"workbench": Known("OutOfSync Missing", "OutOfSync Progressing", _ONE_ABSENT)},
}
"""By story and app."""


def recorded() -> dict[str, dict[str, str]]:
    """Return what was recorded, by story and app."""
    found: dict[str, dict[str, str]] = json.loads(FILE.read_text())["stories"]
    return found


def record_if_asked(name: str, rows: dict[str, str]) -> None:
    """Write down what the apps of a story showed, where SYNCLINE_RECORD is set."""
    if os.environ.get("SYNCLINE_RECORD"):
        from tests.argocd.build import VERSION

        stories = {**(recorded() if FILE.exists() else {}), name: dict(sorted(rows.items()))}
        content = {"referee": f"Argo CD {VERSION}", "recorded": dt.datetime.now(dt.UTC).date().isoformat()}
        FILE.parent.mkdir(exist_ok=True)
        FILE.write_text(json.dumps({**content, "stories": dict(sorted(stories.items()))}, indent=1) + "\n")


def unexplained(story: Story, rows: dict[str, str]) -> list[str]:
    """Return where the apps do not show what the story tells: of every row, and of the counts."""
    known = KNOWN.get(story.name, {})
    found = []
    told = dict(rows)
    for app, row in known.items():
        if not rows.get(app, "").startswith(row.shown):
            found.append(f"{app} is known to show {row.shown} and shows {rows.get(app)}")
        told[app] = row.told
    found += comparing.rows(story.seen.apps, told)
    return found + list(comparing.statuses(story.seen, Counter(_statuses(told))))


def _statuses(rows: dict[str, str]) -> list[tuple[str, str]]:
    return [(sync, health) for sync, health, *_conditions in (words.split() for words in rows.values())]
