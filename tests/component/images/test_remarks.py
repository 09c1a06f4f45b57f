"""What `why` says about an image that cannot be pulled, where looking images up is switched on."""

import base64
import json
import types
from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import Object, key_of
from syncline.cli.render.image_check import with_remarks
from syncline.core.diagnose.explain import Explanation
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity
from syncline.model.settings.parts import SourceSettings
from syncline.model.settings.settings import Settings
from syncline.ports.kube import ApiResource
from tests.support import registry, this_machine

LAYER = [("application/vnd.oci.image.layer.v1.tar+gzip", b"layer")]


class Cluster:
    """A cluster that has one Secret."""

    def __init__(self, secret: Object) -> None:
        self._secret = secret

    async def get(self, _resource: ApiResource, _namespace: str, name: str) -> Object | None:
        return self._secret if name == "pull" else None


def pod(image: str) -> Object:
    waiting = {"waiting": {"reason": "ImagePullBackOff", "message": "no"}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web-1", "namespace": "web"},
        "spec": {
            "containers": [{"name": "web", "image": image}, {"name": "fine", "image": "other.example/fine:1"}],
            "imagePullSecrets": [{"name": "pull"}, {"name": "gone"}],
        },
        "status": {"phase": "Pending", "containerStatuses": [{"name": "web", "state": waiting}]},
    }


def explanation(image: str) -> Explanation:
    message = f"Pod/web-1: image {image} of container web cannot be pulled (ImagePullBackOff)"
    finding = Finding(
        code="WKL-002", name="image-not-found", severity=Severity.ERROR, subject="Pod/web-1", message=message
    )
    return Explanation(app="a/b", sync="Synced", health="Degraded", since="", revision="", findings=(finding,))


async def remarks(place: str, tag: str, *, on: bool = True) -> tuple[Evidence, ...]:
    image = f"{place}/team/web:{tag}"
    auth = {"auths": {place: {"auth": base64.b64encode(b"ada:canary").decode()}}}
    text = base64.b64encode(json.dumps(auth).encode()).decode()
    settings = msgspec.structs.replace(Settings(), sources=SourceSettings(look_up_images=on))
    seen: Any = types.SimpleNamespace(
        snapshot=types.SimpleNamespace(settings=settings),
        prepared=types.SimpleNamespace(objects=(), hooks=()),
        live={key_of(pod(image)): pod(image)},
    )
    cluster = Cluster({"data": {".dockerconfigjson": text}})

    async def place_of(_assessment: object) -> Any:
        return types.SimpleNamespace(cluster=cluster)

    eyes: Any = types.SimpleNamespace(place=place_of)
    told = await with_remarks(explanation(image), seen, eyes)
    return told.findings[0].evidence


@pytest.mark.parametrize(
    ("tag", "words"),
    [("1", "its registry has {image}:1"), ("2", "{place} has no team/web:2; it has 1 tag, newest by name: 1")],
)
async def test_the_registry_is_asked_with_the_pods_pull_secret(
    tag: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with registry.serve(password="ada:canary") as running:
        monkeypatch.setenv(this_machine.VARIABLE, running.place)
        running.put("team/web", "1", LAYER)
        text = words.format(place=running.place, image=f"{running.place}/team/web")
        assert await remarks(running.place, tag) == (Evidence(kind=EvidenceKind.MESSAGE, text=text),)


async def test_nobody_is_asked_unless_it_is_switched_on() -> None:
    with registry.serve() as running:
        assert await remarks(running.place, "1", on=False) == ()
        assert running.requests == []
