"""Subsets of Endpoints are put together anew before they are compared, however they were written."""

from typing import Any

import pytest

from syncline.core.compare.endpoints import repacked
from tests.support.objects import obj

A, B, C = ({"ip": f"10.0.0.{number}"} for number in (1, 2, 3))
HTTP, DNS = {"port": 80, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}


def subsets(*given: dict[str, Any]) -> Any:
    return repacked(obj("Endpoints", "web", subsets=list(given)))["subsets"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        # The same addresses behind two ports are one subset.
        (
            [{"addresses": [A, B], "ports": [HTTP]}, {"addresses": [B, A], "ports": [DNS]}],
            [{"addresses": [A, B], "ports": [DNS, HTTP]}],
        ),
        # Two subsets of one port are one.
        (
            [{"addresses": [A], "ports": [HTTP]}, {"addresses": [B], "ports": [HTTP]}],
            [{"addresses": [A, B], "ports": [HTTP]}],
        ),
        # An address that is ready for only some ports splits a subset.
        (
            [{"addresses": [A], "ports": [HTTP]}, {"addresses": [A, B], "ports": [DNS]}],
            [{"addresses": [A], "ports": [HTTP]}, {"addresses": [A, B], "ports": [DNS]}],
        ),
        # Not ready always wins over ready.
        (
            [{"addresses": [A], "ports": [HTTP]}, {"notReadyAddresses": [A], "ports": [HTTP]}],
            [{"notReadyAddresses": [A], "ports": [HTTP]}],
        ),
        # TCP is the default.
        ([{"addresses": [A], "ports": [{"port": 80}]}], [{"addresses": [A], "ports": [HTTP]}]),
        # Addresses without ports are kept.
        ([{"addresses": [A]}], [{"addresses": [A]}]),
        # One IP of two pods is two addresses.
        (
            [{"addresses": [{**A, "targetRef": {"uid": "1"}}, {**A, "targetRef": {"uid": "2"}}], "ports": [HTTP]}],
            [{"addresses": [{**A, "targetRef": {"uid": "1"}}, {**A, "targetRef": {"uid": "2"}}], "ports": [HTTP]}],
        ),
        # A subset of nothing is nothing.
        ([{"ports": [HTTP]}], [{"ports": [HTTP]}]),
    ],
)
def test_subsets_are_put_together_by_ports_and_addresses(given: list[Any], expected: list[Any]) -> None:
    found = subsets(*given)
    assert sorted(map(str, found)) == sorted(map(str, expected))


def test_the_order_of_subsets_addresses_and_ports_does_not_count() -> None:
    one = {"addresses": [A, B], "ports": [HTTP, DNS]}
    other = {"addresses": [C], "ports": [HTTP]}
    turned = {"addresses": [B, A], "ports": [DNS, HTTP]}
    assert subsets(one, other) == subsets(other, turned)


@pytest.mark.parametrize("given", [None, {}, [1], [{"addresses": 1}], [{"ports": ["80"]}]])
def test_what_are_no_subsets_is_left_as_it_is(given: Any) -> None:
    assert repacked(obj("Endpoints", "web", subsets=given))["subsets"] == given
