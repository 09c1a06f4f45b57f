"""Tokens: signed with the key of the installation, as Argo CD's are, and checked against what the cluster says now.

A token is only as good as its account or project role: who is disabled, has another password since, or whose token was
deleted gets nothing, whatever the signature says. Given by `syncline.server.access.sessions` and the routes of accounts
and projects; checked by `syncline.server.access.identify`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, Final

import msgspec

from syncline.core.policy.rbac.rights import Who, project_of_subject
from syncline.model.project import AppProject
from syncline.model.shown_tokens import unchecked
from syncline.ports.auth import Unguessable
from syncline.ports.clock import Clock
from syncline.server.access.accounts import API_KEY, LOGIN, Accounts
from syncline.server.access.oidc.identity import who
from syncline.server.access.oidc.provider import Provider
from syncline.server.access.revoked import Revoked
from syncline.server.access.signed import Signed
from syncline.server.requests.failures import NotSignedIn

ISSUER: Final = "argocd"
_LEEWAY = 60.0
_KEY = "server.secretkey"
_LONGEST = 16 * 1024


class Claims(msgspec.Struct, frozen=True):
    """What a token of ours says."""

    sub: str
    iat: float
    iss: str = ""
    nbf: float = 0
    exp: float = 0
    jti: str = ""
    groups: tuple[str, ...] = ()


class Tokens:
    """Makes and checks tokens. `project` finds a typed project by its name."""

    def __init__(
        self,
        accounts: Accounts,
        project: Callable[[str], AppProject | None],
        clock: Clock,
        secrets: Unguessable,
        *,
        revoked: Revoked,
        provider: Provider,
    ) -> None:
        self._accounts = accounts
        self._project = project
        self._clock = clock
        self._secrets = secrets
        self._revoked = revoked
        self._provider = provider
        self._signed: Signed[Claims] = Signed()
        self._own_key = secrets.text(32).encode()
        """For an installation without a key, which we may not have a right to write: sessions end with the process."""

    def new_id(self) -> str:
        """Return the id of a token that is about to be made."""
        return self._secrets.text(16)

    def issue(self, subject: str, *, seconds: float = 0, token_id: str = "") -> tuple[str, Claims]:
        """Return a signed token for a subject (`admin:login`, `ci:apiKey`, `proj:team:ci`), and what it says."""
        from joserfc import jwt
        from joserfc.jwk import OctKey

        now = int(self._clock.now().timestamp())
        claims: dict[str, Any] = {
            "iss": ISSUER,
            "sub": subject,
            "nbf": now,
            "iat": now,
            "jti": token_id or self.new_id(),
        }
        if seconds:
            claims["exp"] = now + int(seconds)
        key = OctKey.import_key(self._key())
        return jwt.encode({"alg": "HS256", "typ": "JWT"}, claims, key), msgspec.convert(claims, Claims, strict=False)

    def check(self, token: str) -> Who:
        """Return who shows a token; raises `NotSignedIn` for one that is not good."""
        if _is_foreign(token):
            return self._who_of_provider(token)
        claims = self.read(token)
        if claims.jti in self._revoked:
            raise NotSignedIn("token is revoked, please re-login")
        if project_of_subject(claims.sub):
            self._require_project_token(claims)
            return Who(claims.sub, claims.groups)
        name, _, capability = claims.sub.partition(":")
        self._require_account(name, capability or LOGIN, claims)
        return Who(name, claims.groups)

    def read(self, token: str) -> Claims:
        """Return what a token of ours says; its signature, issuer and times are good, its account may not be."""
        if len(token) > _LONGEST:
            raise NotSignedIn("invalid session: the token is too long")
        key = self._key()
        claims = self._signed.get(key, token) or self._signed.put(key, token, _verified(token, key))
        now = self._clock.now().timestamp()
        if claims.iss != ISSUER:
            raise NotSignedIn("invalid session: the token is of another issuer")
        if claims.exp and claims.exp <= now:
            raise NotSignedIn("invalid session: the token has expired")
        if max(claims.nbf, claims.iat) > now + _LEEWAY:
            raise NotSignedIn("invalid session: the token is not valid yet")
        return claims

    def _who_of_provider(self, token: str) -> Who:
        if len(token) > _LONGEST:
            raise NotSignedIn("invalid session: the token is too long")
        claims = self._provider.claims(token)
        if _id_of(claims, token) in self._revoked:
            raise NotSignedIn("token is revoked, please re-login")
        return who(claims, self._accounts.group_claims(), lambda name: self._accounts.find(name) is not None)

    async def revoke(self, token: str) -> None:
        """Let a token be good no longer; one that is not good anyway stays so."""
        try:
            if _is_foreign(token):
                found = self._provider.claims(token)
                await self._revoked.add(_id_of(found, token), float(found["exp"]))
                return
            claims = self.read(token)
        except NotSignedIn:
            return
        await self._revoked.add(claims.jti, claims.exp)

    def _require_account(self, name: str, capability: str, claims: Claims) -> None:
        account = self._accounts.find(name)
        if account is None or not account.can(capability):
            raise NotSignedIn("invalid session: the account is disabled, or not for this")
        if capability == API_KEY:
            if claims.jti not in {one.id for one in account.tokens}:
                raise NotSignedIn("invalid session: the token was deleted")
        elif account.changed is not None and claims.iat < int(account.changed.timestamp()):
            raise NotSignedIn("account password has changed since token issued")

    def _require_project_token(self, claims: Claims) -> None:
        _, name, role_name = claims.sub.split(":")
        found = self._project(name)
        role = next((one for one in found.spec.roles if one.name == role_name), None) if found else None
        stored = {one.id or str(one.iat) for one in role.jwt_tokens} if role else set()
        if found is not None and found.status is not None and role is not None:
            kept = found.status.jwt_tokens_by_role.get(role_name)
            stored |= {one.id or str(one.iat) for one in kept.items} if kept else set()
        if not stored & {claims.jti, str(int(claims.iat))} - {""}:
            raise NotSignedIn("invalid session: the token of this project was deleted")

    def _key(self) -> bytes:
        return self._accounts.secret().get(_KEY) or self._own_key


def _verified(token: str, key: bytes) -> Claims:
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jwk import OctKey

    try:
        # Nothing else than the one algorithm: a token may not choose how it is checked.
        decoded = jwt.decode(token, OctKey.import_key(key), algorithms=["HS256"])
        return msgspec.convert(decoded.claims, Claims, strict=False)
    except (JoseError, ValueError, TypeError, msgspec.ValidationError):
        raise NotSignedIn("invalid session: the token cannot be read or its signature is not ours") from None


def _is_foreign(token: str) -> bool:
    """Whether a token says that somebody else made it; whoever checks it is told by that, and nothing else."""
    issuer = unchecked(token)[1].get("iss") if len(token) <= _LONGEST else None
    return isinstance(issuer, str) and issuer != ISSUER


def _id_of(claims: dict[str, Any], token: str) -> str:
    """Return what a token of the provider is told from others by; not all of them have ids."""
    found = claims.get("jti")
    return str(found) if found else hashlib.sha256(token.encode()).hexdigest()
