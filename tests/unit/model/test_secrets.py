"""No Secret value leaves in a snapshot, and equal values can still be seen to be equal."""

import base64
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncline.model import codec, masking
from syncline.model.desired import Desired, DesiredObject
from syncline.model.names import LAST_APPLIED
from syncline.model.snapshot import Snapshot
from tests.unit.model import values

Json = dict[str, Any]

KEY = b"a key of this installation"
# Long enough that it cannot occur by chance in a digest or in another field.
SECRETS = st.text(alphabet='0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ äß"\\\n', min_size=12, max_size=24)
FIELDS = ["data", "stringData"]


def secret(last_applied: Json | str | None = None, **fields: Json) -> Json:
    annotations = {"owner": "shop"}
    if last_applied is not None:
        annotations[LAST_APPLIED] = last_applied if isinstance(last_applied, str) else json.dumps(last_applied)
    metadata = {"name": "db", "namespace": "shop", "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque", **fields}


def snapshot(desired: Json, live: Json) -> Snapshot:
    return msgspec.structs.replace(
        values.SNAPSHOT, desired=Desired((DesiredObject(desired),)), live=(values.CONFIG_MAP, live)
    )


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for member in value.items() for part in member for text in texts(part)]
    if isinstance(value, list):
        return [text for member in value for text in texts(member)]
    return [value] if isinstance(value, str) else []


@given(plain=SECRETS)
def test_no_value_of_a_secret_is_in_an_encoded_snapshot(plain: str) -> None:
    encoded = base64.b64encode(plain.encode()).decode()
    applied = secret(data={"password": encoded}, stringData={"password": plain})
    desired = secret(stringData={"password": plain}, data={"password": encoded})
    live = secret(last_applied=secret(last_applied=applied, stringData={"password": plain}), data={"password": encoded})
    out = codec.encode_snapshot(snapshot(desired, live), KEY)
    every_text = "\n".join(texts(json.loads(out)))
    assert plain not in every_text
    assert encoded not in every_text
    assert json.dumps(plain)[1:-1] not in every_text


@pytest.mark.parametrize("broken", ["{", "[1]", "null", '"hunter2"', "password: hunter2"])
def test_a_last_applied_that_cannot_be_read_is_left_out(broken: str) -> None:
    masked = masking.digest_values(secret(last_applied=broken, data={}), KEY)
    assert masked["metadata"]["annotations"] == {"owner": "shop", LAST_APPLIED: "(unreadable, omitted)"}


@pytest.mark.parametrize("field", FIELDS)
@given(one=SECRETS, other=SECRETS)
def test_digests_are_equal_exactly_where_values_are(field: str, one: str, other: str) -> None:
    masked = masking.digest_values(secret(**{field: {"a": one, "b": one, "c": other}}), KEY)["data"]
    assert masked["a"] == masked["b"]
    assert (masked["a"] == masked["c"]) == (one == other)


@given(value=SECRETS)
def test_equal_values_have_equal_digests_in_desired_in_live_and_in_last_applied(value: str) -> None:
    plain = secret(data={"password": value})
    out = codec.digested(snapshot(plain, secret(last_applied=plain, data={"password": value})), KEY)
    assert out.desired is not None
    live = out.live[1]
    applied = json.loads(live["metadata"]["annotations"][LAST_APPLIED])
    desired = out.desired.objects[0].obj
    assert desired["data"] == live["data"] == applied["data"]


def test_another_key_gives_other_digests() -> None:
    obj = secret(data={"password": "aHVudGVyMg=="})
    assert masking.digest_values(obj, KEY) != masking.digest_values(obj, b"another key")


def test_all_but_the_values_stays_as_it_was() -> None:
    obj = secret(data={"password": "aHVudGVyMg=="})
    masked = masking.digest_values(obj, KEY)
    assert {**masked, "data": obj["data"]} == obj
    assert list(masked["data"]) == ["password"]


def test_the_object_given_is_not_changed() -> None:
    obj = secret(last_applied=secret(stringData={"a": "b"}), data={"password": "aHVudGVyMg=="})
    before = json.dumps(obj)
    masking.digest_values(obj, KEY)
    assert json.dumps(obj) == before


@pytest.mark.parametrize(
    ("api_version", "kind", "masked"),
    [("v1", "Secret", True), (None, "Secret", True), ("v1", "ConfigMap", False), ("example.com/v1", "Secret", False)],
)
def test_only_core_secrets_are_secret(api_version: str | None, kind: str, masked: bool) -> None:
    obj = {**secret(data={"password": "aHVudGVyMg=="}), "apiVersion": api_version, "kind": kind}
    assert (masking.digest_values(obj, KEY) != obj) == masked


def test_a_digested_snapshot_comes_back_from_its_json() -> None:
    obj = secret(data={"password": "aHVudGVyMg=="})
    digested = codec.digested(snapshot(obj, obj), KEY)
    assert codec.decode(Snapshot, codec.encode_snapshot(snapshot(obj, obj), KEY)) == digested


@pytest.mark.parametrize(
    "leaky",
    [
        {"data": "hunter2"},
        {"data": ["hunter2"]},
        {"stringdata": {"password": "hunter2"}},
        {"stringData": {"password": "hunter2"}},
        {"kind": "SecretList", "items": [{"data": {"password": "hunter2"}}]},
    ],
)
def test_a_value_is_masked_however_its_field_is_shaped_or_spelt(leaky: dict[str, object]) -> None:
    out = json.dumps(masking.digest_values({"apiVersion": "v1", "kind": "Secret", **leaky}, KEY))
    assert "hunter2" not in out


def test_git_and_cluster_give_equal_digests_for_the_same_value() -> None:
    desired = masking.digest_values(secret(stringData={"password": "hunter2"}), KEY)
    live = masking.digest_values(secret(data={"password": "aHVudGVyMg=="}), KEY)
    assert desired == live


def test_annotations_and_labels_that_repeat_a_value_are_digested_too() -> None:
    repeating = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "login",
            "annotations": {"note": "the password is canary-7", "encoded": "Y2FuYXJ5LTc=", "plain": "rotated monthly"},
            "labels": {"hint": "canary-7", "team": "shop"},
        },
        "data": {"password": "Y2FuYXJ5LTc="},
    }
    digested = masking.digest_values(repeating, KEY)
    assert "canary-7" not in str(digested)
    assert "Y2FuYXJ5LTc=" not in str(digested)
    assert digested["metadata"]["annotations"]["plain"] == "rotated monthly"
    assert digested["metadata"]["labels"]["team"] == "shop"
