"""Tokens of service accounts: what Secrets are filled with, whom tokens stand for, and when they no longer count."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from syncline.sandbox.access import tokens
from syncline.sandbox.access.rbac import User
from tests.unit.sandbox.driving import Kube, play

ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts"
SECRETS = "/api/v1/namespaces/default/secrets"
ROBOT = User(
    "system:serviceaccount:default:robot",
    ("system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"),
)


def secret(account: str = "robot", **annotations: str) -> dict[str, Any]:
    told = {"kubernetes.io/service-account.name": account, **annotations}
    return {"metadata": {"name": "kept", "annotations": told}, "type": "kubernetes.io/service-account-token"}


async def robot(kube: Kube) -> tuple[dict[str, Any], dict[str, str]]:
    """Make an account with a Secret; return the account and the Secret's values."""
    account = await kube.create(ACCOUNTS, {"metadata": {"name": "robot"}})
    await kube.create(SECRETS, secret())
    await kube.clock.sleep(1)
    filled = await kube.get(f"{SECRETS}/kept")
    assert filled["metadata"]["annotations"]["kubernetes.io/service-account.uid"] == account["metadata"]["uid"]
    return account, {name: base64.b64decode(text).decode() for name, text in filled["data"].items()}


def test_a_secret_gets_token_namespace_and_certificate_and_its_token_counts() -> None:
    async def story(kube: Kube) -> Any:
        _, values = await robot(kube)
        kube.sandbox.trust("another certificate")
        await kube.clock.sleep(1)
        after = (await kube.get(f"{SECRETS}/kept"))["data"]["ca.crt"]
        return values, after, tokens.user_of(kube.sandbox.backend, values["token"])

    values, after, user = play(story)
    assert (values.keys(), values["namespace"]) == ({"ca.crt", "namespace", "token"}, "default")
    assert base64.b64decode(after) == b"another certificate"
    assert (user.name, user.groups) == (ROBOT.name, ROBOT.groups)


@pytest.mark.parametrize("account", ["nobody", "robot"])
def test_a_secret_whose_account_is_not_there_or_another_one_is_deleted(account: str) -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(ACCOUNTS, {"metadata": {"name": "robot"}})
        await kube.create(SECRETS, secret(account, **{"kubernetes.io/service-account.uid": "another"}))
        await kube.clock.sleep(1)
        return await kube.names(SECRETS)

    assert play(story) == []


def test_tokens_end_with_their_secret_and_with_their_account() -> None:
    async def story(kube: Kube) -> Any:
        _, values = await robot(kube)
        await kube.delete(f"{SECRETS}/kept")
        without_secret = tokens.user_of(kube.sandbox.backend, values["token"])
        await kube.create(SECRETS, secret())
        await kube.clock.sleep(1)
        await kube.delete(f"{ACCOUNTS}/robot")
        await kube.clock.sleep(1)
        return without_secret, await kube.names(SECRETS)

    assert play(story) == (None, [])


def test_a_requested_token_counts_until_it_expires_and_only_as_it_was_signed() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(ACCOUNTS, {"metadata": {"name": "robot"}})
        asked = {"spec": {"expirationSeconds": 600}}
        token = (await kube.create(f"{ACCOUNTS}/robot/token", asked))["status"]["token"]
        backend = kube.sandbox.backend
        review = {"spec": {"token": token}}
        told = (await kube.create("/apis/authentication.k8s.io/v1/tokenreviews", review))["status"]
        first = [tokens.user_of(backend, one) for one in (token, f"{token}x", token.replace(".", ".A", 1), "a.b.c", "")]
        await kube.clock.sleep(601)
        return told, first, tokens.user_of(backend, token)

    told, first, later = play(story)
    assert told["authenticated"] is True
    assert told["audiences"] == ["https://kubernetes.default.svc"]
    assert (told["user"]["username"], told["user"]["groups"]) == (ROBOT.name, list(ROBOT.groups))
    assert [user and (user.name, user.groups) for user in first] == [(ROBOT.name, ROBOT.groups), None, None, None, None]
    assert later is None
