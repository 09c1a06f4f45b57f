"""S1: YAML that explodes, builds objects, hides a key, or means something else than it says."""

from __future__ import annotations

import itertools

from tests.hostile.attack import Attack
from tests.hostile.installation import config

LETTERS = "abcdefghi"
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{previous}'] * 9)}]\n" for previous, name in itertools.pairwise(LETTERS)
)
BEGIN = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"


def _text(name: str, text: str | bytes, reason: str) -> Attack:
    return Attack(f"s1-{name}", reason, {"x.yaml": text, "good.yaml": config("good")})


MERGES = "a: &a {a1: 1, a2: 2}\n" + "".join(
    f"{name}: &{name}\n  <<: *{previous}\n  own: {{x: *{previous}, y: *{previous}}}\n"
    for previous, name in itertools.pairwise(LETTERS + "jklmnopqr")
)

ATTACKS = (
    _text("aliases", BEGIN + BOMB, "aliases expand"),
    _text("merges", BEGIN + MERGES, "aliases expand"),
    _text("itself", BEGIN + "data: &a {x: *a}\n", "contains itself"),
    _text("depth", BEGIN + "data: " + "[" * 3000, "nested deeper"),
    Attack(
        "s1-depth-json",
        "nested deeper|depth limit",
        {"x.json": '{"apiVersion": "v1", "kind": "ConfigMap", "x": ' + '{"a":' * 3000 + "1" + "}" * 3001},
    ),
    # Tags are read as plain values, as Go reads them: the object is then of the wrong shape for the API server.
    Attack(
        "s1-python",
        "expected map",
        {"x.yaml": BEGIN + "data: !!python/object/apply:os.system ['touch @FILE@.made']\n"},
        written=True,
    ),
    # The last of two keys counts, as with Argo CD, and a condition says so.
    Attack("s1-twice", "", {"x.yaml": BEGIN + "data: {a: b}\ndata: {c: d}\n"}, written=True),
    _text("nul", (BEGIN + "data: {a: 'x\0y'}\n").encode(), "U\\+0000 is not allowed"),
    _text("not-utf8", BEGIN.encode() + b"data: {a: '\xed\xa0\x80\xff'}\n", "not valid UTF-8"),
    _text("binary", BEGIN + "data: {a: !!binary \u00b6}\n", "not valid base64"),
    _text("tab", BEGIN + "data:\n\ta: b\n", "cannot start any token"),
    Attack(
        "s1-list-of-nothing",
        "metadata.name is missing",
        {"x.yaml": "apiVersion: v1\nkind: List\nitems: {a: b}\n"},
        written=True,
    ),
    _text("long-line", BEGIN + "data: {a: '" + "x" * 11_000_000 + "'}\n", "exceeded max combined manifest file size"),
)
