"""Request bodies: YAML, and the protobuf that Go clients send. The bytes are what kubectl 1.37 put on the wire."""

from typing import Any

import pytest

from syncline.sandbox.api import decoding, protobuf
from syncline.sandbox.errors import StatusError
from tests.unit.sandbox.driving import CONFIG_MAPS, Kube, play

# kubectl create namespace foo
NAMESPACE = bytes.fromhex(
    "6b3873000a0f0a02763112094e616d657370616365121b0a130a03666f6f12001a0022002a0032003800420012001a020a001a002200"
)


def test_protobuf_of_kubectl_is_read() -> None:
    decoded = decoding.body(NAMESPACE, "application/vnd.kubernetes.protobuf")
    assert decoded == {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "foo"},
        "spec": {},
        "status": {},
    }


@pytest.mark.parametrize("content", [b"", b"{}", NAMESPACE[:-3], NAMESPACE[:8], b"k8s\x00\xff\xff"])
def test_broken_protobuf_is_a_bad_request(content: bytes) -> None:
    with pytest.raises(StatusError) as refused:
        protobuf.decode(content)
    assert refused.value.code == 400


def test_yaml_is_applied_as_kubernetes_reads_it() -> None:
    async def story(kube: Kube) -> Any:
        from syncline.ports.transport import Request

        text = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: conf}\ndata:\n  answer: 'yes'\n"
        headers = {"Content-Type": "application/apply-patch+yaml"}
        request = Request(method="PATCH", path=f"{CONFIG_MAPS}/conf?fieldManager=me", headers=headers, body=text)
        response = await kube.transport.send(request)
        return response.status, (await kube.get(f"{CONFIG_MAPS}/conf"))["data"]

    assert play(story) == (201, {"answer": "yes"})


def test_broken_yaml_is_a_bad_request() -> None:
    with pytest.raises(StatusError) as refused:
        decoding.body(b"a: [", "application/yaml")
    assert refused.value.code == 400
