"""All stories, and where the real server's answers to them are recorded."""

from __future__ import annotations

import pathlib

import msgspec

from tests.contract import (
    admission,
    allocation,
    changes,
    clients,
    cluster,
    columns,
    config,
    costs,
    custom,
    disruption,
    families,
    granting,
    oddities,
    others,
    policies,
    policing,
    reading,
    refusals,
    rules,
    schemas,
    strict,
    talking,
    versions,
    walked,
    workloads,
)
from tests.contract.playing import Answer
from tests.contract.steps import Story

FOLDER = pathlib.Path(__file__).parent / "recorded"
STORIES: tuple[Story, ...] = (
    *config.STORIES,
    *reading.STORIES,
    *workloads.STORIES,
    *others.STORIES,
    *custom.STORIES,
    *schemas.STORIES,
    *rules.STORIES,
    *costs.STORIES,
    *families.STORIES,
    *admission.STORIES,
    *disruption.STORIES,
    *refusals.STORIES,
    *changes.STORIES,
    *policies.STORIES,
    *policing.STORIES,
    *versions.STORIES,
    *cluster.STORIES,
    *allocation.STORIES,
    *granting.STORIES,
    *strict.STORIES,
    *oddities.STORIES,
    *talking.STORIES,
    *walked.STORIES,
    *clients.STORIES,
    *columns.STORIES,
)


def recorded(story: Story) -> list[Answer]:
    """Return what the real server answered, one answer per line of its file."""
    lines = (FOLDER / f"{story.name}.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Answer) for line in lines]


def record(story: Story, answers: list[Answer]) -> None:
    """Write the answers of a real server."""
    FOLDER.mkdir(exist_ok=True)
    lines = [msgspec.json.encode(answer, order="sorted") for answer in answers]
    (FOLDER / f"{story.name}.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
