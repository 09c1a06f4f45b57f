"""The one check of addresses: what is refused and why, where no name may lead, and what is never shown."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
        ("0.1.2.3", True, True),
        ("::", True, True),
        ("224.0.0.1", True, True),
        ("255.255.255.255", True, True),
        ("10.0.0.1", False, False),
        ("192.0.2.1", False, False),
        ("fd00:ec3::254", False, False),
        ("2001:db8::1", False, False),
        ("64:ff9b::192.0.2.1", False, False),
        ("not an address", True, True),
    ],
)
def test_places_that_no_repository_is_at_are_refused(address: str, loopback: bool, refused: bool) -> None:
    assert bool(urls.Reach(loopback).refusal("host.example", 443, address)) is refused


METADATA = (
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd20:ce::254",
    "fd00:42::42",
)


@pytest.mark.parametrize("address", METADATA)
def test_metadata_services_are_refused_whatever_a_name_or_a_project_says(address: str) -> None:
    place = {("meta.example", 80), (address, 80)}
    opened = urls.Reach(loopback=True).besides_own(place)
    assert opened.refusal("meta.example", 80, address)
    assert opened.refusal(address, 80, address)
    # A name that the operator wrote down may be made to lead there by whoever holds it.
    assert urls.Reach().besides(place).refusal("meta.example", 80, address)
    assert urls.Reach().besides(place).refusal(address, 80, address) == ""


def _carriers(address: ipaddress.IPv4Address) -> dict[str, str]:
    """Return the forms in which IPv6 carries an IPv4 address, by the RFCs that define them."""
    number = int(address)
    high, low = divmod(number, 1 << 16)
    return {
        "mapped (4291)": f"::ffff:{address}",
        "NAT64 (6052)": f"64:ff9b::{address}",
        "local NAT64 (8215)": f"64:ff9b:1::{high:x}:{low:x}",
        "6to4 (3056)": f"2002:{high:x}:{low:x}::1",
        "Teredo (4380)": f"2001:0:c000:201::{high ^ 0xFFFF:x}:{low ^ 0xFFFF:x}",
        "Teredo server": f"2001:0:{high:x}:{low:x}::3fff:fdfe",
        "ISATAP (5214)": f"2001:db8::5efe:{high:x}:{low:x}",
    }


@given(st.ip_addresses(v=4))
def test_an_address_inside_of_another_is_judged_as_itself(address: ipaddress.IPv4Address) -> None:
    plain = urls.Reach().refusal("host.example", 443, str(address))
    for form, carrier in _carriers(address).items():
        assert bool(urls.Reach().refusal("host.example", 443, carrier)) is bool(plain), form


@given(st.sampled_from([*METADATA[:6], "127.0.0.1", "169.254.1.1", "0.0.0.0"]))
def test_no_form_of_a_refused_address_is_asked(text: str) -> None:
    for form, carrier in _carriers(ipaddress.IPv4Address(text)).items():
        assert urls.Reach().refusal("host.example", 443, carrier), form
        assert urls.Reach().refusal_unresolved(carrier, 443), form


@pytest.mark.parametrize(
    "host",
    ["127.1", "0x7f.1", "2130706433", "localhost", "x.localhost.", "[::1]".strip("[]"), "metadata.google.internal"],
)
def test_a_proxy_is_not_asked_for_this_machine_or_a_metadata_service(host: str) -> None:
    assert urls.Reach().refusal_unresolved(host, 80)
    assert not urls.Reach().refusal_unresolved("git.example", 80)


def test_a_server_an_operator_wrote_down_may_be_on_this_machine_or_link_local() -> None:
    reach = urls.Reach().besides({("git.example", 80)})
    assert reach.refusal("Git.example", 80, "127.0.0.1") == ""
    assert reach.refusal("Git.example", 80, "169.254.3.4") == ""


def test_what_a_project_wrote_down_opens_this_machine_only_by_its_own_address() -> None:
    reach = urls.Reach().besides_own({("127.0.0.1", 80), ("git.example", 80), ("169.254.3.4", 80)})
    assert reach.refusal("127.0.0.1", 80, "127.0.0.1") == ""
    assert reach.refusal("git.example", 80, "127.0.0.1") == "git.example is this machine"
    assert reach.refusal("169.254.3.4", 80, "169.254.3.4")
    assert reach.refusal("127.0.0.1", 81, "127.0.0.1") == "127.0.0.1 is this machine"


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
