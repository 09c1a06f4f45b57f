"""The one check of addresses: what is refused and why, where no name may lead, and what is never shown."""

import pytest

from syncline.net import urls

SCHEMES = ("http", "https")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        ("http://a\n.example", "surrounding spaces and control characters are not allowed"),
        ("http://a\x00", "surrounding spaces and control characters are not allowed"),
        (" http://a", "surrounding spaces and control characters are not allowed"),
        ("--upload-pack=x", "it must not start with a dash"),
        ("http://" + "a" * 5000, "it is longer than 4096 characters"),
        ("file:///etc/passwd", "its scheme is not one of http, https"),
        ("gopher://x/y", "its scheme is not one of http, https"),
        ("javascript:alert(1)", "its scheme is not one of http, https"),
        ("http:///path", "it names no host"),
        ("http://-oProxyCommand=x/", "it names no host"),
        ("http://-u@host/", "it names no host"),
        ("http://h$(id)/", "it names no host"),
        ("http://h`id`/", "it names no host"),
        ("http://h;id/", "it names no host"),
        ("http://host:99999/", "its host or port is invalid"),
        ("http://[::1/", "its host or port is invalid"),
        ("http://[zz]/", "its host or port is invalid"),
    ],
)
def test_what_is_no_address_is_refused(text: str, reason: str) -> None:
    with pytest.raises(urls.RefusedAddress) as caught:
        urls.parse(text, schemes=SCHEMES)
    assert str(caught.value) in (reason, "it names no host")


def test_credentials_are_taken_out_and_not_printed() -> None:
    url = urls.parse("https://ada:can%40ry@host.example:8443/x?y=1", schemes=SCHEMES)
    assert (url.username, url.password, url.host, url.port) == ("ada", "can@ry", "host.example", 8443)
    assert str(url) == "https://host.example:8443/x?y=1"
    assert "can" not in repr(url)


@pytest.mark.parametrize(
    ("address", "loopback", "refused"),
    [
        ("127.0.0.1", True, False),
        ("127.0.0.1", False, True),
        ("127.8.8.8", False, True),
        ("::1", False, True),
        ("::ffff:127.0.0.1", False, True),
        ("169.254.169.254", True, True),
        ("::ffff:169.254.169.254", True, True),
        ("fe80::1%eth0", True, True),
        ("0.0.0.0", True, True),
        ("::", True, True),
        ("224.0.0.1", True, True),
        ("255.255.255.255", True, True),
        ("10.0.0.1", False, False),
        ("192.0.2.1", False, False),
        ("not an address", True, True),
    ],
)
def test_places_that_no_repository_is_at_are_refused(address: str, loopback: bool, refused: bool) -> None:
    assert bool(urls.Reach(loopback).refusal("host.example", 443, address)) is refused


def test_a_server_an_operator_wrote_down_may_be_anywhere() -> None:
    reach = urls.Reach(loopback=False).besides({("meta.example", 80)})
    assert reach.refusal("Meta.example", 80, "169.254.169.254") == ""


@pytest.mark.parametrize(("host", "port"), [("meta.example", 443), ("127.0.0.1", 80), ("other.example", 80)])
def test_another_port_or_name_of_the_same_machine_is_another_server(host: str, port: int) -> None:
    reach = urls.Reach(loopback=False).besides({("meta.example", 80)})
    assert reach.refusal(host, port, "127.0.0.1") == f"{host} is this machine"


@pytest.mark.parametrize(
    "text",
    [
        "fatal: unable to access 'https://ada:canary@host/x'",
        "token=canary&x",
        "Authorization: Bearer canary-token-1234",
        "Basic Y2FuYXJ5Y2FuYXJ5",
        "ghp_canary0123456789abcdef",
        "glpat-canary0123456789abcd",
        "AKIA0123456789CANARY",
        "helm --password=canary",
        "the word s3cret-canary itself",
    ],
)
def test_texts_lose_their_credentials(text: str) -> None:
    shown = urls.scrub(text, ["s3cret-canary"])
    assert "canary" not in shown.lower()
    assert "Y2FuYXJ5" not in shown
