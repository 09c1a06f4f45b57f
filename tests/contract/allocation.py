"""Stories about what only one Service can have: cluster addresses and node ports."""

from __future__ import annotations

from typing import Any

from tests.contract.config import NAMESPACE
from tests.contract.steps import Step, Story, delete, merge, obj, post, put

SERVICES = "/api/v1/namespaces/trial/services"
PORT = {"port": 80}


def service(name: str, **spec: Any) -> Step:
    return post(SERVICES, obj(name, spec={"ports": [PORT], **spec}))


def on_nodes(name: str, *ports: dict[str, Any], **spec: Any) -> Step:
    return service(name, type="NodePort", ports=[{**PORT, **port} for port in ports], **spec)


def asking(text: str) -> Step:
    """Ask for the node port kept as `port`, which JSON writes as a number."""
    body = '{"metadata": {"name": "%s"}, "spec": {"type": "NodePort", "ports": [%s]}}'
    name, _, ports = text.partition(": ")
    return post(SERVICES, body % (name, ports))


ALLOCATION = Story(
    "allocation",
    (
        NAMESPACE,
        Step(
            method="POST",
            path=SERVICES,
            body=obj("first", spec={"type": "NodePort", "ports": [PORT]}),
            keep={"address": "spec.clusterIP", "port": "spec.ports.0.nodePort"},
        ),
        service("second", clusterIP="<address>"),
        service("second", clusterIP="<address>", ports=[]),
        service("first", clusterIP="<address>"),
        service("second", clusterIP="192.168.3.4"),
        service("second", clusterIP="zzz"),
        asking('second: {"port": 80, "nodePort": <port>}'),
        asking('second: {"port": 80, "nodePort": <port>}, {"port": 0, "nodePort": 99}'),
        asking('udp: {"port": 80, "nodePort": <port>, "protocol": "UDP"}'),
        on_nodes("second", {"nodePort": 80}),
        on_nodes("second", {"nodePort": 32768}),
        on_nodes("second", {"nodePort": 80}, clusterIP="<address>"),
        on_nodes("second", {"name": "a", "nodePort": 32701}, {"name": "b", "port": 81, "nodePort": 32701}),
        service("plain"),
        merge(f"{SERVICES}/plain", '{"spec": {"type": "NodePort", "ports": [{"port": 80, "nodePort": <port>}]}}'),
        merge(f"{SERVICES}/plain", {"spec": {"type": "NodePort", "ports": [{"port": 80, "nodePort": 3}]}}),
        merge(f"{SERVICES}/first", {"spec": {"selector": {"a": "b"}}}),
        put(
            f"{SERVICES}/first",
            '{"metadata": {"name": "first"}, "spec": {"clusterIP": "<address>", "type": "NodePort",'
            ' "ports": [{"port": 80, "nodePort": <port>}]}}',
        ),
        delete(f"{SERVICES}/first"),
        asking('third: {"port": 80, "nodePort": <port>}'),
        service("fourth", clusterIP="<address>"),
        service("lb", type="LoadBalancer", allocateLoadBalancerNodePorts=False),
    ),
)
STORIES = (ALLOCATION,)
