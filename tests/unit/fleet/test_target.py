"""What `why` is asked about: an Application, an ApplicationSet or any object; and the causes of one object alone."""

import pytest

from syncline.apimachinery.keys import ObjectKey
from syncline.cli.diagnose.target import kind_word
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model.diagnosis import Thing
from syncline.model.fleet import ClusterSnapshot, FleetSnapshot
from tests.unit.fleet.test_command import NAMESPACE, deployment, pod


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("cart", ("", "cart")),
        ("argocd/cart", ("", "argocd/cart")),
        ("deploy/web", ("Deployment", "web")),
        ("deployments/web", ("Deployment", "web")),
        ("Ingresses/web", ("Ingress", "web")),
        ("storageclass/fast", ("StorageClass", "fast")),
        ("appset/fleet", ("ApplicationSet", "fleet")),
        ("app/argocd/cart", ("Application", "argocd/cart")),
        ("certificate.cert-manager.io/web", ("certificate.cert-manager.io", "web")),
    ],
)
def test_the_word_before_the_slash_is_a_kind_or_a_namespace(text: str, meant: tuple[str, str]) -> None:
    assert kind_word(text) == meant


@pytest.mark.parametrize(("ready", "causes"), [(False, 1), (True, 0)])
def test_only_what_is_behind_the_one_object_is_told(*, ready: bool, causes: int) -> None:
    other = deployment(ready=0)
    other["metadata"] = {**other["metadata"], "name": "other"}
    objects = (deployment(ready=int(ready)), other, pod(ready=ready))
    fleet = FleetSnapshot(as_of="", origin="", clusters=(ClusterSnapshot(name="home", objects=objects),))
    found = diagnose(fleet, Thing(cluster="home", key=ObjectKey("apps", "Deployment", NAMESPACE, "web")))
    assert (found.total, found.good, len(found.causes)) == (1, 1 - causes, causes)
    assert [one.affected for one in found.causes] == [("Deployment/web in shop",)] * causes
