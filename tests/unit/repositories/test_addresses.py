"""Spellings of addresses: what is the same to Argo CD, what is the same repository, and what falls under a template."""

import pytest

from syncline.model.sources import repository_urls


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("https://GitHub.com/Team/Shop.git", "https://github.com/team/shop"),
        (" https://github.com/team/shop ", "https://github.com/team/shop"),
        ("git@github.com:team/shop.git", "git@github.com/team/shop"),
        ("ssh://git@github.com/team/shop", "git@github.com/team/shop"),
        ("ssh://git@github.com:22/team/shop", "git@github.com:22/team/shop"),
        ("", ""),
    ],
)
def test_the_form_in_which_addresses_are_compared(text: str, normal: str) -> None:
    assert repository_urls.normalized(text) == normal


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("https://github.com/team/shop", "https://github.com/team/shop.git", True),
        ("git@github.com:team/shop", "ssh://git@github.com/team/shop.git", True),
        ("https://github.com/team/shop", "http://github.com/team/shop", False),
        ("https://github.com/team/shop", "git@github.com:team/shop", False),
        ("", "", False),
    ],
)
def test_what_is_the_same_to_argocd(left: str, right: str, same: bool) -> None:
    assert repository_urls.same(left, right) is same


@pytest.mark.parametrize(
    ("url", "prefix", "below"),
    [
        ("https://git.example.com/team/shop", "https://git.example.com/team", True),
        ("https://git.example.com/team/shop", "https://git.example.com", True),
        ("https://git.example.com/teams/shop", "https://git.example.com/team", True),
        ("https://git.example.com.evil.org/team/shop", "https://git.example.com", False),
        ("https://git.example.com@evil.org/team/shop", "https://git.example.com", False),
        ("https://git.example.com:8443/team", "https://git.example.com", True),
        ("https://git.example.com:8443/team", "https://git.example.com:84", False),
        ("https://git.example.com:8443/team", "https://git.example.com:8443", True),
        ("https://git.example.com/team", "https://git.example.com:443", False),
        ("http://git.example.com/team", "https://git.example.com", False),
        ("git@git.example.com:team/shop", "git@git.example.com:team", True),
        ("ssh://git@git.example.com/team/shop", "git@git.example.com:team", True),
        ("https://git.example.com/team", "", False),
    ],
)
def test_a_template_reaches_addresses_of_its_own_host_alone(url: str, prefix: str, below: bool) -> None:
    assert repository_urls.is_below(url, prefix) is below


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("https://ada:pw@Git.Example.com:8443/x", "git.example.com"),
        ("git@git.example.com:x", "git.example.com"),
        ("oci://registry.example:5000/charts", "registry.example"),
        ("registry.example:5000/charts", "registry.example"),
        ("https://[::1]:80/x", "::1"),
        ("/srv/git", ""),
        ("file:///srv/git", ""),
    ],
)
def test_the_host_of_an_address(text: str, host: str) -> None:
    assert repository_urls.host(text) == host


@pytest.mark.parametrize(
    ("text", "plain_http", "place"),
    [
        ("https://ada:pw@Git.Example.com:8443/x", False, ("git.example.com", 8443)),
        ("https://git.example.com/x", False, ("git.example.com", 443)),
        ("http://git.example.com", False, ("git.example.com", 80)),
        ("ssh://git@git.example.com/x", False, ("git.example.com", 22)),
        ("ssh://git@git.example.com:7999/x", False, ("git.example.com", 7999)),
        ("git@git.example.com:x", False, ("git.example.com", 22)),
        ("git@git.example.com:7999/x", False, ("git.example.com", 22)),
        ("oci://registry.example/charts", False, ("registry.example", 443)),
        ("oci://registry.example/charts", True, ("registry.example", 80)),
        ("registry.example/charts", True, ("registry.example", 80)),
        ("registry.example:5000/charts", True, ("registry.example", 5000)),
        ("https://[::1]:80/x", False, ("::1", 80)),
        ("/srv/git", False, None),
        ("file:///srv/git", False, None),
    ],
)
def test_the_server_of_an_address(text: str, plain_http: bool, place: tuple[str, int] | None) -> None:
    assert repository_urls.place(text, plain_http=plain_http) == place


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("https://git.example.com/team/shop", "git.example.com/team/shop"),
        ("https://ada:pw@git.example.com:443/Team/Shop.git/", "git.example.com/team/shop"),
        ("git@git.example.com:team/shop.git", "git.example.com/team/shop"),
        ("git.example.com:team/shop", "git.example.com/team/shop"),
        ("ssh://git@git.example.com:22//team/shop", "git.example.com/team/shop"),
        ("ssh://git@git.example.com:2222/team/shop", "git.example.com:2222/team/shop"),
        ("git://git.example.com/team/shop", "git.example.com/team/shop"),
        ("/srv/git/Shop.git", "file:/srv/git/Shop"),
        ("file:///srv/git/Shop/.git", "file:/srv/git/Shop"),
    ],
)
def test_all_spellings_of_a_repository_have_one_form(text: str, spelling: str) -> None:
    assert repository_urls.spelling(text) == spelling
