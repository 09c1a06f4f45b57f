"""Operators played by YAML rules: External Secrets, SealedSecrets, cert-manager, and rules of one's own."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from syncline.sandbox.behaviours import rules, shipped, templates
from syncline.sandbox.cluster.settings import SandboxSettings
from tests.unit.sandbox.driving import DEFINITIONS, WIDGETS, Kube, definition, play, widget

SECRETS = "/api/v1/namespaces/default/secrets"


def operator_kind(group: str, kind: str, plural: str, *, scope: str = "Namespaced") -> dict[str, Any]:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
    }
    spec = {"group": group, "scope": scope, "names": {"plural": plural, "kind": kind}, "versions": [version]}
    return {"metadata": {"name": f"{plural}.{group}"}, "spec": spec}


def made(group: str, kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def condition(obj: Any, kind: str = "Ready") -> tuple[str, str]:
    found = {one["type"]: one for one in (obj.get("status") or {}).get("conditions") or ()}
    one = found.get(kind) or {}
    return one.get("status", ""), one.get("reason", "")


async def install(kube: Kube, group: str, **kinds: str) -> str:
    for kind, plural in kinds.items():
        await kube.create(DEFINITIONS, operator_kind(group, kind, plural))
    await kube.sandbox.settled()
    return f"/apis/{group}/v1/namespaces/default"


def test_an_external_secret_waits_for_its_store_and_makes_a_secret() -> None:
    async def story(kube: Kube) -> Any:
        group = "external-secrets.io"
        base = await install(kube, group, SecretStore="secretstores", ExternalSecret="externalsecrets")
        entry = {"secretKey": "password", "remoteRef": {"key": "prod/db"}}
        spec = {"secretStoreRef": {"name": "vault"}, "target": {"name": "db"}, "data": [entry]}
        await kube.create(f"{base}/externalsecrets", made(group, "ExternalSecret", "database", spec))
        await kube.clock.sleep(1)
        waiting = condition(await kube.get(f"{base}/externalsecrets/database"))
        await kube.create(f"{base}/secretstores", made(group, "SecretStore", "vault", {}))
        await kube.clock.sleep(1)
        done = await kube.get(f"{base}/externalsecrets/database")
        secret = await kube.get(f"{SECRETS}/db")
        await kube.delete(f"{base}/externalsecrets/database")
        await kube.clock.sleep(1)
        return waiting, condition(done), secret, await kube.names(SECRETS)

    waiting, done, secret, left = play(story)
    assert (waiting, done) == (("False", "SecretSyncedError"), ("True", "SecretSynced"))
    assert secret["data"] == {"password": base64.b64encode(b"value of prod/db").decode()}
    assert secret["metadata"]["ownerReferences"][0]["name"] == "database"
    assert "db" not in left


def test_a_store_named_broken_is_never_ready() -> None:
    async def story(kube: Kube) -> Any:
        base = await install(kube, "external-secrets.io", SecretStore="secretstores")
        await kube.create(f"{base}/secretstores", made("external-secrets.io", "SecretStore", "broken", {}))
        await kube.clock.sleep(5)
        return condition(await kube.get(f"{base}/secretstores/broken"))

    assert play(story) == ("False", "InvalidProviderConfig")


def test_a_sealed_secret_becomes_a_secret_with_its_keys() -> None:
    async def story(kube: Kube) -> Any:
        base = await install(kube, "bitnami.com", SealedSecret="sealedsecrets")
        spec = {"encryptedData": {"user": "AgB", "token": "AgC"}, "template": {"metadata": {"labels": {"a": "b"}}}}
        await kube.create(f"{base}/sealedsecrets", made("bitnami.com", "SealedSecret", "api", spec))
        await kube.clock.sleep(1)
        return await kube.get(f"{base}/sealedsecrets/api"), await kube.get(f"{SECRETS}/api")

    sealed, secret = play(story)
    assert condition(sealed, "Synced")[0] == "True"
    assert (sorted(secret["data"]), secret["type"]) == (["token", "user"], "Opaque")
    assert secret["metadata"]["labels"] == {"a": "b"}


def test_a_certificate_is_issued_once_its_issuer_is_ready() -> None:
    async def story(kube: Kube) -> Any:
        group = "cert-manager.io"
        kinds = {"Issuer": "issuers", "Certificate": "certificates", "CertificateRequest": "certificaterequests"}
        base = await install(kube, group, **kinds)
        spec = {"secretName": "web-tls", "issuerRef": {"name": "ca"}, "dnsNames": ["web.example"]}
        await kube.create(f"{base}/certificates", made(group, "Certificate", "web", spec))
        await kube.clock.sleep(2)
        before = await kube.get(f"{base}/certificates/web")
        await kube.create(f"{base}/issuers", made(group, "Issuer", "ca", {"selfSigned": {}}))
        await kube.clock.sleep(2)
        return before, await kube.get(f"{base}/certificates/web"), await kube.get(f"{SECRETS}/web-tls")

    before, after, secret = play(story)
    assert (condition(before), condition(before, "Issuing")) == (("False", "DoesNotExist"), ("True", "DoesNotExist"))
    assert (condition(after), after["status"]["revision"]) == (("True", "Ready"), 1)
    assert (secret["type"], sorted(secret["data"])) == ("kubernetes.io/tls", ["ca.crt", "tls.crt", "tls.key"])


OWN = """
- name: big widgets are refused
  match: {group: example.io, kind: Widget}
  when: [{path: spec.size, in: [8, 9]}]
  status: {phase: TooBig}
- name: widget
  match: {group: example.io, kind: Widget}
  after: 10
  merge: {metadata: {annotations: {seen-size: "size {spec.size}"}}}
  status: {phase: Done, size: "{spec.size}"}
"""


def test_rules_of_ones_own_wait_merge_and_set_status() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEFINITIONS, definition())
        await kube.sandbox.settled()
        await kube.create(WIDGETS, widget())
        await kube.create(WIDGETS, widget("big", size=9))
        await kube.clock.sleep(9)
        early = await kube.get(f"{WIDGETS}/one")
        await kube.clock.sleep(2)
        return early, await kube.get(f"{WIDGETS}/one"), await kube.get(f"{WIDGETS}/big")

    early, one, big = play(story, SandboxSettings(behaviours=(OWN,)))
    assert "status" not in early
    assert (one["status"], one["metadata"]["annotations"]) == ({"phase": "Done", "size": 1}, {"seen-size": "size 1"})
    assert big["status"] == {"phase": "TooBig"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("{spec.size}", 3),
        ("size {spec.size}", "size 3"),
        ("{spec.none}", None),
        ("{spec.none|red}", "red"),
        ("{spec.none|.metadata.name}", "web"),
        ({"a": "{spec.none}", "b": "{spec.size}"}, {"b": 3}),
        ({"$each": "spec.list", "$key": "{item.k}", "$value": "{item.v}"}, {"x": 1, "y": 2}),
        ({"$each": "spec.map", "$key": "{item.key}", "$value": "{item.value}"}, {"p": "q"}),
        ({"$each": "spec.none", "$key": "{item.key}", "$value": "1"}, {}),
    ],
)
def test_templates_take_fields_of_the_object(value: Any, expected: Any) -> None:
    facts = {
        "metadata": {"name": "web"},
        "spec": {"size": 3, "list": [{"k": "x", "v": 1}, {"k": "y", "v": 2}], "map": {"p": "q"}},
    }
    assert templates.fill(value, facts) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- {name: a}", "missing required field `match`"),
        ("- {name: a, match: {group: g, kind: K}, sleep: 3}", "unknown field `sleep`"),
        ("- {name: a, match: {group: g, kind: K}, create: [{kind: Secret}]}", 'rule "a" creates something without'),
        ("a: [", "cannot be read"),
    ],
)
def test_a_rule_that_cannot_be_read_is_told_in_a_sentence(text: str, told: str) -> None:
    with pytest.raises(rules.BehaviourError, match=f"The behaviours in mine.yaml cannot be read: .*{told}|{told}"):
        rules.load(text, "mine.yaml")


@pytest.mark.parametrize("name", shipped.OPERATORS)
def test_shipped_operators_can_be_read_and_keep_to_their_groups(name: str) -> None:
    operator = shipped.operator(name)
    groups = {kind.group for kind in operator.definitions} | {rule.match.group for rule in operator.rules}
    assert groups - {""} <= set(shipped.OPERATORS[name])
    assert operator.definitions
    assert operator.rules
    assert operator.about


def test_an_operator_that_is_not_shipped_is_told_with_the_nearest_one() -> None:
    with pytest.raises(rules.BehaviourError, match=r'^Unknown operator "cert-manger": did you mean cert-manager\.$'):
        shipped.operator("cert-manger")
