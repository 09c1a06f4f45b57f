"""Settings and options that nothing reads: misspelt, removed, or written in the wrong place."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from syncline.core.diagnose.repository import setting_problems
from syncline.core.diagnose.repository.option_words import (
    COMPARE_OPTIONS,
    ON_APPLICATIONS,
    ON_OBJECTS,
    Option,
    manifests,
    options,
)
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.settings.nearest import nearest_of
from syncline.core.settings.report import ProblemCode
from syncline.model.desired import DesiredObject
from syncline.model.finding import Edit, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="SET-001",
    name="setting-nobody-reads",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.WARNING}),
    summary="Nothing reads a key in argocd-cm or a related ConfigMap, or a sync or compare option.",
    fix="write the intended setting in the place where it is read, or remove it",
    looks_at=(LooksAt.FILES, LooksAt.SETTINGS),
    why="The setting looks enabled but is not: neither Argo CD nor Syncline complains about unknown keys and options. "
    "Options are case-sensitive.",
    bad="""\
syncPolicy:
  syncOptions: [PruneLast=ture]
""",
    good="""\
syncPolicy:
  syncOptions: [PruneLast=true]
""",
)


@RULE.on(Repo)
def check_settings(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per key that nothing reads."""
    return setting_problems.report(RULE, repo, ProblemCode.UNREAD)


@RULE.on_each(Repo, manifests)
def check_options(_repo: Repo, item: DesiredObject) -> Iterator[Finding]:
    """Yield one finding per option that does not exist, or not there, or not with that value."""
    for option in options(item):
        if option.word not in option.words:
            yield RULE.finding(
                item.key.short,
                _message(option),
                evidence=[Evidence(kind=EvidenceKind.FILE, text=f"{option.where}: {option.word}", place=option.place)],
                fix=_fix(option),
            )


def _message(option: Option) -> str:
    name, equals, value = option.word.partition("=")
    if name in option.known and equals:
        *others, last = option.known[name]
        return f"{name} is {', '.join(others)} or {last}, not {value or 'empty'}: nothing reads it"
    if option.known is not COMPARE_OPTIONS and name in ON_APPLICATIONS:
        return f"{name} is an option of Applications; nothing reads it in {option.where}"
    if option.known is not COMPARE_OPTIONS and name in ON_OBJECTS:
        return f"{name} is an option of single objects; nothing reads it in {option.where}"
    return f"{option.word} is not an option; nothing reads it"


def _fix(option: Option) -> Fix:
    name, equals, value = option.word.partition("=")
    if name in option.known and equals:
        # Only the value is wrong, and a value that is not clearly meant is never suggested.
        near = difflib.get_close_matches(value.lower(), option.known[name], n=1)
        return _written(option, f"{name}={near[0]}") if near else RULE.usual_fix
    meant = nearest_of(option.word, option.words)
    return _written(option, meant) if meant else RULE.usual_fix


def _written(option: Option, word: str) -> Fix:
    edits = (Edit(place=option.place, before=option.word, after=word),) if option.place.line else ()
    return Fix(text=f"write {word}", edits=edits)
