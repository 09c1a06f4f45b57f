"""Fills in the Secrets that hold tokens of service accounts, and deletes those whose account is gone."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Final

from syncline.sandbox.access import tokens
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.kinds.configs import ACCOUNT, TOKEN
from syncline.sandbox.store.store import Bucket, Row, RowKey, StoreEvent

_ACCOUNTS: Final = Bucket("", "serviceaccounts")
_SECRETS: Final = Bucket("", "secrets")
_UID: Final = "kubernetes.io/service-account.uid"


class AccountTokens:
    """Plays the token controller."""

    name = "service account tokens"
    buckets = (_ACCOUNTS, _SECRETS)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="serviceaccount-controller")

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at changed token Secrets, and at those of an account that ended."""
        row = event.row
        if row.place.bucket == _SECRETS:
            if event.type != "DELETED" and _maybe_token(row):
                yield row.place
        elif event.type == "DELETED":
            found = self._backend.store.rows(_SECRETS, row.place.namespace)
            yield from (secret.place for secret in found if _maybe_token(secret))

    def reconcile(self, place: RowKey) -> None:
        """Bring one Secret up to date."""
        secret = self._client.get(place)
        if secret is None or secret.get("type") != TOKEN or "deletionTimestamp" in secret["metadata"]:
            return
        annotations = secret["metadata"].get("annotations") or {}
        account = self._backend.store.get(_ACCOUNTS, place.namespace, annotations.get(ACCOUNT, ""))
        if account is None or annotations.get(_UID) not in (None, "", account.uid):
            self._client.delete(secret)
            return
        content = secret.get("data") or {}
        wanted = {
            **content,
            "ca.crt": _encoded(self._backend.authority),
            "namespace": _encoded(place.namespace),
            "token": content.get("token") or _encoded(tokens.lasting(self._backend, account, place.name)),
        }
        metadata = {**secret["metadata"], "annotations": {**annotations, _UID: account.uid}}
        if wanted != content or metadata != secret["metadata"]:
            self._client.update({**secret, "metadata": metadata, "data": wanted})


def _maybe_token(row: Row) -> bool:
    """Tell at a glance which Secrets are worth decoding."""
    return TOKEN.encode() in row.body


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
