"""Whom an Application is delivered as; the table states Argo CD's rules."""

from __future__ import annotations

import pytest

from syncline.core.policy.impersonation import actor
from syncline.model import application
from syncline.model.application import Destination, Metadata
from syncline.model.project import AppProject, DestinationServiceAccount, ProjectSpec
from syncline.model.settings.settings import Settings

APP = application.parse({"metadata": {"name": "shop", "namespace": "argocd"}, "spec": {"destination": {}}})
HERE = Destination(server="https://a", namespace="shop")
ACTING = Settings(impersonation=True)


def account(server: str, namespace: str, name: str) -> DestinationServiceAccount:
    return DestinationServiceAccount(server=server, namespace=namespace, default_service_account=name)


def project(*accounts: DestinationServiceAccount) -> AppProject:
    return AppProject(Metadata(name="team"), ProjectSpec(destination_service_accounts=accounts))


@pytest.mark.parametrize(
    ("accounts", "destination", "user"),
    [
        ([account("https://a", "shop", "ci")], HERE, "system:serviceaccount:shop:ci"),
        ([account("https://a", "shop", "robots:ci")], HERE, "system:serviceaccount:robots:ci"),
        ([account("*", "sh*", "ci")], HERE, "system:serviceaccount:shop:ci"),
        ([account("*", "*", "first"), account("https://a", "shop", "ci")], HERE, "system:serviceaccount:shop:first"),
        ([account("https://b", "*", "first"), account("*", "*", "ci")], HERE, "system:serviceaccount:shop:ci"),
        ([account("*", "*", "ci")], Destination(server="https://a"), "system:serviceaccount:argocd:ci"),
    ],
)
def test_the_first_entry_that_matches_names_the_account(
    accounts: list[DestinationServiceAccount], destination: Destination, user: str
) -> None:
    assert actor(APP, destination, project(*accounts), ACTING).user == user


@pytest.mark.parametrize(
    ("accounts", "words"),
    [
        ([], "no matching service account found for destination server https://a and namespace shop"),
        ([account("https://b", "*", "ci")], "syncline proj add-destination-service-account team https://a shop"),
        ([account("*", "*", "c*")], "contains invalid chars 'c*'"),
        ([account("*", "*", " ")], "contains invalid chars ' '"),
    ],
)
def test_where_no_account_can_be_used_nothing_is_written(accounts: list[DestinationServiceAccount], words: str) -> None:
    found = actor(APP, HERE, project(*accounts), ACTING)
    assert found.user == ""
    assert words in found.refusal


@pytest.mark.parametrize(
    "settings", [Settings(), Settings(impersonation=True, impersonation_enforced=False)], ids=["off", "not enforced"]
)
def test_one_acts_oneself_where_settings_say_so(settings: Settings) -> None:
    found = actor(APP, HERE, project(account("https://b", "*", "ci")), settings)
    assert (found.user, found.refusal) == ("", "")
