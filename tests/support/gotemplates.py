"""Cases for templates of ApplicationSets: templates of our own, and what we and a Go program make of them.

Used by `tests.unit.appset_templates.test_recorded`, which compares with what Go said once, and by
`tests.real.test_templates`, which asks it again.
"""

import datetime as dt
import pathlib
import random
from typing import Any

from syncline.core.appset import engine, fasttemplate
from syncline.core.appset.functions import FUNCTIONS
from syncline.core.appset.gotemplate.errors import GoTemplateError
from syncline.core.appset.gotemplate.values import StringMap, Strings
from syncline.core.appset.limits import Limits

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "gotemplates"
NOW = dt.datetime.fromtimestamp(1_700_000_000, dt.UTC)
LIMITS = Limits()
PARAMS: dict[str, Any] = {
    "name": "eu",
    "empty": "",
    "null": None,
    "number": 42,
    "half": 0.5,
    "zero": 0,
    "big": 123456789,
    "true": True,
    "false": False,
    "list": [1, "two", None],
    "nums": [3, 1, 2],
    "words": ["pear", "apple", "fig", "apple"],
    "emptyList": [],
    "emptyMap": {},
    "map": {"key": "value", "nested": {"deep": "down", "n": 1.5}, "none": None},
    "other": {"key": "other", "nested": {"more": True}, "list": [1]},
    "objects": [{"name": "one", "size": 1}, {"name": "two", "size": 2}],
    "labels": {"$stringmap": {"env": "prod", "tier": "web"}},
    "segments": {"$strings": ["apps", "prod", "eu"]},
}
# What each Go type of a parameter is tried with; `any` with all of them.
POOLS: dict[str, list[str]] = {
    "string": ['""', '"a"', '"Hello World"', '"ünï-çødé"', '"a,b,c"', '"12"', '"  x y  "', '"foo/bar.txt"', ".name"],
    "int": ["0", "1", "-1", "3", "50", "(int .number)"],
    "float64": ["0.5", "1", "-2.5"],
    "bool": ["true", "false"],
    "map[string]interface {}": [".map", ".other", '(dict "a" 1 "b" 2)', "(dict)", ".emptyMap"],
    "time.Time": ["now", '(toDate "2006-01-02" "2020-02-29")'],
    "interface {}": [
        '""',
        '"abc"',
        '"12"',
        "0",
        "7",
        "-2",
        "1.5",
        "true",
        ".list",
        ".nums",
        ".words",
        ".map",
        ".number",
        ".segments",
        ".labels",
        "(list 1 2 3 4)",
        "(list)",
        "nil",
        ".null",
        ".unknown",
    ],
    "reflect.Value": ['"a"', "0", "1", ".list", ".map", ".unknown", "nil", ".number", "true"],
}
WRONG = ["nil", ".unknown", ".null", "1.5", '"x"', ".list", "7"]
# What gives another text each time, or lists keys in no order, cannot be asked.
NOT_ASKED = {
    "bcrypt", "buildCustomCert", "encryptAES", "genCA", "genCAWithKey", "genPrivateKey", "genSelfSignedCert",
    "genSelfSignedCertWithKey", "genSignedCert", "genSignedCertWithKey", "htpasswd", "randAlpha", "randAlphaNum",
    "randAscii", "randBytes", "randInt", "randNumeric", "shuffle", "uuidv4", "ago", "date", "dateInZone",
    "date_in_zone", "htmlDate", "htmlDateInZone", "durationRound", "derivePassword", "keys", "values",
}  # fmt: skip
PER_FUNCTION = 6
# Year 0, which Python's calendar does not have.
_YEAR_ZERO = ("toDate", "mustToDate")


def written() -> list[dict[str, Any]]:
    """Return the cases that were written by hand."""
    lines = [line for path in sorted(FIXTURES.glob("*.txt")) for line in path.read_text(encoding="utf-8").splitlines()]
    cases: list[dict[str, Any]] = [
        {"text": line.replace("⏎", "\n")} for line in lines if line and not line.startswith("#")
    ]
    keys = ["{{.unknown}}", "{{.map.nope}}", "{{.labels.nope}}|", "{{.unknown.x}}", "{{index .map \"nope\"}}",
            "{{.map.nope.x}}", "{{if .unknown}}x{{end}}", "{{.unknown | default \"d\"}}", "{{(dict).x}}"]  # fmt: skip
    options = ["missingkey=error", "missingkey=zero", "missingkey=default", "missingkey=invalid"]
    cases += [{"text": text, "options": [option]} for text in keys for option in options]
    return cases


def drawn(seed: int = 1, per_function: int = PER_FUNCTION) -> list[dict[str, Any]]:
    """Return calls of every function with arguments of the types it takes, and a wrong one."""
    cases = []
    for name in sorted(set(FUNCTIONS) - NOT_ASKED):
        chance = random.Random(f"{name}{seed}")
        function = FUNCTIONS[name]
        for round_ in range(per_function):
            params = list(function.params)
            if function.variadic:
                params = params[:-1] + [params[-1]] * chance.randrange(4)
            args = [chance.choice(POOLS.get(param, WRONG)) for param in params]
            if args and round_ == per_function - 1:
                args[chance.randrange(len(args))] = chance.choice(WRONG)
            if name not in _YEAR_ZERO or args[0] != args[-1]:
                cases.append({"text": _called(chance, name, args)})
    return cases


def _called(chance: random.Random, name: str, args: list[str]) -> str:
    if args and args[-1] != "nil" and chance.random() < 0.3:
        # A constant cannot be piped into a function of a wrong type in the words of an argument.
        return f"{{{{ {args[-1]} | {' '.join([name, *args[:-1]])} }}}}"
    return f"{{{{ {' '.join([name, *args])} }}}}"


def random_templates(count: int, seed: int) -> list[dict[str, Any]]:
    """Return templates of random shape, some of them wrong."""
    chance = random.Random(seed)
    return [
        {"text": _block(chance, 3), "options": ["missingkey=error"] if chance.random() < 0.2 else []}
        for _ in range(count)
    ]


_FIELDS = [".name", ".map.key", ".map.nested.n", ".unknown", ".null", ".number", ".list", ".labels.env", ".", "$.name",
           ".map", ".true", ".half", ".objects", ".segments", "$v", ".size"]  # fmt: skip
_ONE = ["upper", "quote", "len", "toString", "int", "float64", "toJson", "first", "last", "trim", "squote", "not",
        "kindOf", "typeOf", "empty", "html", "print", "sortAlpha", "reverse", "b64enc", "title", "toYaml", "ceil",
        "normalize", "slugify", "add1", "floor", "uniq", "compact", "camelcase", "nospace", "js"]  # fmt: skip
_TWO = ["eq", "ne", "lt", "gt", "add", "sub", "mul", "default", "cat", "print", "list", "join", "index", "printf",
        "contains", "and", "or", "append", "has", "trunc", "max", "coalesce", "dict", "hasPrefix"]  # fmt: skip
_CONSTANTS = ['"a"', '"%v"', '""', "1", "0", "2", "1.5", "true", '"key"', '","', "nil"]


def _operand(chance: random.Random, depth: int) -> str:
    if depth and chance.random() < 0.3:
        return f"({_pipeline(chance, depth - 1)})"
    return chance.choice(_FIELDS if chance.random() < 0.6 else _CONSTANTS)


def _pipeline(chance: random.Random, depth: int) -> str:
    kind = chance.random()
    if kind < 0.3:
        made = _operand(chance, depth)
    elif kind < 0.6:
        made = f"{chance.choice(_ONE)} {_operand(chance, depth)}"
    else:
        made = f"{chance.choice(_TWO)} {_operand(chance, depth)} {_operand(chance, depth)}"
    if chance.random() < 0.25:
        made += f" | {chance.choice(_ONE)}"
    return made


def _block(chance: random.Random, depth: int) -> str:
    parts = []
    for _ in range(chance.randrange(1, 4)):
        opening, closing = ("{{- ", " -}}") if chance.random() < 0.2 else ("{{", "}}")
        kind = chance.random()
        if depth and kind < 0.15:
            other = f"{{{{else}}}}{_block(chance, depth - 1)}" if chance.random() < 0.5 else ""
            parts.append(f"{opening}if {_pipeline(chance, 1)}{closing}{_block(chance, depth - 1)}{other}{{{{end}}}}")
        elif depth and kind < 0.3:
            names = chance.choice(["", "$v := ", "$k, $v := "])
            parts.append(f"{opening}range {names}{_pipeline(chance, 1)}{closing}{_block(chance, depth - 1)}{{{{end}}}}")
        elif depth and kind < 0.4:
            names = chance.choice(["", "$v := "])
            parts.append(f"{opening}with {names}{_pipeline(chance, 1)}{closing}{_block(chance, depth - 1)}{{{{end}}}}")
        elif kind < 0.5:
            parts.append(f"{opening}$v := {_pipeline(chance, 1)}{closing}")
        else:
            parts.append(f"{opening}{_pipeline(chance, 2)}{closing}")
        parts.append(chance.choice(["", " ", "x", "\n", " é "]))
    return "".join(parts)


def typed(value: Any) -> Any:
    """Return parameters with the types that their marks name, and every number a float, as Go decodes JSON."""
    if isinstance(value, dict):
        if "$strings" in value:
            return Strings(value["$strings"])
        if "$stringmap" in value:
            return StringMap(value["$stringmap"])
        return {key: typed(child) for key, child in value.items()}
    if isinstance(value, list):
        return [typed(child) for child in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def ours(case: dict[str, Any]) -> dict[str, str]:
    """Return what we make of a case, in the words of the Go program."""
    params = typed(case.get("params", PARAMS))
    try:
        if case.get("fast"):
            return {"out": fasttemplate.fill(case["text"], params, LIMITS)}
        return {"out": engine.render(case["text"], params, options=case.get("options", ()), limits=LIMITS, now=NOW)}
    except GoTemplateError as error:
        return {"error": str(error)}
    except fasttemplate.UnclosedPlaceholder as error:
        return {"error": f"unclosed {error}"}


def asked(case: dict[str, Any]) -> dict[str, Any]:
    """Return a case as the Go program takes it."""
    return {"params": PARAMS, **case}


def agrees(given: dict[str, str], answer: dict[str, str]) -> bool:
    """Tell whether we say what Go said; where Go panics, an error is all that is wanted."""
    return "error" in given if "panic" in answer else given == answer
