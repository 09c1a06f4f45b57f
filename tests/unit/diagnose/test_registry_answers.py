"""What a registry said becomes the edit that names the tag that must be meant, and never a guess."""

from typing import Any

import pytest

from syncline.core.decide import decide
from syncline.core.diagnose.explain import explain
from syncline.core.diagnose.findings.registry_answers import RegistryAnswer, nearest_tags, with_answers
from syncline.model.desired import Desired
from syncline.model.finding import Finding
from tests.support.objects import as_applied, assessed, deployment, desired, tracked


def answered(image: str, tags: tuple[str, ...] | None) -> Finding:
    """Return the finding about an image that cannot be pulled, after a registry said which tags there are."""
    value = deployment(image=image)
    live = as_applied(tracked(value))
    live["metadata"] |= {"uid": "d", "resourceVersion": "1"}
    waiting = {"waiting": {"reason": "ImagePullBackOff", "message": f'Back-off pulling image "{image}"'}}
    container = value["spec"]["template"]["spec"]["containers"][0]
    pod: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "web-1",
            "namespace": live["metadata"]["namespace"],
            "uid": "p",
            "resourceVersion": "2",
            "ownerReferences": [{"uid": "d", "kind": "Deployment", "name": "web", "apiVersion": "apps/v1"}],
        },
        "spec": {"containers": [container]},
        "status": {"phase": "Pending", "containerStatuses": [{"name": container["name"], "state": waiting}]},
    }
    wanted: Desired = desired(value)
    assessment = assessed(wanted=wanted, live=[live, pod])
    explanation = explain(assessment, decide(assessment, ()))
    found = with_answers(explanation, assessment, {image: RegistryAnswer("the registry has no such tag", tags)})
    return next(finding for finding in found.findings if finding.code == "WKL-002")


def test_the_nearest_tag_is_the_fix_and_the_decision_stays_an_option() -> None:
    finding = answered("registry.example/web:1.4.22", ("1.3.0", "1.4.2", "1.4.1", "latest"))
    assert finding.fix is not None
    assert "registry.example/web:1.4.2" in (finding.fix.text or str(finding.fix.edits))
    assert finding.evidence[-1].text.startswith("the registry has no such tag; it has 4 tags, nearest: 1.4.2, 1.4.1")
    assert len(finding.options) >= 1


@pytest.mark.parametrize(
    ("tags", "words"),
    [
        (None, "the registry has no such tag"),
        ((), "the registry has no such tag; its repository does not exist, or is private"),
        (("stable",), "the registry has no such tag; it has 1 tag, newest by name: stable"),
    ],
)
def test_without_a_near_tag_nothing_is_proposed(tags: tuple[str, ...] | None, words: str) -> None:
    finding = answered("registry.example/web:1.4.22", tags)
    assert finding.evidence[-1].text == words
    assert finding.fix is None or "nearest tag" not in finding.fix.text


@pytest.mark.parametrize(
    ("wanted", "tags", "first"),
    [
        ("1.5", ["0.9", "1.3", "1.4"], "1.4"),
        ("v1.10", ["v1.2", "v1.9", "v1.1"], "v1.1"),
        ("2.0.0", ["1.9.0", "1.10.0"], "1.10.0"),
        ("main", ["sha-1234"], None),
    ],
)
def test_tags_are_ranked_by_likeness_and_then_by_version(wanted: str, tags: list[str], first: str | None) -> None:
    assert next(iter(nearest_tags(wanted, tags)), None) == first
