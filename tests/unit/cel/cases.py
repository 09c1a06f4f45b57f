"""Expressions of every function, operator and macro, with what kube-apiserver 1.37.1 makes of them.

The answers are in recorded.json; `python -m tests.real.test_cel_expressions` renews them, tests/real asks again. Each
expression is first offered as the rule of a CRD: an answer that begins with neither `=` nor `!` is why the server
does not take it. The others are worked out in admission policies, where the fields of SELF have no types:
`=` stands before the value as `%s` writes it, `!` before the failure.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TEXTS = {"type": "array", "maxItems": 9, "items": {"type": "string", "maxLength": 9}}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "maxLength": 9},
        "none": {"type": "string", "maxLength": 9},
        "number": {"type": "integer"},
        "yes": {"type": "boolean"},
        "list": TEXTS,
        "numbers": {"type": "array", "maxItems": 9, "items": {"type": "integer"}},
        "map": {"type": "object", "maxProperties": 9, "additionalProperties": {"type": "integer"}},
        "share": {"type": "number"},
        "inner": {"type": "object", "properties": {"a": {"type": "string", "maxLength": 9}}},
        "either": {"x-kubernetes-int-or-string": True},
    },
}
SELF: dict[str, Any] = {
    "text": "hello",
    "number": 7,
    "yes": True,
    "list": ["b", "a", "c"],
    "numbers": [3, 1, 2],
    "map": {"x": 1, "y": 2},
    "share": 2.5,
    "inner": {"a": "c"},
    "either": "auto",
}
EXPRESSIONS: tuple[str, ...] = tuple(
    line
    for line in Path(__file__).with_name("expressions.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)
RECORDED: dict[str, str] = json.loads(Path(__file__).with_name("recorded.json").read_text(encoding="utf-8"))
