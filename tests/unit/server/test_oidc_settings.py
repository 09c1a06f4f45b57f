"""`oidc.config` as Argo CD writes it: what is read, what is missing, and no secret in any of it."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.core.policy.rbac.rights import Who
from syncline.server.access.oidc.identity import who
from syncline.server.access.oidc.settings import InvalidOidc, parse

GOOD = """\
name: Okta
issuer: https://dev.okta.example
clientID: abc
cliClientID: cli
clientSecret: $oidc.okta.clientSecret
requestedScopes: [openid, groups]
requestedIDTokenClaims: {groups: {essential: true}}
"""
URL = {"url": "https://cd.example.com"}


def secrets(name: str, key: str) -> str:
    return {("", "oidc.okta.clientSecret"): "s3cret", ("other", "key"): "0ther"}.get((name, key), "")


def test_a_configuration_is_read_with_its_secret() -> None:
    found = parse({**URL, "oidc.config": GOOD}, secrets)
    assert found is not None
    assert (found.issuer, found.client_id, found.secret) == ("https://dev.okta.example", "abc", "s3cret")
    assert found.callback == "https://cd.example.com/auth/callback"
    assert found.accepted == ("abc", "cli")
    assert found.claims == {"groups": {"essential": True}}
    assert "s3cret" not in repr(found)


def test_a_secret_may_be_in_another_object_and_audiences_may_be_others() -> None:
    text = GOOD.replace("$oidc.okta.clientSecret", "$other:key") + "allowedAudiences: [x]\n"
    found = parse({**URL, "oidc.config": text}, secrets)
    assert found is not None
    assert (found.secret, found.accepted) == ("0ther", ("x",))


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({**URL, "oidc.config": GOOD.replace("clientID", "clientId")}, "needs issuer and clientID"),
        ({**URL, "oidc.config": "[1]"}, "not a mapping"),
        ({**URL, "oidc.config": "{"}, "not YAML"),
        ({**URL, "oidc.config": GOOD.replace("https://dev", "http://dev")}, "https address"),
        ({"oidc.config": GOOD}, "argocd-cm needs url"),
        ({**URL, "oidc.config": GOOD.replace("$oidc.okta", "$oidc.none")}, "names a Secret entry that is not there"),
    ],
)
def test_what_cannot_be_used_is_said_without_values(config: dict[str, str], says: str) -> None:
    with pytest.raises(InvalidOidc) as refused:
        parse(config, secrets)
    assert says in str(refused.value)
    assert "s3cret" not in str(refused.value)


def test_without_a_configuration_there_is_no_provider() -> None:
    assert parse(URL, secrets) is None


def test_policies_speak_of_what_dex_federates_and_of_the_claims_that_scopes_list() -> None:
    claims = {"sub": "opaque", "groups": ["a", "b"], "email": "kilgore@example.org"}

    def known(shown: Any, scopes: str) -> Who:
        return who(shown, scopes, lambda _name: False)

    assert known(claims, "") == known(claims, "[groups]")
    assert (known(claims, "").subject, known(claims, "").groups) == ("opaque", ("a", "b"))
    federated = {**claims, "federated_claims": {"connector_id": "x", "user_id": "kilgore"}}
    assert known(federated, "[email, groups]").subject == "kilgore"
    assert known(federated, "[email, groups]").groups == ("kilgore@example.org", "a", "b")
    assert known({"sub": "x", "groups": "one"}, "").groups == ("one",)
