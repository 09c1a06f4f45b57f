"""User and password are taken out of addresses in texts."""

import pytest

from syncline.model.errors import RenderError, SourceError
from syncline.model.logins import without_logins
from syncline.model.sources.source import ApplicationSource


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://ada:pw@git.example/x", "https://git.example/x"),
        ("https://token@git.example/x", "https://git.example/x"),
        ("https://ada:p@w@git.example/x", "https://git.example/x"),
        ("https://:pw@git.example/x", "https://git.example/x"),
        ("HTTPS://ada:pw@git.example/x", "HTTPS://git.example/x"),
        ("oci://ada:pw@registry.example/x", "oci://registry.example/x"),
        ("ssh://git@git.example/x", "ssh://git@git.example/x"),
        ("ssh://git:pw@git.example/x", "ssh://git.example/x"),
        ("git@git.example:x", "git@git.example:x"),
        ("'https://a:b@one/x' and \"https://c:d@two/y\"", "'https://one/x' and \"https://two/y\""),
        ("https://git.example/x@v1", "https://git.example/x@v1"),
        ("https://git.example/x, write to ada@git.example", "https://git.example/x, write to ada@git.example"),
        ("oci://registry.example/x@sha256:abc", "oci://registry.example/x@sha256:abc"),
        ("nothing", "nothing"),
    ],
)
def test_a_login_is_taken_out_and_nothing_else(text: str, shown: str) -> None:
    assert without_logins(text) == shown


@pytest.mark.parametrize("kind", [SourceError, RenderError])
def test_no_error_has_a_login(kind: type[SourceError] | type[RenderError]) -> None:
    error = kind("https://ada:canary@git.example/x is gone", hint="write https://ada:canary@git.example/y")
    assert str(error) == "https://git.example/x is gone (write https://git.example/y)"


def test_the_address_of_a_source_is_shown_without() -> None:
    assert ApplicationSource("https://ada:ca@nary@git.example/x").shown_url == "https://git.example/x"
