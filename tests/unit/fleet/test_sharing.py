"""What is written to a snapshot holds no secret, wherever somebody put it; what causes hang on stays."""

import base64
from typing import Any

import orjson
import pytest

from syncline.core.diagnose.graph.view.outline import outlined
from syncline.model import fleet_file
from syncline.model.fleet import ClusterSnapshot, FleetSnapshot
from syncline.verbs.fleet.sharing import cleaned

PLANTED = "pl4nted-Canary-9f"
ENCODED = base64.b64encode(PLANTED.encode()).decode()
LONG = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9w"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl"


def pod(**container: Any) -> dict[str, Any]:
    metadata = {"name": "web", "namespace": "shop"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [{"name": "main", **container}]},
    }


HIDDEN = [
    pod(env=[{"name": "DB_PASSWORD", "value": PLANTED}]),
    pod(env=[{"name": "JWT_SECRET", "value": PLANTED}]),
    pod(env=[{"name": "DATABASE_URL", "value": f"postgres://app:{PLANTED}@db/app"}]),
    pod(args=["--password", PLANTED]),
    pod(args=[f"--api-token={PLANTED}"]),
    pod(command=["sh", "-c", f"export API_KEY={PLANTED}; run"]),
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"password": PLANTED}},
    {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a"},
        "data": {"app.yaml": f"db:\n  password: {PLANTED}\n"},
    },
    {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"key": ENCODED}},
    {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "stringData": {"key": PLANTED}},
    {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "a",
            "annotations": {
                "kubectl.kubernetes.io/last-applied-configuration": orjson.dumps({"data": {"a": ENCODED}}).decode()
            },
        },
    },
    {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "a",
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": f'{{"password":"{PLANTED}"}}'},
        },
    },
    {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "a"},
        "spec": {"source": {"helm": {"parameters": [{"name": "auth.password", "value": PLANTED}]}}},
    },
    {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "a"},
        "spec": {"source": {"helm": {"valuesObject": {"auth": {"rootPassword": PLANTED}}}}},
    },
    {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "a"},
        "spec": {"source": {"repoURL": f"https://bot:{PLANTED}@git.example.com/x.git"}},
    },
    {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "a"},
        "message": f"login with password={PLANTED} failed",
    },
    {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "a"}, "message": f"bad token: {PLANTED}"},
    {"labels": {"alertname": "x"}, "annotations": {"summary": f"Authorization: Bearer {PLANTED}"}},
]


@pytest.mark.parametrize("obj", HIDDEN)
def test_a_planted_secret_does_not_get_into_the_file(obj: dict[str, Any]) -> None:
    snapshot = FleetSnapshot(as_of="", origin="", clusters=(ClusterSnapshot(name="a", objects=(obj,), events=(obj,)),))
    text = b"".join(fleet_file.lines(snapshot, cleaned)).decode()
    assert PLANTED not in text
    assert ENCODED not in text
    assert '"object"' in text


@pytest.mark.parametrize("form", [JWT, LONG, "AKIAIOSFODNN7EXAMPLE", "ghp_0123456789abcdefghij0123"])
def test_well_known_forms_are_hidden_in_any_field(form: str) -> None:
    assert form not in orjson.dumps(cleaned({"spec": {"note": f"use {form} here"}})).decode()


KEPT: list[Any] = [
    {"secretName": "tls-cert"},
    {"secretKeyRef": {"name": "db", "key": "password"}},
    {"image": "example.com/web@sha256:" + "a1" * 32},
    {"revision": "0123456789abcdef0123456789abcdef01234567"},
    {"message": 'secret "db-credentials" not found'},
    {"message": "couldn't find key password in Secret shop/db"},
    {"message": "could not get secret: permission denied"},
    {"message": "token: expired"},
    {"message": "external-secrets.io/ClusterSecretStore:/vault is not ready"},
    {"existingSecret": "db-credentials", "serviceAccountName": "web"},
    {"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}},
    {"apiVersion": "external-secrets.io/v1", "spec": {"data": [{"secretKey": "password", "remoteRef": {"key": "db"}}]}},
]


@pytest.mark.parametrize("value", KEPT)
def test_references_and_digests_stay(value: Any) -> None:
    assert cleaned(value) == value


def test_a_secret_keeps_its_name_and_keys_alone() -> None:
    fields: dict[str, Any] = {"f:data": {"f:user": {}, "f:password": {}, ".": {}}}
    metadata = {"name": "db", "namespace": "shop", "managedFields": [{"manager": "x", "fieldsV1": fields}]}
    found = outlined({"apiVersion": "v1", "kind": "Secret", "metadata": metadata})
    assert found["data"] == {"user": "", "password": ""}
    assert found["metadata"] == {"name": "db", "namespace": "shop"}
