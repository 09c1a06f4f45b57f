"""Whom to act as in a destination: the service account that the project names for it, where settings ask for that.

Asked by `syncline.core.operating` for whoever decides and for whoever acts. The first entry that matches counts; where
none does nothing is written, unless the settings permit it.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery.globs import matches
from syncline.model.application import Application, Destination
from syncline.model.project import AppProject
from syncline.model.settings.settings import Settings

_UNUSABLE = set("!*[]{}\\/")


class Actor(msgspec.Struct, frozen=True):
    """The user to act as (empty: oneself), or why nobody may act."""

    user: str = ""
    refusal: str = ""


_ONESELF = Actor()


def actor(app: Application, destination: Destination, project: AppProject | None, settings: Settings) -> Actor:
    """Return whom to act as for an Application; `destination` has the address of its cluster."""
    if not settings.impersonation or project is None:
        return _ONESELF
    for entry in project.spec.destination_service_accounts:
        if matches(destination.server, entry.server) and matches(destination.namespace, entry.namespace):
            return _named(app, destination, entry.default_service_account, project.metadata.name)
    if not settings.impersonation_enforced:
        return _ONESELF
    name = project.metadata.name
    return Actor(
        refusal="failed to find a matching service account to impersonate: no matching service account found for"
        f" destination server {destination.server} and namespace {destination.namespace}"
        f" (syncline proj add-destination-service-account {name} {destination.server}"
        f" {destination.namespace or '*'} ACCOUNT)"
    )


def _named(app: Application, destination: Destination, account: str, project: str) -> Actor:
    if not account.strip() or _UNUSABLE & set(account):
        where = f"spec.destinationServiceAccounts of project {project}"
        return Actor(refusal=f"default service account contains invalid chars '{account}' (see {where})")
    if ":" in account:
        return Actor(user=f"system:serviceaccount:{account}")
    return Actor(user=f"system:serviceaccount:{destination.namespace or app.metadata.namespace}:{account}")
