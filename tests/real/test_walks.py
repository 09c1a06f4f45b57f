"""A real kube-apiserver and the sandbox answer requests that were drawn by chance the same way.

A thousand requests in twenty walks; SYNCLINE_WALKS=FIRST-LAST plays those of other seeds. A failure names its seed and
the step. What differs and may is in `KNOWN`, each with its reason.
"""

import os
import re
from typing import Any

import msgspec
import pytest

from tests.contract import embedded, masking, served, walking
from tests.contract.playing import Answer
from tests.contract.steps import Step
from tests.real.cluster import Cluster

REQUESTS = 50
FIRST, LAST = (int(part) for part in os.environ.get("SYNCLINE_WALKS", "0-19").split("-"))
REFUSED = "body.(message|details.causes.*)"
# Reason, the request, the fields that may differ, and what the real server's word there must look like.
KNOWN = (
    (
        "Refusals that quote a whole object leave it out.",
        "PATCH .*",
        REFUSED,
        r'.*patch: Invalid value: "\{.*|.*\{\\".*|.*Invalid value: "map\[.*',
    ),
    (
        "The diff after a refused change is left out.",
        "(PUT|PATCH) .*",
        REFUSED,
        r".*\n@@ -",
    ),
    (
        "Go's own types for texts are told as string.",
        "(POST|PUT|PATCH) .*",
        REFUSED,
        r".*cannot unmarshal \w+ into Go struct field [\w.]+ of type v1\.\w+Mode$",
    ),
    (
        "Of several errors in an applied object some are told in another order.",
        "PATCH .*fieldManager=.*",
        "body.message",
        "failed to create typed patch object .*",
    ),
    (
        "The metadata of a custom object that is not there is not held to its types before that is told.",
        "PUT .*/gauges/.*",
        "(body|status).*",
        "",
    ),
    (
        "A Job or CronJob without its template is told by fewer causes, in another order.",
        "(POST|PUT|PATCH) .*/(jobs|cronjobs).*",
        REFUSED,
        "",
    ),
    ("Cluster addresses come from another network.", ".*/services.*", "body.rows.*cells.*", r"10\."),
    (
        "The real server has no ServiceAccount admission here, which gives pods their account.",
        "(POST|PUT|PATCH) .*/pods.*",
        "body.spec.serviceAccount(Name)?",
        "None",
    ),
    (
        "A Service without a name is refused for its name, not for the address that was made for it.",
        "POST .*/services.*",
        REFUSED,
        ".*failed to allocate IP: .* spec.parentRef.name: Required value|FieldValueInvalid$|spec.clusterIPs$",
    ),
    ("Names of resources in LimitRanges are not checked.", "(POST|PUT|PATCH) .*/limitranges.*", REFUSED, ""),
)


def _is_known(step: Step, path: str, real: Any) -> bool:
    return any(
        re.fullmatch(asked, step.title) and re.fullmatch(field, path) and re.match(text, str(real), re.DOTALL)
        for _, asked, field, text in KNOWN
    )


def surprises(seed: int, right: list[Answer], found: list[Answer]) -> list[str]:
    """Return what differs and may not."""
    steps = walking.walk(seed, REQUESTS).steps
    return [
        f"seed {seed}, step {index}: {step.title} {step.body}: {path}\n  real    {one!r}\n  sandbox {other!r}"
        for index, (step, answer, mine) in enumerate(zip(steps, right, found, strict=True))
        for path, one, other in masking.differences(msgspec.to_builtins(answer), msgspec.to_builtins(mine))
        if not _is_known(step, path, one)
    ]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(FIRST, LAST + 1))
def test_both_servers_answer_a_walk_alike(seed: int, real_cluster: Cluster) -> None:
    story = walking.walk(seed, REQUESTS)
    found = embedded.answers(story)
    right = served.answers(story, real_cluster)
    if any("watch" in step.path for step in story.steps) and surprises(seed, right, found):
        # A busy server may need more than a second to send what it knows.
        right = served.answers(story, real_cluster, watch_seconds=20)
    assert surprises(seed, right, found) == []
