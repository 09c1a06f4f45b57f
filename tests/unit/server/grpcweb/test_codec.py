"""From JSON to bytes and back: names, presence, times, and what cannot be read; bytes are spelled out."""

import asyncio
from typing import Any

import pytest

from syncline.server.grpcweb import schema
from syncline.server.grpcweb.codec import Codec, Unfit
from syncline.server.requests.failures import Failure


@pytest.fixture(scope="module")
def codec() -> Codec:
    return Codec(schema.shipped())


@pytest.mark.parametrize(
    ("name", "value", "content"),
    [
        ("project.ProjectQuery", {"name": "a"}, b"\x0a\x01a"),
        ("meta.Time", "1970-01-01T00:00:01Z", b"\x08\x01\x10\x00"),
        ("v1alpha1.KustomizeReplica", {"name": "a", "count": 3}, b"\x0a\x01a\x12\x04\x08\x00\x10\x03"),
        ("v1alpha1.KustomizeReplica", {"name": "a", "count": "3"}, b"\x0a\x01a\x12\x05\x08\x01\x1a\x013"),
        # The strategy's own field stands in a message of its own, which JSON does not show.
        ("v1alpha1.SyncStrategyHook", {"force": True}, b"\x0a\x02\x08\x01"),
        ("v1alpha1.OverrideIgnoreDiff", {"jsonPointers": ["/a"]}, b"\x0a\x02/a"),
        ("v1alpha1.ResourceOverride", {"ignoreDifferences": '{"jsonPointers":["/a"]}'}, b"\x12\x04\x0a\x02/a"),
        ("meta.ObjectMeta", {"labels": {"a": "b"}}, b"\x5a\x06\x0a\x01a\x12\x01b"),
        # Required fields are there whatever JSON says.
        ("application.ApplicationResourceResponse", {}, b"\x0a\x00"),
        ("account.Token", {"id": "a", "issuedAt": "7"}, b"\x0a\x01a\x10\x07"),
    ],
)
def test_json_becomes_these_bytes(codec: Codec, name: str, value: Any, content: bytes) -> None:
    assert codec.encode(name, value) == content


@pytest.mark.parametrize(
    ("name", "content", "value"),
    [
        # Go writes a pointer to false, and JSON has to say so; a false that is no pointer says nothing.
        ("v1alpha1.SyncPolicyAutomated", b"\x08\x00\x10\x00\x18\x00\x20\x00", {"enabled": False}),
        ("v1alpha1.SyncPolicyAutomated", b"\x08\x01\x10\x00\x18\x00", {"prune": True}),
        ("v1alpha1.SyncPolicy", b"\x0a\x00", {"automated": {}}),
        ("v1alpha1.SyncStrategyHook", b"\x0a\x02\x08\x01", {"force": True}),
        ("v1alpha1.SyncStrategyHook", b"\x0a\x02\x08\x00", {}),
        ("meta.ObjectMeta", b"\x0a\x01a\x12\x00\x42\x00", {"name": "a"}),
        ("meta.ObjectMeta", b"\x42\x02\x08\x01", {"creationTimestamp": "1970-01-01T00:00:01Z"}),
        ("v1alpha1.ApplicationSourceHelm", b'\x52\x09\x0a\x07{"a":1}', {"valuesObject": {"a": 1}}),
        ("project.ProjectQuery", b"\x0a\x01a\x98\x06\x01", {"name": "a"}),
    ],
)
def test_bytes_become_this_json(codec: Codec, name: str, content: bytes, value: Any) -> None:
    assert codec.decode(name, content) == value


APPLICATION = {
    "metadata": {
        "name": "shop",
        "namespace": "argocd",
        "annotations": {"note": "é"},
        "creationTimestamp": "2026-01-31T12:00:00Z",
        "managedFields": [{"manager": "kubectl", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {".": {}}}}],
    },
    "spec": {
        "project": "default",
        "destination": {"server": "https://kubernetes.default.svc"},
        "sources": [
            {
                "repoURL": "https://git.example/a.git",
                "path": "a",
                "helm": {"parameters": [{"name": "a", "value": "b"}]},
            },
            {"repoURL": "https://git.example/b.git", "plugin": {"parameters": [{"name": "m", "map": {"a": "b"}}]}},
            {
                "repoURL": "https://git.example/c.git",
                "kustomize": {"patches": [{"target": {"kind": "Job", "name": "x"}}]},
            },
        ],
        "syncPolicy": {"automated": {"prune": True, "enabled": False}, "retry": {"limit": 5}},
    },
    "status": {"history": [{"id": 7, "deployedAt": "2026-01-31T12:00:01Z", "revision": "abc"}]},
}


def test_an_application_comes_back_as_it_went(codec: Codec) -> None:
    assert codec.decode("v1alpha1.Application", codec.encode("v1alpha1.Application", APPLICATION)) == APPLICATION


def test_what_a_message_has_no_field_for_is_left_out(codec: Codec) -> None:
    more = {**APPLICATION, "apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "surprise": {"a": [1]}}
    assert codec.encode("v1alpha1.Application", more) == codec.encode("v1alpha1.Application", APPLICATION)


def test_a_long_list_is_written_in_parts_and_is_one_list(codec: Codec) -> None:
    items = [{"metadata": {"name": f"app-{number}"}} for number in range(120)]
    value = {"metadata": {"resourceVersion": "7"}, "items": items}
    content = asyncio.run(codec.encode_slowly("v1alpha1.ApplicationList", value))
    assert codec.decode("v1alpha1.ApplicationList", content) == value


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("project.ProjectQuery", b"\x0a\x05a"),
        ("project.ProjectQuery", b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
        ("project.ProjectQuery", b"\x0a\x02\xff\xfe"),
        ("meta.ObjectMeta", b"\x5a\x07\x0a\x02\xff\xfe\x12\x01b"),
        ("application.ApplicationResourceRequest", b"\x0a\x01a"),
        ("application.ApplicationPodLogsQuery", b"\x0a\x01a\x32\x0a\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),
        ("v1alpha1.ApplicationSourceHelm", b"\x52\x05\x0a\x03{{{"),
        ("v1alpha1.KustomizeReplica", b"\x12\x05\x08\x01\x1a\x01\xff"),
        ("v1alpha1.Application", b"\x12" + b"\x80" * 20),
    ],
)
def test_what_cannot_be_read_is_one_sentence(codec: Codec, name: str, content: bytes) -> None:
    with pytest.raises(Failure, match=f"not a message of the type {name}") as caught:
        codec.decode(name, content)
    assert caught.value.code == 3


@pytest.mark.parametrize(
    "value",
    [None, [], "text", {"spec": []}, {"spec": {"sources": {"a": 1}}}, {"metadata": {"creationTimestamp": "soon"}}],
)
def test_json_of_another_shape_does_not_fit(codec: Codec, value: Any) -> None:
    with pytest.raises(Unfit, match="does not fit"):
        codec.encode("v1alpha1.Application", value)
