"""A story about what a server takes with a warning: keys given twice in patches, old names, doubled entries."""

from __future__ import annotations

from typing import Any

from tests.contract.admission import ACCOUNT
from tests.contract.config import MAPS, NAMESPACE
from tests.contract.steps import APPLY, JSON_PATCH, MERGE, STRATEGIC, Step, Story, obj, post

DRY = "?dryRun=All"
HOME = "/api/v1/namespaces/trial"
APPLYING = f"{MAPS}/one{DRY}&fieldManager=x&force=true"


def patch(content_type: str, body: str, path: str = f"{MAPS}/one{DRY}") -> Step:
    return Step(method="PATCH", path=path, body=body, content_type=content_type)


def pod(annotations: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    containers = spec.pop("containers", [{"name": "c", "image": "i"}])
    return obj("odd", metadata={"annotations": annotations or {}}, spec={"containers": containers, **ACCOUNT, **spec})


DOUBLED: dict[str, Any] = {
    "name": "c",
    "image": "i",
    "env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}],
    "ports": [{"containerPort": 80}, {"containerPort": 80}],
    "resources": {"requests": {"memory": "0.1"}, "limits": {"memory": "100m"}},
}
TEMPLATE: dict[str, Any] = {
    "metadata": {"labels": {"a": "b"}, "annotations": {"scheduler.alpha.kubernetes.io/critical-pod": ""}},
    "spec": {"containers": [DOUBLED], "nodeSelector": {"beta.kubernetes.io/os": "linux"}},
}
SELECTED = {"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE}
ONCE = {"template": {**TEMPLATE, "spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}}
OLD_CLASS = {"volume.beta.kubernetes.io/storage-class": "x"}
BACKEND = {"service": {"name": "a", "port": {"number": 80}}}
ODD = Story(
    "oddities",
    (
        NAMESPACE,
        post(MAPS, obj("one", data={"a": "1"})),
        patch(MERGE, '{"data":{"a":"1","a":"2"}}'),
        patch(STRATEGIC, '{"data":{"a":"1","a":"2"}}'),
        patch(JSON_PATCH, '[{"op":"add","path":"/data/b","value":"1","value":"2"}]'),
        patch(JSON_PATCH, '[{"op":"add","path":"/data/b","value":"1","zap":"2"}]'),
        patch(APPLY, '{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1","a":"2"}}', APPLYING),
        patch(
            APPLY,
            '{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1","a":"2"}}',
            f"{APPLYING}&fieldValidation=Strict",
        ),
        patch(MERGE, '{"data":{"a":"1","a":"2"}}', f"{MAPS}/one{DRY}&fieldValidation=Ignore"),
        patch(MERGE, '{"data":{"a":"1","a":"2"}}', f"{MAPS}/one{DRY}&fieldValidation=Strict"),
        patch(
            JSON_PATCH,
            '[{"op":"add","path":"/data/b","value":"1","value":"2"}]',
            f"{MAPS}/one{DRY}&fieldValidation=Strict",
        ),
        post(f"{HOME}/secrets{DRY}", obj("odd", stringData={"x": 1})),
        post(f"{HOME}/secrets{DRY}", obj("odd", stringData={"x": True})),
        post(f"{HOME}/secrets{DRY}", obj("odd", stringData={"x": {}})),
        post(f"{HOME}/pods{DRY}", pod({"scheduler.alpha.kubernetes.io/critical-pod": ""})),
        post(f"{HOME}/pods{DRY}", pod(nodeSelector={"beta.kubernetes.io/arch": "arm64"})),
        post(
            f"{HOME}/pods{DRY}",
            pod(
                containers=[DOUBLED],
                hostAliases=[{"ip": "1.2.3.4", "hostnames": ["a"]}, {"ip": "1.2.3.4"}],
                imagePullSecrets=[{"name": "a"}, {"name": "a"}, {"name": ""}],
                volumes=[{"name": "v", "gitRepo": {"repository": "x"}}],
            ),
        ),
        post(f"/apis/apps/v1/namespaces/trial/deployments{DRY}", obj("odd", spec=SELECTED)),
        post(f"/apis/apps/v1/namespaces/trial/daemonsets{DRY}", obj("odd", spec=SELECTED)),
        post(f"/apis/batch/v1/namespaces/trial/jobs{DRY}", obj("odd", spec=ONCE)),
        post(
            f"/apis/batch/v1/namespaces/trial/cronjobs{DRY}",
            obj("odd", spec={"schedule": "* * * * *", "jobTemplate": {"spec": ONCE}}),
        ),
        post(f"{HOME}/services{DRY}", obj("odd", spec={"ports": [{"port": 80}], "externalIPs": ["1.2.3.4"]})),
        post(
            f"/apis/networking.k8s.io/v1/namespaces/trial/ingresses{DRY}",
            obj(
                "odd",
                metadata={"annotations": {"kubernetes.io/ingress.class": "nginx"}},
                spec={"defaultBackend": BACKEND},
            ),
        ),
        post(
            f"{HOME}/persistentvolumeclaims{DRY}",
            obj(
                "odd",
                metadata={"annotations": OLD_CLASS},
                spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "100m"}}},
            ),
        ),
        post(
            f"/api/v1/persistentvolumes{DRY}",
            obj(
                "odd",
                spec={
                    "capacity": {"storage": "1Gi"},
                    "accessModes": ["ReadWriteOnce"],
                    "persistentVolumeReclaimPolicy": "Recycle",
                    "hostPath": {"path": "/a"},
                },
            ),
        ),
    ),
)
STORIES = (ODD,)
