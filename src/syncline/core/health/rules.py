"""Turns a `health.yaml` into a check: the first rule that fits says how healthy the object is.

`syncline.core.health.knowledge` hands over the text of a file, keeps the check and calls it per object. A file that
cannot be used is refused as a whole, with the line: a rule that is silently left out would let an object pass as
Healthy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object
from syncline.core.health import rule_matches, rule_values
from syncline.core.health.rule_values import Found, InvalidRule
from syncline.model.finding import Evidence, EvidenceKind
from syncline.model.health import Health, HealthCode

Check = Callable[[Object], Health]
_FILE_WORDS = {"about", "source", "rules", "like"}
SOURCES = ("argo-cd case", "argo-cd proposal", "operator documentation", "convention")
"""Where the truth of a file comes from, surest first."""
_RULE_WORDS = {"if", "status", "reason", "message", "evidence"}
_NOTHING: Found = ("", None, None)


class RuleFile(msgspec.Struct, frozen=True):
    """A file that was read: its own check, or the kind (`group/Kind`) whose rules hold here too."""

    about: str
    source: str
    check: Check | None = None
    like: str = ""


def read(text: str, source: str) -> RuleFile:
    """Compile a rule file; raises YamlError with file and line if it cannot be used."""
    documents = yaml.load_documents(text, source=source)
    if len(documents) != 1:
        raise yaml.YamlError("a rule file holds exactly one document", source=source)
    document = documents[0]
    place: list[str | int] = []
    try:
        return _file(document.value, place)
    except InvalidRule as error:
        position = document.position_or_parent(tuple(place))
        raise yaml.YamlError(str(error), source=source, line=position.line, column=position.column) from None


def _file(value: Any, place: list[str | int]) -> RuleFile:
    if not isinstance(value, dict) or not set(value) <= _FILE_WORDS or not isinstance(value.get("about"), str):
        raise InvalidRule("a rule file has about, source, and rules or like")
    about, source, like, written = value["about"], value.get("source"), value.get("like"), value.get("rules")
    if source not in SOURCES:
        raise InvalidRule(f"source is one of {', '.join(SOURCES)}")
    if (like is None) is (written is None):
        raise InvalidRule("a rule file has either rules or like")
    if like is not None:
        if not isinstance(like, str) or like.count("/") != 1:
            raise InvalidRule("like names another kind: group/Kind")
        return RuleFile(about, source, like=like)
    if not isinstance(written, list) or not written:
        raise InvalidRule("rules is a list of at least one rule")
    compiled = []
    for index, rule in enumerate(written):
        place[:] = ["rules", index]
        compiled.append(_rule(rule, last=index == len(written) - 1, place=place))
    return RuleFile(about, source, _first_of(compiled))


Rule = tuple[rule_matches.Match | None, Callable[[Object, Found], Health]]


def _rule(rule: Any, *, last: bool, place: list[str | int]) -> Rule:
    if not isinstance(rule, dict):
        raise InvalidRule("a rule is a mapping")
    if unknown := sorted(set(rule) - _RULE_WORDS):
        raise InvalidRule(f"{', '.join(unknown)} is not known in a rule; known are {', '.join(sorted(_RULE_WORDS))}")
    if last is ("if" in rule):
        raise InvalidRule("the last rule has no if, so that every object gets an answer; all others have one")
    place.append("if")
    match = None if last else rule_matches.compile_match(rule["if"])
    place.pop()
    return match, _outcome(rule)


def _outcome(rule: dict[str, Any]) -> Callable[[Object, Found], Health]:
    status = rule.get("status")
    if status not in set(HealthCode):
        raise InvalidRule(f"status is one of {', '.join(HealthCode)}")
    for word in ("reason", "message", "evidence"):
        if not isinstance(rule.get(word, ""), str):
            raise InvalidRule(f"{word} is a string")
    if status != HealthCode.HEALTHY and not rule.get("reason"):
        raise InvalidRule("a rule that does not say Healthy needs a reason")
    texts = f"{rule.get('reason', '')}{rule.get('message', '')}"
    if rule_values.uses(texts, "condition") and not rule_matches.has_condition(rule.get("if")):
        raise InvalidRule("{condition.…} needs a condition in if")
    code = HealthCode(status)
    say, why = rule_values.template(rule.get("message", "")), rule_values.template(rule.get("reason", ""))
    shown = rule.get("evidence", "")
    if shown:
        rule_values.steps(shown)

    def outcome(obj: Object, found: Found) -> Health:
        condition = found[1]
        path = shown or found[0]
        evidence: tuple[Evidence, ...] = ()
        since = ""
        if condition is not None:
            evidence = (Evidence(kind=EvidenceKind.CONDITION, text=_condition_text(condition), path=path),)
            since = str(condition.get("lastTransitionTime") or "")
        elif path:
            evidence = (Evidence(kind=EvidenceKind.FIELD, text="", path=path),)
        return Health(code, say(obj, found), why(obj, found), evidence, since)

    return outcome


def _condition_text(condition: dict[str, Any]) -> str:
    text = f"{condition.get('type')}={condition.get('status')}"
    reason = condition.get("reason")
    return f"{text} {reason}" if reason else text


def _first_of(rules: list[Rule]) -> Check:
    guarded = [(match, outcome) for match, outcome in rules if match is not None]
    otherwise = rules[-1][1]

    def check(obj: Object) -> Health:
        for match, outcome in guarded:
            found = match(obj, None)
            if found is not None:
                return outcome(obj, found)
        return otherwise(obj, _NOTHING)

    return check
