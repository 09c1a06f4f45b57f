"""Built-in kinds as the simulated controllers leave them, read by our own health checks."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.core.health import assess
from syncline.sandbox.cluster.settings import Container, Images, LoadBalancers, SandboxSettings, StorageClassSpec
from tests.component.sandbox.test_operators import create, live, obj
from tests.unit.sandbox.driving import Kube, play, pod_spec

TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": pod_spec("example/app:1")}
SELECTED = {"selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
WEB = obj("Deployment", "apps/v1", "web", spec={**SELECTED, "progressDeadlineSeconds": 60})
TASK = {"template": {"spec": pod_spec("example/task:1", restartPolicy="Never")}, "backoffLimit": 0}
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
CPU = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}
AIM = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
BACKEND = {"service": {"name": "web", "port": {"number": 80}}}
NO_IMAGES = SandboxSettings(images=Images(known=()))


@pytest.mark.parametrize(
    ("settings", "objects", "expected"),
    [
        pytest.param(SandboxSettings(), [WEB], ("Healthy", ""), id="deployment"),
        pytest.param(NO_IMAGES, [WEB], ("Degraded", "ProgressDeadlineExceeded"), id="deployment without image"),
        pytest.param(
            SandboxSettings(containers=(Container(image="*", exit_code=1),)),
            [obj("Job", "batch/v1", "task", spec=TASK)],
            ("Degraded", "BackoffLimitExceeded"),
            id="failed job",
        ),
        pytest.param(
            NO_IMAGES,
            [obj("Pod", "v1", "one", spec=pod_spec())],
            ("Degraded", "ImagePullBackOff"),
            id="pod without image",
        ),
        pytest.param(
            SandboxSettings(storage_classes=(StorageClassSpec(name="now", default=True, binding_mode="Immediate"),)),
            [obj("PersistentVolumeClaim", "v1", "data", spec=CLAIM)],
            ("Healthy", ""),
            id="bound claim",
        ),
        pytest.param(
            SandboxSettings(load_balancers=LoadBalancers(problem="no addresses")),
            [obj("Service", "v1", "web", spec={"type": "LoadBalancer", "ports": [{"port": 80}]})],
            ("Progressing", ""),
            id="service without address",
        ),
        pytest.param(
            SandboxSettings(),
            [obj("Ingress", "networking.k8s.io/v1", "web", spec={"defaultBackend": BACKEND})],
            ("Healthy", ""),
            id="ingress",
        ),
        pytest.param(
            SandboxSettings(metrics_server=False),
            [
                WEB,
                obj(
                    "HorizontalPodAutoscaler",
                    "autoscaling/v2",
                    "web",
                    spec={"scaleTargetRef": AIM, "maxReplicas": 3, "metrics": [CPU]},
                ),
            ],
            ("Degraded", "FailedGetResourceMetric"),
            id="autoscaler without metrics",
        ),
        pytest.param(
            SandboxSettings(),
            [
                WEB,
                obj(
                    "PodDisruptionBudget",
                    "policy/v1",
                    "web",
                    spec={"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
                ),
            ],
            ("Healthy", ""),
            id="budget that allows nothing",
        ),
    ],
)
def test_what_the_controllers_write_is_read_right(settings: Any, objects: list[Any], expected: tuple[str, str]) -> None:
    async def story(kube: Kube) -> Any:
        await create(kube, *objects)
        await kube.clock.sleep(100)
        return await live(kube, objects[-1])

    found = play(story, settings)
    health = assess.assess(found)
    assert health is not None
    reason = health.reason if str(health.status) == "Degraded" else ""
    assert (str(health.status), reason) == expected, found["status"]
