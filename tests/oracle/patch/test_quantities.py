"""How quantities are printed, against kubectl."""

from __future__ import annotations

import random

from syncline.apimachinery import quantity
from tests.oracle.patch import kubectl

SUFFIXES = ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]
EXPONENTS = ["e0", "e1", "e3", "E3", "e+6", "e-3", "e-9", "e-10", "e18"]
NUMBERS = [
    "0",
    "00",
    "1",
    "5",
    "8",
    "12",
    "100",
    "999",
    "1000",
    "1024",
    "1025",
    "1500",
    "2048",
    "1048576",
    "0.5",
    "0.1",
    "1.5",
    "1.500",
    "1.25",
    ".5",
    "5.",
    "0.0001",
    "0.1234567891",
    "1.0000000001",
    "+5",
    "-5",
    "-0.5",
    "-1.5",
    "123456789",
    "005",
]


def test_quantities_are_printed_as_kubectl_prints_them() -> None:
    texts = [number + suffix for number in NUMBERS for suffix in SUFFIXES + EXPONENTS if _printable(number, suffix)]
    printed = kubectl.print_quantities(texts)
    assert {text: quantity.canonical(text) for text in texts} == dict(zip(texts, printed, strict=True))


def test_random_quantities_are_printed_as_kubectl_prints_them() -> None:
    rng = random.Random(7)
    texts = [
        f"{rng.randint(0, 10 ** rng.randint(1, 12))}"
        + rng.choice(["", f".{rng.randint(0, 10 ** rng.randint(1, 11))}"])
        + rng.choice(["", "m", "u", "n", "k", "M", "Ki", "Mi", "Gi", "e2", "e-4"])
        for _ in range(500)
    ]
    printed = kubectl.print_quantities(texts)
    assert {text: quantity.canonical(text) for text in texts} == dict(zip(texts, printed, strict=True))


def _printable(number: str, suffix: str) -> bool:
    """Leave out what Kubernetes cannot print: from 10^21 on it forgets the suffix."""
    return not (suffix == "E" and quantity.parse(number + suffix) > quantity.parse("999E"))
