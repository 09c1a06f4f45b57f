"""What the apps of each story showed with the real Argo CD, and the rows that are not as the story tells, with why.

Recorded by `tests/argocd/test_stories.py`, read by `tests/unit/scenarios/test_by_argocd.py`.
"""

import datetime as dt
import json
import os
import pathlib
from collections import Counter

from syncline.cli.scenario import comparing
from syncline.scenarios.story import Story

FILE = pathlib.Path(__file__).parents[1] / "fixtures" / "stories" / "by_argocd.json"
_MISSING = "until 3.4 one object that is not there made an app Missing: controller/health.go of v3.2.11"
KNOWN: dict[str, dict[str, tuple[str, str]]] = {
    "kubeflow": {"kubeflow-common-services": ("OutOfSync Missing InvalidSpecError SharedResourceWarning", _MISSING)},
    "self-healing": {"workbench": ("OutOfSync Missing", _MISSING)},
}
"""By story and app: what Argo CD 3.2.11 shows instead, and why that is not what the story tells."""


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
    for app, (shown, _why) in known.items():
        if not rows.get(app, "").startswith(shown):
            found.append(f"{app} is known to show {shown} and shows {rows.get(app)}")
        told[app] = story.seen.apps[app]
    found += comparing.rows(story.seen.apps, told)
    return found + list(comparing.statuses(story.seen, Counter(_statuses(told))))


def _statuses(rows: dict[str, str]) -> list[tuple[str, str]]:
    return [(sync, health) for sync, health, *_conditions in (words.split() for words in rows.values())]
