"""Puts what registries said under the findings about images that cannot be pulled, with the tag that must be meant.

Handed answers by `syncline.cli.render.image_check`, which asks where somebody told it to.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence

import msgspec

from syncline.core.assess import Assessment
from syncline.core.diagnose.explain import Explanation
from syncline.core.diagnose.live.around import plural
from syncline.core.diagnose.live.pods import FailingContainer, container_path, failing_containers
from syncline.core.diagnose.live.recorded import NOT_LOOKED
from syncline.core.diagnose.live.written import rewrite
from syncline.core.diagnose.rules.workloads.image_not_found import RULE
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix

_ALIKE = 0.4
_SHOWN = 5


class RegistryAnswer(msgspec.Struct, frozen=True):
    """What a registry says about an image: in words, and which tags it has; none where it has no such repository."""

    words: str
    tags: tuple[str, ...] | None = None


def concerned(explanation: Explanation) -> bool:
    """Whether there is anything to ask a registry about."""
    return any(finding.code == RULE.code for finding in explanation.findings)


def with_answers(
    explanation: Explanation, assessment: Assessment, answers: Mapping[str, RegistryAnswer]
) -> Explanation:
    """Return the explanation with the answers."""
    app = App(assessment, NOT_LOOKED)
    failing = {one.image: one for one in failing_containers(app)}
    findings = []
    for finding in explanation.findings:
        image = _image(finding, answers) if finding.code == RULE.code else ""
        findings.append(_with_answer(app, finding, image, answers[image], failing.get(image)) if image else finding)
    return msgspec.structs.replace(explanation, findings=tuple(findings))


def _image(finding: Finding, answers: Mapping[str, RegistryAnswer]) -> str:
    return next((image for image in answers if f"image {image} of container" in finding.message), "")


def _with_answer(
    app: App, finding: Finding, image: str, answer: RegistryAnswer, failing: FailingContainer | None
) -> Finding:
    told = Evidence(kind=EvidenceKind.MESSAGE, text=f"{answer.words}{_there(image, answer)}")
    fix = _fix(app, image, answer, failing)
    if fix is None:
        return msgspec.structs.replace(finding, evidence=(*finding.evidence, told))
    before = [finding.fix] if finding.fix is not None else []
    return msgspec.structs.replace(
        finding, evidence=(*finding.evidence, told), fix=fix, options=(*before, *finding.options)
    )


def _there(image: str, answer: RegistryAnswer) -> str:
    """Return what there is instead, in words."""
    if answer.tags is None:
        return ""
    if not answer.tags:
        return "; its repository does not exist, or is private"
    near = nearest_tags(_tag(image), answer.tags)[:_SHOWN]
    shown = near or sorted(answer.tags, key=_natural, reverse=True)[:_SHOWN]
    sort = "nearest" if near else "newest by name"
    return f"; it has {plural(len(answer.tags), 'tag')}, {sort}: {', '.join(shown)}"


def _fix(app: App, image: str, answer: RegistryAnswer, failing: FailingContainer | None) -> Fix | None:
    near = nearest_tags(_tag(image), answer.tags or ())
    path = container_path(app, failing.of.root, failing.trouble.container) if failing else ""
    if not near or failing is None or not path:
        return None
    name = image.partition("@")[0].removesuffix(f":{_tag(image)}")
    return rewrite(app, failing.of.root, f"{path}.image", f"{name}:{near[0]}", remark="the nearest tag of the registry")


def nearest_tags(wanted: str, tags: Sequence[str]) -> list[str]:
    """Return the tags that are most like one that is not there, of equally near ones the newest first."""
    scored = [(difflib.SequenceMatcher(None, wanted, tag).ratio(), _natural(tag), tag) for tag in tags]
    return [tag for ratio, _order, tag in sorted(scored, reverse=True) if ratio >= _ALIKE]


def _natural(tag: str) -> list[tuple[int, str]]:
    """Return what sorts 1.10 behind 1.9."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", tag) if part]


def _tag(image: str) -> str:
    name, _at, digest = image.partition("@")
    last = name.rpartition("/")[2]
    return digest or last.partition(":")[2] or "latest"
