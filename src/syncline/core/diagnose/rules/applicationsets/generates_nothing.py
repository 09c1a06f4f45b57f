"""ApplicationSets that fail or generate nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.repository.pointing import at, dig, entries, field_texts
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoSet
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="APS-001",
    name="generates-nothing",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.WARNING}),
    summary="An ApplicationSet generates no Application, or fails.",
    fix="correct the generator: its path, selector or elements",
    looks_at=(LooksAt.FILES, LooksAt.LIVE),
    why="It creates no Application, and existing ones are deleted unless the set's policy forbids it.",
)

_TEMPLATE = re.compile(r"template (\{\{.*?\}\})")
_NO_FUNCTION = re.compile(r'(function "\w+" not defined) \(did you mean [^)]*\)')
_NO_DOT = re.compile(r'failed to parse template .*function "(\w+)" not defined')


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield a finding per set; an empty one is a warning, since it may be meant."""
    for one in repo.sets:
        if one.unknown or one.apps:
            continue
        if one.problem:
            evidence = [at(one.manifest, _template_field(one) or "spec.generators", str(one))]
            yield RULE.finding(str(one), f"{one}: {_words(one.problem)}", evidence=evidence, fix=_fix(one.problem))
        else:
            globs_of = list(_globs(dig(one.manifest.obj, "spec", "generators"), "spec.generators"))
            found = f": nothing matches {listed([text for _, text in globs_of])}" if globs_of else ""
            evidence = [at(one.manifest, path, text) for path, text in globs_of]
            evidence = evidence or [at(one.manifest, "spec.generators", str(one))]
            message = f"{one} generates no Application{found}"
            yield RULE.finding(str(one), message, evidence=evidence, fix=RULE.usual_fix, severity=Severity.WARNING)


def _globs(generators: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield what git generators look for, also inside of other generators, with its field."""
    for number, one in enumerate(generators if isinstance(generators, list) else ()):
        for field in ("directories", "files"):
            for index, wanted in enumerate(entries(one, "git", field)):
                if not wanted.get("exclude"):
                    yield f"{path}[{number}].git.{field}[{index}].path", str(wanted.get("path"))
        for field in ("matrix", "merge"):
            yield from _globs(dig(one, field, "generators"), f"{path}[{number}].{field}.generators")


def _template_field(one: RepoSet) -> str:
    """Return the field of the template that cannot be filled in, by the text that the problem quotes."""
    quoted = _TEMPLATE.search(one.problem)
    texts = field_texts(dig(one.manifest.obj, "spec", "template"), "spec.template") if quoted else ()
    return next((path for path, text in texts if quoted and quoted[1] in text), "")


def _words(problem: str) -> str:
    return _NO_FUNCTION.sub(r"\1", problem)


def _fix(problem: str) -> Fix:
    """Return what to write, where a parameter has no dot; else how to correct a set that fails."""
    plain = _NO_DOT.search(problem)
    if plain is not None:
        dotted = {"path": "path.path"}.get(plain[1], plain[1])
        return Fix(text=f"write {{{{ .{dotted} }}}}: with goTemplate, parameters begin with a dot")
    if _TEMPLATE.search(problem):
        return Fix(text="give every element the parameter, or correct its name in the template")
    return RULE.usual_fix
