"""Who must have signed a commit before it is delivered, and what was found.

The policy comes from an AppProject, the notes from `syncline.ports.source.Signed`; `syncline.core.policy.integrity`
makes both into a verdict. Keys are PGP key ids or fingerprints, and beyond Argo CD also SSH fingerprints (`SHA256:…`).
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

CHECK = "GIT/GPG"


class VerificationMode(StrEnum):
    """How much is verified: nothing, the newest commit (or the tag asked for), or the whole history too."""

    NONE = "none"
    HEAD = "head"
    STRICT = "strict"


class SignatureResult(StrEnum):
    """What a signature turned out to be, in Argo CD's words."""

    GOOD = "signed"
    BAD = "bad signature"
    EXPIRED_SIGNATURE = "expired signature"
    EXPIRED_KEY = "signed with expired key"
    REVOKED_KEY = "signed with revoked key"
    MISSING_KEY = "signed with key not in keyring"
    UNSIGNED = "unsigned"


class SignaturePolicy(msgspec.Struct, frozen=True):
    """Which keys may sign, and how much of the history must be signed."""

    mode: VerificationMode
    keys: tuple[str, ...] = ()


class SignatureNote(msgspec.Struct, frozen=True):
    """The signature of one revision: what it is, whose it is, and the keys it may be known by."""

    revision: str
    author: str
    found: SignatureResult
    key_id: str = ""
    primary_key_id: str = ""


class IntegrityVerdict(msgspec.Struct, frozen=True):
    """Whether a revision may be delivered; the problems say why not, in Argo CD's words."""

    check: str = CHECK
    problems: tuple[str, ...] = ()
    signer: str = ""
    key_id: str = ""

    @property
    def good(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.problems

    def message(self) -> str:
        """Return the problems as Argo CD shows them in a condition."""
        return "\n".join(f"{self.check}: {problem}" for problem in self.problems)
