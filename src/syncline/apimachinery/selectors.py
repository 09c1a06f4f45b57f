"""Label and field selectors: parsed once, then asked whether labels or fields match.

Handed texts from list requests and annotations (`LabelSelector.parse`, `FieldSelector.parse`) and `selector` fields
of objects (`LabelSelector.from_object`). Requirements are kept sorted by key, so `str()` prints what kubectl sends.
An absent selector object matches nothing and an empty one everything, as in Kubernetes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from syncline.apimachinery import encoding, names

Operator = Literal["=", "==", "!=", "in", "notin", "exists", "!", "gt", "lt"]

_OPERATORS: Final[Mapping[str, Operator]] = {
    "in": "in",
    "notin": "notin",
    "=": "=",
    "==": "==",
    "!=": "!=",
    ">": "gt",
    "<": "lt",
}
_OBJECT_OPERATORS: Final[Mapping[str, Operator]] = {
    "In": "in",
    "NotIn": "notin",
    "Exists": "exists",
    "DoesNotExist": "!",
}
_TOKEN = re.compile(r"==|!=|[=!(),<>]|[^=!(),<> \t\r\n]+")
_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)


class InvalidSelector(ValueError):
    """A selector Kubernetes would refuse."""


class Requirement(NamedTuple):
    """One condition on one label."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether the labels meet this condition."""
        value = labels.get(self.key)
        match self.operator:
            case "exists":
                return value is not None
            case "!":
                return value is None
            case "=" | "==" | "in":
                return value is not None and value in self.values
            case "!=" | "notin":
                return value is None or value not in self.values
            case "gt" | "lt":
                if value is None or not _INTEGER.fullmatch(value):
                    return False
                limit = int(self.values[0])
                return int(value) > limit if self.operator == "gt" else int(value) < limit

    def __str__(self) -> str:
        match self.operator:
            case "exists":
                return self.key
            case "!":
                return f"!{self.key}"
            case "in" | "notin":
                return f"{self.key} {self.operator} ({','.join(sorted(self.values))})"
            case "gt" | "lt":
                return f"{self.key}{'>' if self.operator == 'gt' else '<'}{self.values[0]}"
            case _:
                return f"{self.key}{self.operator}{self.values[0]}"


class LabelSelector(NamedTuple):
    """Conditions that labels must all meet."""

    requirements: tuple[Requirement, ...] = ()
    nothing: bool = False
    """True for the selector of an absent selector object, which matches no object."""

    def matches(self, labels: Mapping[str, str] | None) -> bool:
        """Return whether the labels meet every condition."""
        return not self.nothing and all(requirement.matches(labels or {}) for requirement in self.requirements)

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))

    @classmethod
    def parse(cls, text: str) -> LabelSelector:
        """Read the string form, such as `app=web,tier in (a,b),!legacy`."""
        return cls(_sorted(_Parser(text).requirements()))

    @classmethod
    def from_object(cls, selector: Mapping[str, Any] | None, *, any_value: bool = False) -> LabelSelector:
        """Read the object form (`matchLabels`, `matchExpressions`); `any_value` permits values that no label has."""
        if selector is None:
            return cls(nothing=True)
        found = [
            _checked(key, "=", (value,), any_value=any_value)
            for key, value in (selector.get("matchLabels") or {}).items()
        ]
        for expression in selector.get("matchExpressions") or ():
            word = expression.get("operator") or ""
            operator = _OBJECT_OPERATORS.get(word)
            if operator is None:
                raise InvalidSelector(f'"{word}" is not a valid label selector operator')
            values = tuple(expression.get("values") or ())
            found.append(_checked(expression.get("key") or "", operator, values, any_value=any_value))
        return cls(_sorted(found))

    @classmethod
    def from_labels(cls, labels: Mapping[str, str]) -> LabelSelector:
        """Read the plain map form of older kinds, such as a service's `spec.selector`."""
        return cls(_sorted([Requirement(key, "=", (value,)) for key, value in labels.items()]))


def _sorted(requirements: list[Requirement]) -> tuple[Requirement, ...]:
    return tuple(sorted(requirements, key=lambda requirement: requirement.key))


def _checked(key: str, operator: Operator, values: tuple[str, ...], *, any_value: bool = False) -> Requirement:
    problems = []
    complaints = names.qualified(key)
    if complaints:
        problems.append(f"key: {_invalid(key, complaints)}")
    listed = encoding.encode(values).decode()
    if operator in ("in", "notin") and not values:
        problems.append(f"values: Invalid value: {listed}: for 'in', 'notin' operators, values set can't be empty")
    elif operator in ("exists", "!") and values:
        problems.append(f"values: Invalid value: {listed}: values set must be empty for exists and does not exist")
    elif operator in ("gt", "lt") and not _INTEGER.fullmatch(values[0]):
        wanted = "for 'Gt', 'Lt' operators, the value must be an integer"
        problems.append(f"values[0]: Invalid value: {_quoted(values[0])}: {wanted}")
    for index, value in enumerate(values):
        complaints = [] if any_value else names.label_value(value)
        if complaints:
            problems.append(f"values[{index}][{key}]: {_invalid(value, complaints)}")
    if problems:
        raise InvalidSelector(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")
    return Requirement(key, operator, values)


def _invalid(value: str, complaints: list[str]) -> str:
    return f"Invalid value: {_quoted(value)}: {'; '.join(complaints)}"


def _quoted(text: str) -> str:
    return encoding.encode(text).decode()


class _Parser:
    """Reads the string form token by token; the empty token stands for the end of the text."""

    def __init__(self, text: str) -> None:
        self._tokens = [*_TOKEN.findall(text), ""]
        self._at = 0

    def requirements(self) -> list[Requirement]:
        found: list[Requirement] = []
        while self._peek():
            if not _is_word(self._peek()) and self._peek() != "!":
                raise InvalidSelector(f"found '{self._peek()}', expected: !, identifier, or 'end of string'")
            try:
                found.append(self._requirement())
            except InvalidSelector as error:
                raise InvalidSelector(f"unable to parse requirement: {error}") from None
            word = self._take()
            if not word:
                break
            if word != ",":
                raise InvalidSelector(f"found '{word}', expected: ',' or 'end of string'")
            if not _is_word(self._peek()) and self._peek() != "!":
                raise InvalidSelector(f"found '{self._peek()}', expected: identifier after ','")
        return found

    def _peek(self) -> str:
        return str(self._tokens[self._at])

    def _take(self) -> str:
        word = self._peek()
        if word:
            self._at += 1
        return word

    def _requirement(self) -> Requirement:
        negated = self._peek() == "!"
        if negated:
            self._take()
        key = self._take()
        if not _is_word(key):
            raise InvalidSelector(f"found '{key}', expected: identifier")
        complaints = names.qualified(key)
        if complaints:
            raise InvalidSelector(f"<nil>: {_invalid(key, complaints)}")
        if negated:
            return Requirement(key, "!")
        if self._peek() in ("", ","):
            return Requirement(key, "exists")
        word = self._take()
        operator = _OPERATORS.get(word)
        if operator is None:
            raise InvalidSelector(f"found '{word}', expected: in, notin, =, ==, !=, gt, lt")
        values = self._set() if operator in ("in", "notin") else self._value()
        return _checked(key, operator, values)

    def _value(self) -> tuple[str, ...]:
        if self._peek() in ("", ","):
            return ("",)
        word = self._take()
        if not _is_word(word):
            raise InvalidSelector(f"found '{word}', expected: identifier")
        return (word,)

    def _set(self) -> tuple[str, ...]:
        word = self._take()
        if word != "(":
            raise InvalidSelector(f"found '{word}' expected: '('")
        if not _is_word(self._peek()) and self._peek() not in (",", ")"):
            raise InvalidSelector(f"found '{self._peek()}', expected: ',', ')' or identifier")
        return tuple(sorted(set(self._members())))

    def _members(self) -> Iterator[str]:
        """Yield the words of a set; an empty place between commas or brackets is the empty word."""
        before = "("
        while True:
            word = self._take()
            if word in (",", ")"):
                if before in ("(", ","):
                    yield ""
                if word == ")":
                    return
            elif not _is_word(word):
                raise InvalidSelector(f"found '{word}', expected: ',', or identifier")
            elif self._peek() not in (",", ")"):
                raise InvalidSelector(f"found '{self._peek()}', expected: ',' or ')'")
            else:
                yield word
            before = word


def _is_word(word: str) -> bool:
    return word not in _NO_WORDS


_NO_WORDS: Final = frozenset(("", "=", "==", "!=", "!", "(", ")", ",", "<", ">"))


class FieldTerm(NamedTuple):
    """One field that must or must not have a value; an absent field has the empty value."""

    field: str
    value: str
    negated: bool = False

    def matches(self, fields: Mapping[str, str]) -> bool:
        """Return whether the fields meet this condition."""
        return (fields.get(self.field, "") == self.value) is not self.negated

    def __str__(self) -> str:
        escaped = re.sub(r"[\\,=]", r"\\\g<0>", self.value)
        return f"{self.field}{'!=' if self.negated else '='}{escaped}"


class FieldSelector(NamedTuple):
    """Conditions that an object's selectable fields must all meet."""

    terms: tuple[FieldTerm, ...] = ()

    def matches(self, fields: Mapping[str, str]) -> bool:
        """Return whether the fields, by path, meet every condition."""
        return all(term.matches(fields) for term in self.terms)

    def __str__(self) -> str:
        return ",".join(map(str, self.terms))

    @classmethod
    def parse(cls, text: str) -> FieldSelector:
        """Read the string form, such as `metadata.name=web,status.phase!=Running`."""
        parts = sorted(part for part in re.findall(r"(?:\\.|[^,\\]|\\$)+", text, re.DOTALL) if part)
        terms = [_field_term(part, text) for part in parts]
        return cls(tuple(term for term in terms if term.field or term.value))


def _field_term(part: str, selector: str) -> FieldTerm:
    split = re.match(r"(.*?)(!=|==|=)(.*)", part, re.DOTALL)
    if split is None:
        raise InvalidSelector(f"invalid selector: '{selector}'; can't understand '{part}'")
    field, operator, value = split.groups()
    return FieldTerm(field, _unescaped(value), operator == "!=")


def _unescaped(value: str) -> str:
    for found in re.finditer(r"\\(.|$)|([,=])", value, re.DOTALL):
        if found[2]:
            raise InvalidSelector(f"invalid field selector: unescaped character in value: {ord(found[2])}")
        if found[1] not in ("\\", ",", "=") or not found[1]:
            raise InvalidSelector(f"invalid field selector: invalid escape sequence: {found[0]}")
    return re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)
