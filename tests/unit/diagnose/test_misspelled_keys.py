"""A key that a workload asks for and an object spells otherwise: either of both may be the one that is wrong."""

from syncline.core.diagnose import engine, registry
from syncline.core.diagnose.subjects import App
from syncline.model.desired import DesiredObject
from syncline.model.finding import Finding
from tests.support.objects import deployment, desired, obj, placed
from tests.unit.diagnose.app_cases import container, live, look

CHECKS = [check for check in registry.checks(App) if check.rule.code == "SEC-004"]


def told(has: str) -> Finding:
    """Return what is said of a pod that asks for `password` of a Secret that has another key in Git."""
    env = [{"name": "P", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}]
    spec = {"containers": [{"name": "web", "image": "shop/web:1", "env": env}]}
    wanted = deployment()
    wanted["spec"]["template"]["spec"] = spec
    secret = obj("Secret", "db", stringData={has: "x"})
    said = container("CreateContainerConfigError", "couldn't find key password in Secret shop/db")
    objects = [
        live(wanted, "d"),
        live(obj("ReplicaSet", "web-1", api="apps/v1"), "r", "d"),
        live(obj("Pod", "web-1-x", spec=spec), "p", "r", **said),
    ]
    written = DesiredObject(secret, placed({f"stringData.{has}": 4}, file="deploy/db.yaml"))
    (finding,) = engine.run(CHECKS, look(wanted=desired(wanted, written), live=objects))
    return finding


def test_the_object_may_be_the_one_that_is_spelled_wrongly() -> None:
    (other,) = told("pasword").options
    assert [str(edit) for edit in other.edits] == ["deploy/db.yaml:4: pasword: → password:"]


def test_a_key_of_another_name_is_not_renamed() -> None:
    assert told("user").options == ()
