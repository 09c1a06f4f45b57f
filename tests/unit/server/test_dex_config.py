"""`dex.config` as Argo CD writes it: what Dex is started with, which secrets go where, and what is refused."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

from syncline.server.access.oidc.dex_config import DexConfig, parse
from syncline.server.access.oidc.settings import InvalidOidc

KEY = "the key of this installation"
HASH = "$2a$10$2b2cU8CPhOTaGrs1HRQuAueS7JTT5ZHsHSzYiFPm1leZck7Mc8T4W"
GITHUB = """\
connectors:
  - type: github
    id: github
    name: GitHub
    config: {clientID: abc, clientSecret: $dex.github.clientSecret, orgs: [{name: us}], redirectURI: http://elsewhere}
  - {type: ldap, id: ldap, name: LDAP, config: {host: "ldap.example:636", bindPW: "$ldap-login:password"}}
"""


def secrets(name: str, key: str) -> str:
    return {("", "dex.github.clientSecret"): "s3cret", ("ldap-login", "password"): "b1nd"}.get((name, key), "")


def parsed(text: str, **more: str) -> DexConfig:
    found = parse({"url": "https://cd.example.com/", "dex.config": text, **more}, secrets, KEY)
    assert found is not None
    return found


def connector(found: DexConfig, name: str) -> dict[str, Any]:
    return next(one["config"] for one in found.content["connectors"] if one["id"] == name)


def test_dex_is_found_below_the_server_and_listens_nowhere_that_was_not_asked_for() -> None:
    text = "issuer: https://evil\nstorage: {type: sqlite3}\ngrpc: {addr: 0.0.0.0:5557}\nweb: {http: 0.0.0.0:1}\n"
    found = parsed(f"{text}telemetry: {{http: 0.0.0.0:5558}}\nlogger: {{level: debug}}\n{GITHUB}")
    assert found.content["issuer"] == "https://cd.example.com/api/dex"
    assert found.content["storage"] == {"type": "memory"}
    assert not {"grpc", "web", "telemetry"} & set(found.content)
    assert found.content["logger"] == {"level": "debug"}
    assert found.content["oauth2"] == {"skipApprovalScreen": True}


def test_secrets_are_filled_in_and_connectors_come_back_to_dex() -> None:
    found = parsed(GITHUB)
    assert connector(found, "github")["clientSecret"] == "s3cret"
    assert connector(found, "github")["redirectURI"] == "https://cd.example.com/api/dex/callback"
    assert connector(found, "ldap") == {"host": "ldap.example:636", "bindPW": "b1nd"}
    assert [(one.name, one.type) for one in found.connectors] == [("GitHub", "github"), ("LDAP", "ldap")]
    assert {"s3cret", "b1nd"} < set(found.hidden)
    assert "s3cret" not in repr(found)


def test_clients_are_those_of_argo_cd() -> None:
    found = parsed(f"{GITHUB}staticClients: [{{id: workflows, name: W, secret: x}}]\n", additionalUrls="[https://two]")
    server, cli, other = found.content["staticClients"]
    # The same secret as Argo CD works out, so that either can stand in front of the other's Dex.
    secret = base64.urlsafe_b64encode(hashlib.sha256(KEY.encode()).digest()).decode()[:40]
    assert (server["id"], server["secret"]) == ("argo-cd", secret)
    assert server["redirectURIs"] == ["https://cd.example.com/auth/callback", "https://two/auth/callback"]
    assert (cli["id"], cli["public"], "secret" in cli) == ("argo-cd-cli", True, False)
    assert other["id"] == "workflows"
    assert (found.provider.client_id, found.provider.secret) == ("argo-cd", secret)
    assert "federated:id" in found.provider.scopes


def test_hashes_of_passwords_begin_with_a_dollar_and_stay_as_they_are() -> None:
    found = parsed(f'enablePasswordDB: true\nstaticPasswords: [{{email: a@b, hash: "{HASH}"}}]\n')
    assert found.content["staticPasswords"][0]["hash"] == HASH


@pytest.mark.parametrize(
    ("config", "key", "says"),
    [
        ({"url": "https://x", "dex.config": "{"}, KEY, "not YAML"),
        ({"url": "https://x", "dex.config": "[1]"}, KEY, "not a mapping"),
        ({"url": "https://x", "dex.config": "connectors: {}"}, KEY, "connectors of dex.config is not a list"),
        ({"url": "https://x", "dex.config": "connectors: [{id: x}]"}, KEY, "needs a type"),
        ({"dex.config": GITHUB}, KEY, "argocd-cm needs url"),
        ({"url": "https://x", "dex.config": GITHUB}, "", "server.secretkey"),
        ({"url": "https://x", "dex.config": GITHUB.replace("github.cl", "none.cl")}, KEY, "not there"),
    ],
)
def test_what_cannot_be_used_is_said_without_values(config: dict[str, str], key: str, says: str) -> None:
    with pytest.raises(InvalidOidc) as refused:
        parse(config, secrets, key)
    assert says in str(refused.value)
    assert not [value for value in ("s3cret", "b1nd") if value in str(refused.value)]


def test_a_provider_of_oidc_config_comes_before_dex() -> None:
    assert parse({"url": "https://x", "dex.config": GITHUB, "oidc.config": "issuer: https://y"}, secrets, KEY) is None
    assert parse({"url": "https://x"}, secrets, KEY) is None
