"""Names: what is allowed where, and Kubernetes' words for the rest."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from syncline.apimachinery import names

SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
    "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
QUALIFIED = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
PREFIX = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


@pytest.mark.parametrize(
    ("check", "good"),
    [
        (names.label, ["web", "9web", "a-b", "a" * 63]),
        (names.subdomain, ["web", "a.b.c", "9", "a" * 253]),
        (names.path_segment, ["system:node", "a b", "..."]),
        (names.qualified, ["web", "Web_1", "x.io/web", "a" * 63, f"{'a' * 253}/b"]),
        (names.label_value, ["", "web", "Web_1.2", "a" * 63]),
        (names.config_key, ["a", "A_b-c.d", "a.."]),
        (names.port_name, ["http", "http-8080", "8080h"]),
    ],
)
def test_good_names_have_no_complaints(check: Callable[[str], list[str]], good: list[str]) -> None:
    assert {name: check(name) for name in good} == {name: [] for name in good}


@pytest.mark.parametrize(
    ("check", "name", "complaints"),
    [
        (names.label, "Web", [LABEL]),
        (names.label, "web\n", [LABEL]),
        (names.label, "a.b", ["must not contain dots"]),
        (names.label, "a" * 64, ["must be no more than 63 characters"]),
        (names.subdomain, "a_b", [SUBDOMAIN]),
        (names.subdomain, "a" * 254, ["must be no more than 253 characters"]),
        (names.path_segment, "..", ["may not be '..'"]),
        (names.path_segment, "a/b%", ["may not contain '/'", "may not contain '%'"]),
        (names.qualified, "-a", [f"name part {QUALIFIED}"]),
        (names.qualified, "", ["name part must be non-empty", f"name part {QUALIFIED}"]),
        (names.qualified, "/a", ["prefix part must be non-empty"]),
        (names.qualified, "X/a", [f"prefix part {SUBDOMAIN}"]),
        (names.qualified, "a" * 64, ["name part must be no more than 63 bytes"]),
        (
            names.qualified,
            "a/b/c",
            [f"a valid label key {QUALIFIED} {PREFIX}"],
        ),
        (names.label_value, "a@", [VALUE]),
        (names.label_value, "a" * 64, ["must be no more than 63 bytes"]),
        (names.config_key, "..", ["must not be '..'"]),
        (names.config_key, "..a", ["must not start with '..'"]),
        (names.port_name, "80", ["must contain at least one letter (a-z)"]),
        (
            names.port_name,
            "-a--b",
            ["must not contain consecutive hyphens", "must not begin or end with a hyphen"],
        ),
    ],
)
def test_bad_names_are_explained_in_kubernetes_words(
    check: Callable[[str], list[str]], name: str, complaints: list[str]
) -> None:
    assert check(name) == complaints


@pytest.mark.parametrize(
    ("base", "name"), [("web-", "web-x2x4z"), ("a" * 58, "a" * 58 + "x2x4z"), ("a" * 70, "a" * 58 + "x2x4z")]
)
def test_a_generated_name_is_cut_to_63_characters(base: str, name: str) -> None:
    assert names.generated(base, "x2x4z") == name


def test_the_suffix_alphabet_spells_no_words() -> None:
    assert not set("aeiouy013") & set(names.SUFFIX_ALPHABET)
