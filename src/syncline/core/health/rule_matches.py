"""Decides whether a health rule fits an object: one closure per `if`, compiled once.

`syncline.core.health.rules` hands the `if` of each rule over and calls the closure per object. A closure answers with
what it rests on (`Found`), which becomes the evidence and fills the message. The words are listed in
`knowledge/README.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.health import rule_values
from syncline.core.health.rule_values import Found, InvalidRule

Match = Callable[[Object, Any], Found | None]
"""Says what in an object (or element of a list) fits; None when nothing does."""

_HEADS = ("condition", "field", "generation", "some", "count", "all", "any", "not")
_CONDITION_WORDS = {"condition", "status", "reason", "notReason", "message", "at", "generation"}
_COMPARED = {
    "below": lambda left, right: left < right,
    "above": lambda left, right: left > right,
    "equals": lambda left, right: left == right,
    "differs": lambda left, right: left != right,
}
_FIELD_WORDS = {"field", "is", "not", "matches", "present", "empty", "complete", "default", "plus", *_COMPARED}
_AGES = ("current", "exact", "behind")


def compile_match(rule: Any) -> Match:
    """Compile one `if`."""
    if not isinstance(rule, dict):
        raise InvalidRule("a match is a mapping such as {condition: Ready, status: 'False'}")
    heads = [word for word in _HEADS if word in rule and not (word in ("not", "generation") and len(rule) > 1)]
    if len(heads) != 1:
        raise InvalidRule(f"a match has exactly one of {', '.join(_HEADS)}; this one has {', '.join(rule) or 'none'}")
    return _COMPILERS[heads[0]](rule)


def has_condition(rule: Any) -> bool:
    """Whether a match, or one inside it that must hold, looks at a condition."""
    if not isinstance(rule, dict):
        return False
    inner = [*(rule.get("all") or ()), rule.get("where")]
    return "condition" in rule or any(map(has_condition, inner)) or _each_has(rule.get("any"))


def _each_has(rules: Any) -> bool:
    return isinstance(rules, list) and bool(rules) and all(map(has_condition, rules))


def _only(rule: dict[str, Any], known: set[str]) -> None:
    if unknown := sorted(set(rule) - known):
        raise InvalidRule(f"{', '.join(unknown)} is not known here; known are {', '.join(sorted(known))}")


def _words(value: Any, name: str) -> frozenset[str]:
    words = value if isinstance(value, list) else [value]
    if not words or not all(isinstance(word, str) for word in words):
        raise InvalidRule(f'{name} is a string or a list of strings (quote "True" and "False")')
    return frozenset(words)


def _text_test(value: Any, name: str) -> Callable[[str], bool]:
    """Compile words, each of which may have `*` in it."""
    words = _words(value, name)
    globs = tuple(word for word in words if "*" in word)
    exact = words - set(globs)
    if not globs:
        return exact.__contains__
    return lambda text: text in exact or any(fnmatchcase(text, glob) for glob in globs)


def _condition(rule: dict[str, Any]) -> Match:
    _only(rule, _CONDITION_WORDS)
    where = rule.get("at", "status.conditions")
    get, test = rule_values.getter(where), _condition_test(rule)

    def match(obj: Object, item: Any) -> Found | None:
        conditions = get(obj, item)
        if conditions.__class__ is list:
            generation = meta.metadata(obj).get("generation")
            for index, condition in enumerate(conditions):
                if condition.__class__ is dict and test(condition, generation):
                    return (f"{where}[{index}]", condition, item)
        return None

    return match


def _condition_test(rule: dict[str, Any]) -> Callable[[dict[str, Any], Any], bool]:
    is_type = _text_test(rule["condition"], "condition")
    statuses = _words(rule["status"], "status") if "status" in rule else None
    texts: list[tuple[str, Callable[[str], bool], bool]] = []
    for word, key, wanted in (("reason", "reason", True), ("notReason", "reason", False), ("message", "message", True)):
        if word in rule:
            texts.append((key, _text_test(rule[word], word), wanted))
    age = rule.get("generation")
    if age not in (None, *_AGES):
        raise InvalidRule(f"generation of a condition is one of {', '.join(_AGES)}")

    def test(condition: dict[str, Any], generation: Any) -> bool:
        if not is_type(str(condition.get("type"))):
            return False
        if statuses is not None and str(condition.get("status")) not in statuses:
            return False
        for key, fits, wanted in texts:
            if fits(str(condition.get(key) or "")) is not wanted:
                return False
        return age is None or _age_fits(age, condition.get("observedGeneration"), generation)

    return test


def _age_fits(age: str, observed: Any, generation: Any) -> bool:
    if age == "current" and (generation is None or observed is None):
        return True
    if age != "behind":
        return observed is not None and observed == generation
    return isinstance(observed, int) and isinstance(generation, int) and observed < generation


def _generation(rule: dict[str, Any]) -> Match:
    path = rule["generation"]
    if not isinstance(path, str) or not path.startswith("status"):
        raise InvalidRule("generation names the field that says what was observed: status.observedGeneration")
    get = rule_values.getter(path)

    def match(obj: Object, item: Any) -> Found | None:
        wanted = rule_values.number(meta.metadata(obj).get("generation"))
        observed = rule_values.number(get(obj, item))
        return (path, None, item) if wanted is not None and observed is not None and observed < wanted else None

    return match


def _field(rule: dict[str, Any]) -> Match:
    _only(rule, _FIELD_WORDS)
    path = rule["field"]
    tests = [word for word in rule if word not in ("field", "default", "plus")]
    if len(tests) != 1:
        raise InvalidRule(f"a field has exactly one test, not {', '.join(tests) or 'none'}")
    get = rule_values.getter(path)
    if "default" in rule:
        bare, default = get, rule["default"]

        def get(obj: Object, item: Any) -> Any:
            value = bare(obj, item)
            return default if value is None else value

    if "plus" in rule:
        get = _sum(get, rule["plus"])
    test = _field_test(tests[0], rule[tests[0]])
    return lambda obj, item: (path, None, item) if test(get(obj, item), obj, item) else None


def _sum(get: rule_values.Get, path: Any) -> rule_values.Get:
    """Return a getter that adds the number at a path to what another one finds; an absent number counts as none."""
    if not isinstance(path, str):
        raise InvalidRule("plus names the field whose number is added: spec.partition")
    other = rule_values.getter(path)

    def added(obj: Object, item: Any) -> Any:
        left, right = rule_values.number(get(obj, item)), rule_values.number(other(obj, item))
        return None if left is None else left + (right or 0)

    return added


FieldTest = Callable[[Any, Object, Any], bool]


def _field_test(word: str, wanted: Any) -> FieldTest:
    if word in ("present", "empty", "complete"):
        if wanted is not True:
            raise InvalidRule(f"{word} is only ever true; negate it with not")
        if word == "complete":
            return lambda value, _obj, _item: _is_complete(value)
        full = word == "present"
        return lambda value, _obj, _item: (value is not None and value not in ("", [], {})) is full
    if word == "matches":
        fits = _text_test(wanted, word)
        return lambda value, _obj, _item: any(fits(one) for one in _each(value) if isinstance(one, str))
    if word in ("is", "not"):
        values = wanted if isinstance(wanted, list) else [wanted]
        one_of = word == "is"
        return lambda value, _obj, _item: any(_same(one, values) for one in _each(value)) is one_of
    return _comparison(_COMPARED[word], wanted)


def _is_complete(value: Any) -> bool:
    """Whether a text such as 3/3 says that all there should be is there."""
    have, slash, wanted = value.partition("/") if isinstance(value, str) else ("", "", "")
    return bool(slash) and have.isdecimal() and wanted.isdecimal() and int(have) == int(wanted)


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _same(value: Any, values: list[Any]) -> bool:
    return any(value == one and isinstance(value, bool) is isinstance(one, bool) for one in values)


def _comparison(compare: Callable[[Any, Any], bool], wanted: Any) -> FieldTest:
    if isinstance(wanted, bool) or not isinstance(wanted, int | float | str):
        raise InvalidRule("a comparison is with a number or with the path of another field")
    if not isinstance(wanted, str):
        return lambda value, _obj, _item: (left := rule_values.number(value)) is not None and compare(left, wanted)
    get = rule_values.getter(wanted)

    def test(value: Any, obj: Object, item: Any) -> bool:
        other = get(obj, item)
        left, right = rule_values.number(value), rule_values.number(other)
        if left is not None and right is not None:
            return compare(left, right)
        return isinstance(value, str) and isinstance(other, str) and compare(value, other)

    return test


def _some(rule: dict[str, Any]) -> Match:
    _only(rule, {"some", "where"})
    path = rule["some"]
    get, inner = rule_values.getter(path), compile_match(rule.get("where"))

    def match(obj: Object, _item: Any) -> Found | None:
        elements = get(obj, None)
        if elements.__class__ is list:
            for index, element in enumerate(elements):
                found = inner(obj, element)
                if found is not None:
                    place = found[0]
                    return (f"{path}[{index}]{place.removeprefix('item')}", found[1], element)
        return None

    return match


def _count(rule: dict[str, Any]) -> Match:
    _only(rule, {"count", "where", *_COMPARED})
    path, words = rule["count"], [word for word in rule if word in _COMPARED]
    if len(words) != 1:
        raise InvalidRule(f"count has exactly one of {', '.join(_COMPARED)}")
    get, inner = rule_values.getter(path), compile_match(rule.get("where"))
    test = _comparison(_COMPARED[words[0]], rule[words[0]])

    def match(obj: Object, item: Any) -> Found | None:
        elements = get(obj, item)
        if elements.__class__ is not list:
            return None
        fitting = sum(1 for element in elements if inner(obj, element) is not None)
        return (path, None, item) if test(fitting, obj, item) else None

    return match


def _parts(rule: dict[str, Any], word: str) -> tuple[Match, ...]:
    _only(rule, {word})
    parts = rule[word]
    if not isinstance(parts, list) or len(parts) < 2:
        raise InvalidRule(f"{word} is a list of at least two matches")
    return tuple(map(compile_match, parts))


def _all(rule: dict[str, Any]) -> Match:
    parts = _parts(rule, "all")

    def match(obj: Object, item: Any) -> Found | None:
        first: Found | None = None
        for part in parts:
            found = part(obj, item)
            if found is None:
                return None
            if first is None or (first[1] is None and found[1] is not None):
                first = found
        return first

    return match


def _any(rule: dict[str, Any]) -> Match:
    parts = _parts(rule, "any")

    def match(obj: Object, item: Any) -> Found | None:
        for part in parts:
            found = part(obj, item)
            if found is not None:
                return found
        return None

    return match


def _not(rule: dict[str, Any]) -> Match:
    _only(rule, {"not"})
    inner = compile_match(rule["not"])
    return lambda obj, item: ("", None, item) if inner(obj, item) is None else None


_COMPILERS: dict[str, Callable[[dict[str, Any]], Match]] = {
    "condition": _condition,
    "field": _field,
    "generation": _generation,
    "some": _some,
    "count": _count,
    "all": _all,
    "any": _any,
    "not": _not,
}
