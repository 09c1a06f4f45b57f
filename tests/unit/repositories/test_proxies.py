"""Which servers are reached without a proxy, by the lists that people write."""

import pytest

from syncline.net import proxies, urls


@pytest.mark.parametrize(
    ("names", "address", "without"),
    [
        ("", "https://git.example.com", False),
        ("*", "https://git.example.com", True),
        ("example.com", "https://example.com", True),
        ("example.com", "https://git.example.com", True),
        ("example.com", "https://badexample.com", False),
        (".example.com", "https://git.example.com", True),
        (".example.com", "https://example.com", False),
        ("*.example.com", "https://git.example.com", True),
        ("*.example.com", "https://example.com", False),
        ("EXAMPLE.com", "https://Git.Example.com", True),
        ("other.example, git.example.com ,", "https://git.example.com", True),
        ("git.example.com:8443", "https://git.example.com:8443", True),
        ("git.example.com:8443", "https://git.example.com", False),
        ("git.example.com:443", "https://git.example.com", True),
        ("10.0.0.0/8", "http://10.1.2.3", True),
        ("10.0.0.0/8", "http://11.1.2.3", False),
        ("10.0.0.0/8", "http://ten.example", False),
        ("10.1.2.3", "ssh://10.1.2.3:2222", True),
        ("10.1.2.3:22", "ssh://10.1.2.3", True),
        ("fd00::/8", "http://[fd00::7]:80", True),
        ("[fd00::7]:80", "http://[fd00::7]", True),
        ("[fd00::7]:80", "http://[fd00::7]:81", False),
    ],
)
def test_a_list_of_servers_without_a_proxy(names: str, address: str, without: bool) -> None:
    assert proxies.exempt(urls.parse(address, schemes=("http", "https", "ssh")), names) is without


@pytest.mark.parametrize(
    ("variables", "address", "proxy"),
    [
        ({}, "https://git.example", None),
        ({"https_proxy": "http://proxy:3128"}, "https://git.example", "http://proxy:3128"),
        ({"HTTPS_PROXY": "proxy:3128"}, "https://git.example", "http://proxy:3128"),
        ({"https_proxy": "http://proxy:3128"}, "http://git.example", None),
        ({"http_proxy": "socks5://proxy", "NO_PROXY": "git.example"}, "http://git.example", None),
        ({"http_proxy": "socks5://proxy"}, "http://git.example", "socks5://proxy"),
    ],
)
def test_the_environment_names_proxies(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], address: str, proxy: str | None
) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found = proxies.chosen(urls.parse(address, schemes=("http", "https")))
    assert (None if found is None else str(found)) == proxy


def test_a_repositorys_own_proxy_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://other:1")
    monkeypatch.setenv("no_proxy", "*")
    found = proxies.chosen(urls.parse("https://git.example", schemes=("https",)), "http://own:2")
    assert str(found) == "http://own:2"


@pytest.mark.parametrize("proxy", ["ftp://proxy", "http://a b", "http://", "http://h$(id)"])
def test_what_is_no_proxy_is_refused(proxy: str) -> None:
    with pytest.raises(urls.RefusedAddress, match="the proxy is refused: "):
        proxies.chosen(urls.parse("https://git.example", schemes=("https",)), proxy)
