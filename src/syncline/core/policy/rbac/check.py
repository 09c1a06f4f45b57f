"""What is wrong with policies: lines that cannot be read, and lines that can be read and never do what they seem to.

Asked by `syncline.verbs.rights`. Argo CD refuses only the first kind; the others are warnings here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from syncline.apimachinery.nearest import did_you_mean
from syncline.core.policy.rbac import builtin, lines, words
from syncline.core.policy.rbac.enforcer import Enforcer, RbacRequest, pattern_error
from syncline.core.policy.rbac.lines import PolicyLine, PolicyProblem
from syncline.core.policy.rbac.rights import PolicySource, project_texts
from syncline.model.project import AppProject
from syncline.model.settings.parts import MatchMode

_PATTERN = set("*?[]{}\\^$.|()+")


def problems(source: PolicySource, projects: Iterable[AppProject] = ()) -> list[PolicyProblem]:
    """Return all that is wrong with policies and roles of projects, what cannot be read first."""
    texts = [text for project in projects for text in project_texts(project)]
    found, unreadable = lines.read([*source.texts, *texts])
    mistakes = [
        PolicyProblem(line.place, message, fatal=False, hint=hint)
        for line in found
        for message, hint in _mistakes(line, source.mode)
    ]
    return [*unreadable, *mistakes, *_empty_roles(found, source)]


def _mistakes(line: PolicyLine, mode: MatchMode) -> Iterator[tuple[str, str]]:
    for field in line.fields:
        if field != field.rstrip():
            yield f"'{field}' ends with a blank, which belongs to the name: {line}", "remove the blank before the comma"
    if line.kind == "g":
        return
    _, resource, action, name, effect = line.fields
    if effect not in ("allow", "deny"):
        hint = did_you_mean(effect, ("allow", "deny")) or "it is allow or deny"
        yield f"the effect '{effect}' is unknown, so this line does nothing: {line}", hint
    for field in (resource, action, name):
        if error := pattern_error(field, mode):
            result = "matches nothing" if mode is MatchMode.GLOB else "denies every request that gets to it"
            yield f"'{field}' cannot be read and {result}: {error}", "correct the pattern"
    yield from _unknown_words(resource, action, mode)
    if resource in words.ALWAYS_IN_PROJECTS and name != "*" and "/" not in name and not _is_pattern(name, mode):
        yield f"'{name}' never matches: objects of {resource} are PROJECT/NAME", f"write {name}/* or */{name}"


def _unknown_words(resource: str, action: str, mode: MatchMode) -> Iterator[tuple[str, str]]:
    if pattern_error(resource, mode) or pattern_error(action, mode):
        return
    chosen = [known for known in words.ACTIONS if _covers(resource, known, mode)]
    if not chosen:
        near = did_you_mean(resource, words.ACTIONS) or f"known: {', '.join(sorted(words.ACTIONS))}"
        yield f"the resource '{resource}' is unknown", near
        return
    verb, slash, _ = action.partition("/")
    if any(words.action_known(known, action) for known in chosen) or _is_pattern(verb, mode):
        return
    known = sorted(set().union(*(words.ACTIONS[one] for one in chosen)))
    if slash and verb in known:
        yield f"'{action}': only {', '.join(sorted(words.WITH_PATH))} of applications go on to objects", ""
    else:
        yield (
            f"the action '{action}' is unknown for {resource}",
            did_you_mean(verb, known) or f"known: {', '.join(known)}",
        )


def _covers(pattern: str, value: str, mode: MatchMode) -> bool:
    line = PolicyLine("p", ("x", pattern, "*", "*", "allow"))
    if mode is MatchMode.REGEX:
        line = PolicyLine("p", ("x", pattern, ".*", ".*", "allow"))
    return Enforcer([line], mode).decide(RbacRequest("x", value, "get")).allowed


def _is_pattern(text: str, mode: MatchMode) -> bool:
    special = _PATTERN if mode is MatchMode.REGEX else _PATTERN - set("^$.|()+")
    return bool(special & set(text))


def _empty_roles(found: Sequence[PolicyLine], source: PolicySource) -> Iterator[PolicyProblem]:
    everything = (*builtin.LINES, *found)
    known = _with_lines(everything)
    roles = Enforcer(everything).reached
    for line in found:
        if line.kind == "g" and not known & set(roles(line.fields[1])):
            near = did_you_mean(line.fields[1], known)
            yield PolicyProblem(
                line.place,
                f"'{line.fields[1]}' has no policy, so {line.fields[0]} gets nothing",
                fatal=False,
                hint=near or f"add p, {line.fields[1]}, …",
            )
    if source.default_role and not known & set(roles(source.default_role)):
        hint = did_you_mean(source.default_role, known)
        yield PolicyProblem(
            "policy.default", f"'{source.default_role}' has no policy, so it allows nothing", fatal=False, hint=hint
        )


def _with_lines(everything: Iterable[PolicyLine]) -> set[str]:
    return {line.fields[0] for line in everything if line.kind == "p"}
