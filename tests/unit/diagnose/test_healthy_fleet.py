"""Five hundred healthy apps, made by a program in several shapes: nothing is wrong with any of them."""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import Object
from syncline.core.diagnose import engine
from syncline.core.diagnose.registry import checks
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.desired import Desired, DesiredObject, Origin
from syncline.model.finding import Severity
from tests.unit.diagnose.repos import SERVER

APPS = 500


def obj(version: str, kind: str, name: str, **more: Any) -> Object:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **more}


def workload(name: str, number: int) -> list[Object]:
    labels = {"app": name}
    container: Object = {
        "name": "main",
        "image": f"example/{name}:{number}",
        "ports": [{"name": "http", "containerPort": 80}],
    }
    pod: Object = {"containers": [container], "serviceAccountName": name}
    spec: Object = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}
    objects = [obj("v1", "ServiceAccount", name)]
    if number % 2:
        container["envFrom"] = [{"configMapRef": {"name": "settings"}}]
        objects.append(obj("v1", "ConfigMap", "settings", data={"number": str(number)}))
    if number % 3 == 0:
        spec["replicas"] = 2
    else:
        target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}
        objects.append(
            obj("autoscaling/v2", "HorizontalPodAutoscaler", name, spec={"maxReplicas": 5, "scaleTargetRef": target})
        )
    objects.append(obj("apps/v1", "Deployment", name, spec=spec))
    objects.append(obj("v1", "Service", name, spec={"selector": labels, "ports": [{"port": 80, "targetPort": "http"}]}))
    return objects


def fleet() -> Repo:
    apps = []
    for number in range(APPS):
        name = f"svc-{number:03}"
        source = {"repoURL": "https://git.example.com/fleet.git", "path": f"services/{name}"}
        policy = {"automated": {"prune": True}, "syncOptions": ["CreateNamespace=true"]}
        spec = {
            "project": "default",
            "source": source,
            "destination": {"server": SERVER, "namespace": name},
            "syncPolicy": policy,
        }
        manifest = {**obj("argoproj.io/v1alpha1", "Application", name), "spec": spec}
        objects = tuple(
            DesiredObject(one, Origin(file=f"services/{name}.yaml", line=1)) for one in workload(name, number)
        )
        apps.append(RepoApp(manifest=DesiredObject(manifest), desired=Desired(objects), roots=("root",)))
    return Repo(apps=tuple(apps))


def test_nothing_is_wrong_with_a_healthy_fleet() -> None:
    found = engine.run([one for one in checks(Repo) if not one.rule.preview], fleet())
    assert [one for one in found if one.severity is not Severity.INFO] == []
