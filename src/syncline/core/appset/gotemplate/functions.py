"""What a function of templates is: its Go parameter types, and what it does.

Tables of these are made by `syncline.core.appset.gotemplate.builtins` and `syncline.core.appset.functions`; the
executor checks arguments against the types before it calls, with Go's errors.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

from syncline.core.appset.gotemplate.budget import Budget
from syncline.core.appset.gotemplate.values import NO_VALUE, NilMap, NilStrings

ANY, DICT, VALUE = "interface {}", "map[string]interface {}", "reflect.Value"
_WORDS = {
    "any": ANY,
    "dict": DICT,
    "value": VALUE,
    "string": "string",
    "int": "int",
    "float": "float64",
    "bool": "bool",
    "time": "time.Time",
    "version": "*semver.Version",
    "certificate": "sprig.certificate",
    "strings": "[]string",
    "anys": "[]interface {}",
    "duration": "time.Duration",
    "location": "*time.Location",
}
NILS: dict[str, Callable[[], Any]] = {
    ANY: lambda: None,
    DICT: NilMap,
    VALUE: lambda: NO_VALUE,
    "[]string": NilStrings,
    "[]interface {}": NilStrings,
}
"""Types to which nil can be given, and what it is there."""


class Context:
    """What a function may know besides its arguments."""

    __slots__ = ("budget", "now")

    def __init__(self, budget: Budget, now: dt.datetime | None) -> None:
        self.budget = budget
        self.now = now


class Function:
    """A function of templates."""

    __slots__ = ("call", "needs_context", "params", "variadic")

    def __init__(self, call: Callable[..., Any], params: str = "", *, needs_context: bool = False) -> None:
        """Take the parameters in short words, such as `string any...`."""
        words = params.split()
        self.call = call
        self.variadic = bool(words) and words[-1].endswith("...")
        self.params = tuple(_WORDS[word.removesuffix("...")] for word in words)
        self.needs_context = needs_context
