"""Reads who signed a commit, a tag or a history: PGP and SSH signatures, without a key ring and without gpg.

Called by `syncline.adapters.git.source` in a thread; the notes go to `syncline.core.policy.integrity`. PGP keys are
those the installation trusts; an SSH signature carries its own key, which the policy names by fingerprint. A history is
walked until a commit that seals it: one whose message has the trailer `Argocd-gpg-seal`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from syncline.adapters.git.blobs import GitObject
from syncline.model.errors import SourceError
from syncline.model.sources.integrity import SignatureNote, SignatureResult, VerificationMode

if TYPE_CHECKING:
    import pygit2

_SEAL = re.compile(r"^argocd-gpg-seal:", re.IGNORECASE | re.MULTILINE)
_TAG_SIGNATURE = re.compile(rb"^-----BEGIN (?:PGP|SSH) SIGNATURE-----", re.MULTILINE)
_MOST_COMMITS = 100_000


def read(cache: str, sha: str, tag: str, mode: VerificationMode, keys: Mapping[str, str]) -> list[SignatureNote]:
    """Return the notes of the tag (where one was asked for) or the commit; strict: of commit and ancestors as well."""
    import pygit2

    repository = pygit2.Repository(cache)
    ring = KeyRing(keys.values())
    notes = [_tag_note(repository, tag, ring)] if tag else []
    if mode is VerificationMode.STRICT:
        return notes + [_commit_note(commit, ring) for commit in _history(repository, sha)]
    return notes or [_commit_note(_commit(repository, sha), ring)]


def _history(repository: pygit2.Repository, sha: str) -> Iterator[GitObject]:
    seen: set[str] = set()
    pending = [sha]
    while pending:
        one = pending.pop(0)
        if one in seen:
            continue
        seen.add(one)
        if len(seen) > _MOST_COMMITS:
            raise SourceError(f"the history of {sha} has more than {_MOST_COMMITS} commits to verify", hint="seal it")
        commit = _commit(repository, one)
        yield commit
        if not _SEAL.search(str(commit.message).rpartition("\n\n")[2]):
            pending += [str(parent) for parent in commit.parent_ids]


def _commit(repository: pygit2.Repository, sha: str) -> GitObject:
    try:
        return repository[sha]
    except KeyError:
        raise SourceError(f"commit {sha} is missing from the history, which cannot be verified") from None


def _commit_note(commit: GitObject, ring: KeyRing) -> SignatureNote:
    signature, payload = commit.gpg_signature
    author = f"{commit.author.name} <{commit.author.email}>"
    return ring.note(str(commit.id), author, payload or b"", signature or b"")


def _tag_note(repository: pygit2.Repository, tag: str, ring: KeyRing) -> SignatureNote:
    found: GitObject = repository[tag]
    raw = bytes(found.read_raw())
    begins = _TAG_SIGNATURE.search(raw)
    payload, signature = (raw[: begins.start()], raw[begins.start() :]) if begins else (raw, b"")
    tagger = found.tagger
    author = f"{tagger.name} <{tagger.email}>" if tagger else ""
    return ring.note(str(found.name), author, payload, signature)


class KeyRing:
    """The PGP keys an installation trusts."""

    def __init__(self, armoured: Iterable[str]) -> None:
        self._certs: list[tuple[Any, set[str]]] = []
        for text in armoured:
            self._certs += _certificates(text)

    def note(self, revision: str, author: str, payload: bytes, signature: bytes) -> SignatureNote:
        """Check one signature."""
        if not signature:
            return SignatureNote(revision, author, SignatureResult.UNSIGNED)
        if b"BEGIN SSH SIGNATURE" in signature:
            found, key = _check_ssh(payload, signature)
            return SignatureNote(revision, author, found, key)
        return self._check_pgp(SignatureNote(revision, author, SignatureResult.BAD), payload, signature)

    def _check_pgp(self, note: SignatureNote, payload: bytes, signature: bytes) -> SignatureNote:
        import msgspec
        import pysequoia

        try:
            read = pysequoia.Sig.from_bytes(signature)
        except Exception:  # noqa: BLE001 - the library raises nothing more precise
            return note
        key = (read.issuer_key_id or (read.issuer_fingerprint or "")[-16:]).upper()
        cert = next((cert for cert, names in self._certs if key and key in names), None)
        if cert is None:
            return msgspec.structs.replace(note, found=SignatureResult.MISSING_KEY, key_id=key)
        primary = str(cert.fingerprint)[-16:].upper()
        now = datetime.now(UTC)
        try:
            pysequoia.verify(bytes=payload, store=lambda _ids: [cert], signature=read)
            found = SignatureResult.GOOD
        except Exception:  # noqa: BLE001 - the library raises nothing more precise
            found = SignatureResult.BAD
        if cert.is_revoked:
            found = SignatureResult.REVOKED_KEY
        elif read.expiration is not None and read.expiration < now:
            found = SignatureResult.EXPIRED_SIGNATURE
        elif cert.expiration is not None and cert.expiration < now:
            found = SignatureResult.EXPIRED_KEY
        return msgspec.structs.replace(note, found=found, key_id=key, primary_key_id=primary)


def _certificates(text: str) -> list[tuple[Any, set[str]]]:
    """Return the certificates of an armoured text with the ids of their keys; what cannot be read is left out."""
    import pysequoia

    try:
        certs = list(pysequoia.Cert.split_bytes(text.encode()))
    except Exception:  # noqa: BLE001 - the library raises nothing more precise
        return []
    return [(cert, _key_ids(cert)) for cert in certs]


def _key_ids(cert: Any) -> set[str]:
    from pysequoia.packet import PacketPile

    return {str(packet.key_id).upper() for packet in PacketPile.from_bytes(bytes(cert)) if packet.key_id}


def _check_ssh(payload: bytes, signature: bytes) -> tuple[SignatureResult, str]:
    import sshsig

    try:
        key = sshsig.check_signature(payload, signature, "git")
    except (sshsig.InvalidSignature, NotImplementedError, ValueError):
        return SignatureResult.BAD, ""
    return SignatureResult.GOOD, str(key.sha256_str())
