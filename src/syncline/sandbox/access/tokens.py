"""Tokens of service accounts: made for Secrets and for requests, and recognised when a client shows one.

Made for `syncline.sandbox.controllers.accounts` (they last) and `syncline.sandbox.api.subresources` (they expire);
asked by `syncline.sandbox.serving.http` who a client is. A lasting token counts as long as its Secret holds it, which
is how it outlives a restart with a data folder; the others are signed with a key that is created at every start.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from datetime import datetime
from typing import Any, Final

import orjson

from syncline.apimachinery.keys import Object
from syncline.sandbox.access.rbac import SERVICE_ACCOUNT, User
from syncline.sandbox.backend import Backend
from syncline.sandbox.store.store import Bucket, Row

AUDIENCE: Final = "https://kubernetes.default.svc"
_ISSUER: Final = "kubernetes/serviceaccount"
_ACCOUNTS: Final = Bucket("", "serviceaccounts")
_SECRETS: Final = Bucket("", "secrets")


def lasting(backend: Backend, account: Row, secret: str) -> str:
    """Return the token that a Secret of an account is filled with."""
    namespace, name = account.place.namespace, account.place.name
    claims = {
        "iss": _ISSUER,
        f"{_ISSUER}/namespace": namespace,
        f"{_ISSUER}/secret.name": secret,
        f"{_ISSUER}/service-account.name": name,
        f"{_ISSUER}/service-account.uid": account.uid,
        "sub": f"{SERVICE_ACCOUNT}{namespace}:{name}",
    }
    return _signed(backend, claims)


def passing(backend: Backend, account: Row, ends: datetime) -> str:
    """Return a token that is good until a time."""
    namespace, name = account.place.namespace, account.place.name
    claims = {
        "aud": [AUDIENCE],
        "exp": int(ends.timestamp()),
        "iat": int(backend.clock.now().timestamp()),
        "iss": AUDIENCE,
        "jti": backend.ids.uid(),
        "kubernetes.io": {"namespace": namespace, "serviceaccount": {"name": name, "uid": account.uid}},
        "nbf": int(backend.clock.now().timestamp()),
        "sub": f"{SERVICE_ACCOUNT}{namespace}:{name}",
    }
    return _signed(backend, claims)


def user_of(backend: Backend, token: str) -> User | None:
    """Return whom a token stands for, None when it is not one of ours or no longer good."""
    claims = _claims(token)
    bound = claims.get("kubernetes.io")
    if isinstance(bound, dict):
        account = bound.get("serviceaccount") or {}
        namespace, name, uid = bound.get("namespace"), account.get("name"), account.get("uid")
        good = hmac.compare_digest(token.encode(), _sign(backend, token.rpartition(".")[0]).encode())
        good = good and claims.get("exp", 0) > backend.clock.now().timestamp()
    else:
        namespace, name, uid = (
            claims.get(f"{_ISSUER}/{part}") for part in ("namespace", "service-account.name", "service-account.uid")
        )
        good = _held(backend, str(namespace), str(claims.get(f"{_ISSUER}/secret.name")), token)
    row = backend.store.get(_ACCOUNTS, str(namespace), str(name))
    if not good or row is None or row.uid != uid:
        return None
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
    credential = f"JTI={claims['jti']}" if claims.get("jti") else ""
    return User(f"{SERVICE_ACCOUNT}{namespace}:{name}", groups, row.uid, credential)


def _held(backend: Backend, namespace: str, name: str, token: str) -> bool:
    row = backend.store.get(_SECRETS, namespace, name)
    kept = ((row.decode().get("data") or {}).get("token") or "") if row is not None else ""
    return bool(kept) and hmac.compare_digest(kept.encode(), base64.b64encode(token.encode()))


def _signed(backend: Backend, claims: Object) -> str:
    head = {"alg": "HS256", "typ": "JWT"}
    return _sign(backend, ".".join(_encode(orjson.dumps(part)) for part in (head, claims)))


def _sign(backend: Backend, text: str) -> str:
    """Return a text with its signature behind it."""
    if not backend.signing_key:
        backend.signing_key = f"{backend.ids.uid()}{backend.ids.uid()}".encode()
    return f"{text}.{_encode(hmac.digest(backend.signing_key, text.encode(), hashlib.sha256))}"


def _encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _claims(token: str) -> dict[str, Any]:
    """Return what a token says, nothing when it is not readable; whether it is true is another question."""
    parts = token.split(".")
    if len(parts) != 3:
        return {}
    try:
        found = orjson.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (binascii.Error, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
