"""What could not be read or worked with, sorted by what it is about.

Shared by the rules on sources, Applications and comparing. A snapshot has such complaints as sentences; what they are
about shows in Argo CD's words for it, which people search for and which therefore never change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from functools import partial

from syncline.apimachinery.keys import GroupKind
from syncline.core.diagnose.live import around
from syncline.core.diagnose.live.delivered import by_application
from syncline.core.diagnose.messages import source_fixes, spec_fixes
from syncline.core.diagnose.rule import Rule
from syncline.core.diagnose.subjects import App
from syncline.model import names
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix
from syncline.model.reason import Reason

_PROJECTS = GroupKind(names.GROUP, "AppProject")


class About(Enum):
    """What a complaint is about."""

    REVISION = auto()
    PATH = auto()
    SOURCE = auto()
    PERMISSION = auto()
    NAMESPACE = auto()
    SPEC = auto()
    CLUSTER = auto()
    COMPARISON = auto()


_OF_REASON = {
    Reason.SOURCE_FAILED: About.SOURCE,
    Reason.RENDER_BACKOFF: About.SOURCE,
    Reason.SPEC_INVALID: About.SPEC,
    Reason.CLUSTER_UNREACHABLE: About.CLUSTER,
}
_WORDS = {
    About.SOURCE: (
        (About.REVISION, re.compile(r"unable to resolve '.*' to a commit SHA")),
        (About.PATH, re.compile(r"app path does not exist|open .*: no such file in ")),
    ),
    About.SPEC: (
        (About.NAMESPACE, re.compile(r"^Namespace for .* is missing\.")),
        (
            About.PERMISSION,
            re.compile(
                r"is not permitted (in|to use) project|allowed destinations in project"
                r"|referencing project .* which does not exist"
                r"|permits only clusters of its own|so apps of project .* are not delivered to it"
            ),
        ),
    ),
}


def report(rule: Rule, app: App, about: About) -> Iterator[Finding]:
    """Yield a finding of a rule for each complaint of its sort, in the words of whoever complained."""
    for message in _messages(app, about):
        text, commit = source_fixes.shortened(message)
        # Evidence that the message says already is not shown twice.
        said = commit or text
        yield rule.finding(
            app.assessment.app.metadata.name,
            text,
            evidence=[Evidence(kind=EvidenceKind.MESSAGE, text=said)],
            confidence=Confidence.DECLARED if about in (*_OF_REASON.values(), About.COMPARISON) else Confidence.TEXT,
            fix=_fix(app, about, text) or rule.usual_fix,
        )


def _fix(app: App, about: About, text: str) -> Fix | None:
    if about in (About.REVISION, About.PATH, About.SOURCE):
        return source_fixes.fix(app.assessment.app.spec, partial(by_application, app), text)
    if about in (About.PERMISSION, About.SPEC):
        projects = [key.name for key, _obj in around.of_kind(app, _PROJECTS, app.assessment.app.metadata.namespace)]
        return spec_fixes.fix(app.assessment.app.spec, partial(by_application, app), projects, text)
    return None


def _messages(app: App, about: About) -> Iterator[str]:
    troubles = app.assessment.snapshot.troubles
    for trouble in troubles:
        if _closer(_OF_REASON[trouble.reason], trouble.message) is about:
            yield trouble.message
    told = {trouble.message for trouble in troubles}
    for condition in app.assessment.comparison.conditions:
        if condition.is_error and condition.message not in told:
            broad = About.COMPARISON if condition.type == "ComparisonError" else About.SPEC
            if _closer(broad, condition.message) is about:
                yield condition.message


def _closer(broad: About, message: str) -> About:
    return next((about for about, words in _WORDS.get(broad, ()) if words.search(message)), broad)
