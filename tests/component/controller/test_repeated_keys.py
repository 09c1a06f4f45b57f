"""Lists whose items share a key: the same port of UDP and TCP, a variable that is named twice.

What kubectl's patches do to them is judged in `tests/oracle/patch`; here apps with such objects are delivered, changed
and reduced.
"""

import json
from typing import Any

import msgspec
import pytest
import yaml

from syncline.model.settings.settings import Compat, Settings
from tests.support import stories
from tests.support.loops.simulated import run_simulated
from tests.support.stories import AUTO, Story
from tests.support.world import SETTINGS, Bed, SandboxBed

ARGOCD = msgspec.structs.replace(SETTINGS, compat=Compat.ARGOCD)
BOTH = pytest.mark.parametrize("settings", [SETTINGS, ARGOCD], ids=["own", "argocd"])
UDP = {"name": "dns", "port": 53, "protocol": "UDP"}
TCP = {"name": "dns-tcp", "port": 53, "protocol": "TCP"}
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def tell(settings: Settings, story: Story) -> None:
    async def main() -> None:
        await stories.play(SandboxBed(0, settings=settings), story)

    run_simulated(main, seed=0)


def service(*ports: dict[str, Any]) -> dict[str, Any]:
    spec = {"selector": {"app": "dns"}, "ports": list(ports)}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "dns"}, "spec": spec}


def deployment(pod: dict[str, Any], **container: Any) -> dict[str, Any]:
    containers = [{"name": "dns", "image": "example/web:1", **container}]
    template = {"metadata": {"labels": {"app": "dns"}}, "spec": {**pod, "containers": containers}}
    spec = {"selector": {"matchLabels": {"app": "dns"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "dns"}, "spec": spec}


SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
OBJECTS = {
    "service ports": service(UDP, TCP),
    "service ports without protocol": service(UDP, {"name": "dns-tcp", "port": 53}),
    "container ports": deployment({}, ports=[{"containerPort": 53, "protocol": "UDP"}, {"containerPort": 53}]),
    "tolerations": deployment({"tolerations": [{"key": "a"}, {"key": "a", "effect": "NoSchedule"}]}),
    "spread": deployment({"topologySpreadConstraints": [SPREAD, {**SPREAD, "topologyKey": "host"}]}),
    "variables": deployment({}, env=[{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]),
    "host aliases": deployment({"hostAliases": [{"ip": "1.1.1.1", "hostnames": [name]} for name in "ab"]}),
}


@BOTH
@pytest.mark.parametrize("obj", OBJECTS.values(), ids=OBJECTS)
def test_an_object_with_a_repeated_key_is_delivered_and_stays_synced(settings: Settings, obj: dict[str, Any]) -> None:
    async def story(bed: Bed) -> None:
        bed.source.commit({"apps/web/dns.yaml": yaml.safe_dump(obj)})
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_delivered()
        await bed.quiet()
        assert await bed.status() == ("Synced", "Healthy")

    tell(settings, story)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ((UDP, TCP), ({**UDP, "targetPort": 5353}, TCP)),
        ((UDP, TCP), (UDP, {**TCP, "targetPort": 5353})),
        ((UDP, TCP), (UDP,)),
        ((UDP, TCP), (TCP,)),
        ((UDP,), (UDP, TCP)),
        ((UDP, TCP), (TCP, UDP)),
    ],
    ids=["other udp", "other tcp", "no tcp", "no udp", "also tcp", "turned around"],
)
@pytest.mark.parametrize("applied_by_kubectl", [False, True], ids=["ours", "kubectl's"])
def test_a_change_to_ports_that_share_a_number_arrives(
    first: tuple[dict[str, Any], ...], then: tuple[dict[str, Any], ...], applied_by_kubectl: bool
) -> None:
    async def story(bed: Bed) -> None:
        if applied_by_kubectl:
            await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "web"}})
            before = service(*first)
            before["metadata"] |= {"namespace": "web", "annotations": {LAST_APPLIED: json.dumps(before)}}
            await bed.user.create(await bed.resource("v1", "Service"), before, manager="kubectl-client-side-apply")
        else:
            bed.source.commit({"apps/web/dns.yaml": yaml.safe_dump(service(*first))})
            await bed.apply(bed.application(automated=AUTO))
            await bed.until_delivered()
        revision = bed.source.commit({"apps/web/dns.yaml": yaml.safe_dump(service(*then))})
        await bed.apply(bed.application(automated=AUTO))

        async def arrived() -> bool:
            return bool(((await bed.app_status()).get("sync") or {}).get("revision") == revision)

        await bed.until(arrived, "the second commit was seen")
        await bed.until_delivered()
        live = (await bed.must_get("Service", "dns", "v1"))["spec"]["ports"]
        wanted = {(port["protocol"], port.get("targetPort", 53)) for port in then}
        assert {(port["protocol"], port["targetPort"]) for port in live} == wanted

    tell(SETTINGS, story)
