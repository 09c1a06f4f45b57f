"""Reduces what git prints to its cause, in words a person can act on.

Called by `syncline.adapters.git.cache` and `syncline.adapters.git.source`; every text of git that reaches a
user goes through here, and so through `scrub`.
"""

from __future__ import annotations

import re

from syncline.adapters.git.addresses import Address, scrub
from syncline.model.errors import SourceError
from syncline.model.sources import repository_urls

_NOISE = ("please make sure", "and the repository exists", "warning:", "hint:", "cloning into")
_VOID = "Could not read from remote repository"
_ACCESS = re.compile(r"unable to access '[^']*': ")
_AUTHENTICATION = (
    "authentication failed",
    "could not read username",
    "could not read password",
    "permission denied (publickey",
    "error: 401",
    "error: 403",
)
_NOT_FOUND = ("repository not found", "not found", "does not appear to be a git repository", "does not exist")
_PROXY = (
    "error: 407",
    "response 407",
    "rejected by the socks",
    "resolve proxy",
    "proxy connect aborted",
    "reached through its proxy",
    "connect tunnel failed",
    "complete socks5 connection",
)
_CERTIFICATE = ("ssl certificate problem", "certificate verification failed", "server certificate verification")
_HANDSHAKE = (
    "getpeername",
    "certificate required",
    "handshake fail",
    "bad certificate",
    "gnutls_handshake",
    "ssl_error",
)
_UNADVERTISED = ("not our ref", "unadvertised object", "couldn't find remote ref", "no such remote ref")
_DAMAGED = (
    "corrupt",
    "bad object",
    "is empty",
    "not a git repository:",
    "unable to read tree",
    "bad config line",
    "did not send all necessary objects",
    "index file is too small",
    "inflate",
    "packfile",
    "invalid sha1 pointer",
    "bad tree object",
    "missing blob",
    "missing tree",
)


def cause(text: str) -> str:
    """Return the line of git's output that says what went wrong."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.lower().startswith(_NOISE)]
    said = [line for line in lines if line.startswith("fatal:")] or lines[-1:] or ["git gave no reason"]
    # Of a connection that failed git knows nothing: ssh said why.
    chosen = next((line for line in lines if line.startswith("ssh: ")), "") if _VOID in said[0] else ""
    chosen = chosen or said[0]
    for prefix in ("fatal: ", "error: ", "remote: "):
        chosen = chosen.removeprefix(prefix)
    return scrub(_ACCESS.sub("", chosen))[:300]


def unreachable(address: Address, text: str) -> SourceError:
    """Build the error for a repository whose references cannot be listed."""
    low = text.lower()
    if "host key verification failed" in low or "host key is known" in low:
        return _host_key(address, low)
    if any(sign in low for sign in _PROXY):
        hint = f"check proxy and noProxy of the repository {address}"
        return SourceError(f"failed to list refs: the proxy cannot reach it: {cause(text)}", hint=hint)
    if any(sign in low for sign in _CERTIFICATE):
        what = "failed to list refs: x509: certificate signed by unknown authority"
        hint = f"git says: {cause(text)}; trust it with: syncline cert add-tls {address.host} --from FILE"
        return SourceError(what, hint=hint)
    if address.scheme == "https" and any(sign in low for sign in _HANDSHAKE):
        hint = f"{address} may require a different TLS client certificate"
        return SourceError(f"failed to list refs: the server aborted the TLS handshake: {cause(text)}", hint=hint)
    if any(sign in low for sign in _AUTHENTICATION):
        hint = repository_urls.login_hint(address.url)
        return SourceError(f"failed to list refs: authentication required: {address}", hint=hint)
    if any(sign in low for sign in _NOT_FOUND) and "could not resolve" not in low:
        hint = "check repoURL; a private repository without credentials looks the same"
        return SourceError(f"failed to list refs: repository not found: {address}", hint=hint)
    return SourceError(f"failed to list refs: {cause(text)}", hint=f"repository {address}")


def _host_key(address: Address, text: str) -> SourceError:
    changed = "identification has changed" in text or "differs from" in text
    what = f"failed to list refs: ssh: handshake failed: knownhosts: key {'mismatch' if changed else 'is unknown'}"
    place = address.host if address.port == 22 else f"[{address.host}]:{address.port}"
    if changed:
        hint = f"{place} presents a different host key than the known one: find out why before you change it"
    else:
        hint = f"trust {place} with: ssh-keyscan -p {address.port} {address.host} | syncline cert add-ssh --batch"
    return SourceError(what, hint=hint)


def is_unknown_commit(text: str) -> bool:
    """Whether the server said that it does not have, or does not give out, a commit."""
    return any(sign in text.lower() for sign in _UNADVERTISED)


def is_damage(text: str) -> bool:
    """Whether git complained about the cache on our disk and not about the repository."""
    return any(sign in text.lower() for sign in _DAMAGED)
