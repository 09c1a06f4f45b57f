"""All workload stories, and where what was seen on a real control plane is recorded."""

from __future__ import annotations

import json
import pathlib
from typing import Any

from tests.workloads import around, batch, rollouts, sets
from tests.workloads.steps import Json, Story

FOLDER = pathlib.Path(__file__).parent / "recorded"
STORIES: tuple[Story, ...] = (*rollouts.STORIES, *sets.STORIES, *batch.STORIES, *around.STORIES)


def recorded(story: Story) -> Json:
    """Return what was seen on the real control plane."""
    found: Json = json.loads((FOLDER / f"{story.name}.json").read_bytes())
    found.pop("recorded")
    return found


def record(story: Story, seen: Json, day: str, version: str) -> None:
    """Write what was seen, with the day and the version of the control plane."""
    FOLDER.mkdir(exist_ok=True)
    content: dict[str, Any] = {"recorded": f"{day} kubernetes {version}", **seen}
    (FOLDER / f"{story.name}.json").write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")
