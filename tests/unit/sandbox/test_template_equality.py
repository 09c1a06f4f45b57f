"""Whatever empty values and numbers an applied template holds, its Deployment finds the ReplicaSet it made."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.sandbox.driving import DEPLOYMENTS, REPLICA_SETS, Kube, play

_TEXT = st.sampled_from(["", "x"])
_FLAG = st.booleans()
_AMOUNT = st.sampled_from([70, 0.5, 0, 1.0, 1e3, "0.0001", "070", "1e3", 12345678, "1.5Gi"])
"""Quantities as numbers, and as texts that are printed back otherwise."""
_CONTAINER = st.fixed_dictionaries(
    {"name": st.just("app"), "image": st.just("example/app:1")},
    optional={
        "env": st.one_of(st.just([]), st.builds(lambda value: [{"name": "X", "value": value}], _TEXT)),
        "envFrom": st.just([]),
        "args": st.lists(_TEXT, max_size=2),
        "command": st.just([]),
        "ports": st.one_of(st.just([]), st.just([{"containerPort": 80, "hostPort": 0, "name": ""}])),
        "volumeMounts": st.just([]),
        "workingDir": _TEXT,
        "tty": _FLAG,
        "resources": st.one_of(
            st.sampled_from([{}, {"limits": {}}, {"limits": {"cpu": "1000m"}, "requests": {}}]),
            st.builds(lambda cpu, memory: {"limits": {"cpu": cpu, "memory": memory}}, _AMOUNT, _AMOUNT),
        ),
        "securityContext": st.sampled_from([{}, {"privileged": False}, {"capabilities": {"add": []}}]),
        "lifecycle": st.just({}),
    },
)
_POD = st.fixed_dictionaries(
    {"containers": st.builds(lambda one: [one], _CONTAINER)},
    optional={
        "nodeSelector": st.just({}),
        "tolerations": st.just([]),
        "volumes": st.one_of(
            st.sampled_from([[], [{"name": "v", "emptyDir": {}}]]),
            st.builds(lambda size: [{"name": "v", "emptyDir": {"sizeLimit": size}}], _AMOUNT),
        ),
        "hostNetwork": st.just(False),
        "hostname": _TEXT,
        "imagePullSecrets": st.just([]),
        "affinity": st.sampled_from([{}, {"nodeAffinity": {}}]),
        "securityContext": st.sampled_from([{}, {"runAsUser": 0}, {"sysctls": []}]),
        "terminationGracePeriodSeconds": st.sampled_from([0, 30]),
        "serviceAccountName": st.just(""),
        "dnsConfig": st.sampled_from([{}, {"searches": []}]),
    },
)
_METADATA: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"labels": st.just({"app": "web"})}, optional={"annotations": st.just({})}
)


@settings(max_examples=30)
@given(st.fixed_dictionaries({"metadata": _METADATA, "spec": _POD}))
def test_an_applied_template_equals_that_of_its_replica_set(template: dict[str, Any]) -> None:
    body = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template},
    }

    async def story(kube: Kube) -> list[str]:
        path = f"{DEPLOYMENTS}/web"
        await kube.apply(path, body)
        await kube.until(path, lambda obj: (obj.get("status") or {}).get("updatedReplicas") == 1)
        await kube.apply(path, body, fieldManager="another", force="true")
        await kube.clock.sleep(2)
        return await kube.names(REPLICA_SETS)

    assert len(play(story)) == 1
