"""What only one may have and nobody may give away: addresses and ports over a restart, gathered roles, anonymous."""

import pathlib
from typing import Any

import pytest

from syncline.sandbox.cluster import file
from syncline.sandbox.cluster.settings import SandboxSettings
from tests.unit.sandbox.driving import Kube, play

SERVICES = "/api/v1/namespaces/default/services"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
GROUP = "rbac.authorization.k8s.io"
PORTS = {"ports": [{"port": 80}]}


def service(name: str, **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {**PORTS, **spec}}


def test_a_cluster_file_sends_webhooks_to_this_machine_alone() -> None:
    told = 'webhooks sends "shop/checker" to hooks.example.com:443; only this machine will do, such as 127.0.0.1:9443'
    with pytest.raises(file.ClusterFileError, match=told):
        file.parse('webhooks: {shop/checker: "hooks.example.com:443"}', "c.yaml")
    with pytest.raises(file.ClusterFileError, match='webhooks has "checker", which is not namespace/name of a Service'):
        file.parse('webhooks: {checker: "127.0.0.1:9443"}', "c.yaml")


def test_what_a_service_holds_is_held_after_a_restart(tmp_path: pathlib.Path) -> None:
    settings = SandboxSettings(data=str(tmp_path), simulate=False)

    async def before(kube: Kube) -> Any:
        spec = (await kube.create(SERVICES, service("a", type="NodePort")))["spec"]
        return spec["clusterIP"], spec["ports"][0]["nodePort"]

    address, port = play(before, settings)

    async def after(kube: Kube) -> Any:
        taken = service("b", clusterIP=address)
        on_node = service("b", type="NodePort", ports=[{"port": 80, "nodePort": port}])
        return [(await kube.refusal("POST", SERVICES, body))[2] for body in (taken, on_node)]

    assert play(after, settings, seed=1) == [
        (
            f'Service "b" is invalid: spec.clusterIPs: Invalid value: ["{address}"]: '
            f"failed to allocate IP {address}: provided IP is already allocated"
        ),
        f'Service "b" is invalid: spec.ports[0].nodePort: Invalid value: {port}: provided port is already allocated',
    ]


def test_addresses_come_from_the_network_of_the_cluster_until_it_is_full() -> None:
    async def story(kube: Kube) -> Any:
        made = [(await kube.create(SERVICES, service(f"s{n}")))["spec"]["clusterIP"] for n in range(13)]
        full = await kube.refusal("POST", SERVICES, service("more"))
        await kube.call("DELETE", f"{SERVICES}/s3")
        return made, full[0], (await kube.create(SERVICES, service("again")))["spec"]["clusterIP"]

    made, full, again = play(story, SandboxSettings(simulate=False, service_network="10.7.0.0/28"))
    assert sorted(made) == sorted(f"10.7.0.{n}" for n in range(2, 15))
    assert (full, again) == (500, made[3])


@pytest.mark.parametrize("text", ["10.7.0.0", "10.7.0.1/16", "fd00::/108", "10.7.0.0/30", "x"])
def test_a_service_network_that_cannot_be_used_is_told(text: str) -> None:
    with pytest.raises(file.ClusterFileError, match=f'serviceNetwork is "{text}", not a network such as'):
        file.parse(f'serviceNetwork: "{text}"', "c.yaml")


def test_a_client_that_reads_protobuf_alone_is_not_told_that_there_is_some() -> None:
    async def story(kube: Kube) -> Any:
        answer = await kube.ask(SERVICES, "application/vnd.kubernetes.protobuf")
        body = await answer.read()
        return answer.status, b"protobuf" in body, b"application/yaml" in body

    assert play(story) == (406, False, True)


def test_a_role_that_is_gathered_by_labels_counts_at_once() -> None:
    async def story(kube: Kube) -> Any:
        role = {"apiGroup": GROUP, "kind": "ClusterRole", "name": "edit"}
        subject = {"apiGroup": GROUP, "kind": "User", "name": "eve"}
        binding = {"metadata": {"name": "eve"}, "roleRef": role, "subjects": [subject]}
        await kube.create(f"{RBAC}/namespaces/default/rolebindings", binding)
        eve = Kube(kube.sandbox, "eve", ())
        path = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles"
        before = await eve.refusal("GET", path)
        rule = {"apiGroups": [GROUP], "resources": ["roles"], "verbs": ["list"]}
        labels = {f"{GROUP}/aggregate-to-edit": "true"}
        await kube.create(f"{RBAC}/clusterroles", {"metadata": {"name": "more", "labels": labels}, "rules": [rule]})
        return before[0], await eve.names(path)

    assert play(story) == (403, [])
