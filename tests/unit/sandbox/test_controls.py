"""Faults and admission rules that a test puts into a running sandbox."""

from typing import Any

import msgspec
import pytest

from syncline.ports.transport import Request, TransportError
from syncline.sandbox.controls import Controls, Fault
from tests.unit.sandbox.driving import CONFIG_MAPS, Kube, config_map, play


def test_an_error_before_the_commit_leaves_nothing_behind() -> None:
    async def story(kube: Kube) -> Any:
        kube.sandbox.controls = Controls(
            faults=(Fault(methods=("POST",), code=503, reason="ServiceUnavailable", times=1),)
        )
        refused = await kube.refusal("POST", CONFIG_MAPS, config_map())
        left = await kube.names(CONFIG_MAPS)
        await kube.create(CONFIG_MAPS, config_map())
        return refused[:2], left

    assert play(story) == ((503, "ServiceUnavailable"), ["kube-root-ca.crt"])


def test_a_cut_after_the_commit_leaves_the_object_behind() -> None:
    async def story(kube: Kube) -> Any:
        kube.sandbox.controls = Controls(faults=(Fault(methods=("POST",), when="after", cut=True, times=1),))
        with pytest.raises(TransportError, match="cut the connection"):
            await kube.create(CONFIG_MAPS, config_map())
        return await kube.names(CONFIG_MAPS)

    assert play(story) == ["kube-root-ca.crt", "settings"]


def test_latency_passes_on_the_clock_and_a_timeout_gives_up() -> None:
    async def story(kube: Kube) -> Any:
        kube.sandbox.controls = Controls(faults=(Fault(path="*/configmaps", delay=5.0),))
        begun = kube.clock.monotonic()
        await kube.get(CONFIG_MAPS)
        took = kube.clock.monotonic() - begun
        with pytest.raises(TransportError, match="within 2 seconds"):
            await kube.transport.send(Request(method="GET", path=CONFIG_MAPS), timeout=2)
        return took

    assert play(story) == 5.0


def test_admission_rules_deny_and_change() -> None:
    async def story(kube: Kube) -> Any:
        given = {
            "admission": [
                {"kind": "ConfigMap", "objectName": "bad*", "deny": "no bad names here", "name": "names.example.io"},
                {"kind": "ConfigMap", "setFields": {"data.injected": "yes"}},
            ]
        }
        kube.sandbox.controls = msgspec.convert(given, Controls)
        refused = await kube.refusal("POST", CONFIG_MAPS, config_map("bad-one"))
        return refused, (await kube.create(CONFIG_MAPS, config_map(data={"a": "1"})))["data"]

    refused, content = play(story)
    assert refused == (403, "Forbidden", 'admission webhook "names.example.io" denied the request: no bad names here')
    assert content == {"a": "1", "injected": "yes"}


def test_every_request_can_be_audited() -> None:
    async def story(kube: Kube) -> Any:
        seen: list[Any] = []
        kube.sandbox.on_request = seen.append
        await kube.create(CONFIG_MAPS, config_map(), fieldManager="me")
        await kube.refusal("GET", f"{CONFIG_MAPS}/none")
        return [(one.method, one.path, one.user, one.manager, one.code) for one in seen]

    assert play(story) == [
        ("POST", f"{CONFIG_MAPS}?fieldManager=me", "admin", "me", 201),
        ("GET", f"{CONFIG_MAPS}/none", "admin", "tester", 404),
    ]
