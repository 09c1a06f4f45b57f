"""kubectl reads what we write as the value we wrote."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from syncline.apimachinery import yaml

Judge = Callable[[Sequence[str]], list[Any]]

LETTERS = [
    *"abyntTfo019.-+_:#,[]{}&*!|>'\"%@`\\/~<=? \t\n\r",
    *[
        "\x00",
        "\x07",
        "\x7f",
        "\x85",
        "\xa0",
        "é",
        "\u2028",
        "\u2029",
        "\ufeff",
        "😀",
        "\ue000",
        "\ufffd",
        "true",
        "\n\n",
    ],
]


def strings(chance: random.Random, count: int) -> list[str]:
    return ["".join(chance.choices(LETTERS, k=chance.randint(0, 8))) for _ in range(count)]


def tree(chance: random.Random, depth: int) -> Any:
    """Make a value with collections in every place where one can stand."""
    kind = chance.choice(["text", "number", "word", "list", "map", "map"]) if depth else "text"
    if kind == "list":
        return [tree(chance, depth - 1) for _ in range(chance.randint(0, 3))]
    if kind == "map":
        return {name: tree(chance, depth - 1) for name in strings(chance, chance.randint(0, 3))}
    if kind == "number":
        return chance.choice([0, -1, 1.5, 2**62, 0.1, 1e-7, 1.25e300])
    return chance.choice([None, True, False]) if kind == "word" else strings(chance, 1)[0]


def test_strings_survive_as_values_and_as_keys(kubectl_reads: Judge) -> None:
    texts = strings(random.Random(3), 5000)
    fields = {text: number for number, text in enumerate(texts)}
    assert kubectl_reads([yaml.dump({"spec": texts}), yaml.dump({"spec": fields})]) == [texts, fields]


def test_numbers_survive(kubectl_reads: Judge) -> None:
    chance = random.Random(4)
    numbers: list[int | float] = [chance.randint(-(2**63), 2**63 - 1) for _ in range(500)]
    numbers += [chance.uniform(-1, 1) * 10 ** chance.randint(-320, 308) for _ in range(2000)]
    numbers += [1e16, 1e17, 1e21, 1e22, 5e-324, 2.0**62, -(2.0**63), 123456789012345680.0]
    [read] = kubectl_reads([yaml.dump({"spec": numbers})])
    # kubectl prints large whole floats by their shortest digits: compared as floats they are the same.
    assert [type(number)(found) for number, found in zip(numbers, read, strict=True)] == numbers


def test_nested_values_survive(kubectl_reads: Judge) -> None:
    chance = random.Random(5)
    values = [tree(chance, 5) for _ in range(800)]
    assert kubectl_reads([yaml.dump({"spec": values})]) == [values]


def test_an_edited_text_reads_as_edited(kubectl_reads: Judge) -> None:
    chance = random.Random(6)
    text = "spec:\n  # kept\n  list: # kept\n  - {name: a, w: [1]}\n  - name: b # kept\n    w: |\n      x\n  z: 'q'\n"
    paths: list[yaml.Path] = [
        ("spec", "z"),
        ("spec", "list"),
        ("spec", "list", 0),
        ("spec", "list", 0, "w", 0),
        ("spec", "list", 1, "w"),
        ("spec", "new", "er"),
    ]
    edits = [(path, tree(chance, 3)) for path in paths for _ in range(20)]
    edited = [yaml.edit.set_value(text, 0, path, value) for path, value in edits]
    for (path, value), found in zip(edits, kubectl_reads(edited), strict=True):
        for step in path[1:]:
            found = found[step]
        assert found == value
