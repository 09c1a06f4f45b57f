"""Takes out of log lines and other texts what looks like a secret, before they are shown or kept.

Called by `syncline.verbs.surroundings` and `syncline.verbs.fleet.pod_logs` for every line of a log, and by
`syncline.verbs.fleet.sharing` for every text of a snapshot. It knows no values, only forms: what follows the name
of a secret, tokens of well-known forms, and logins in addresses. A word too many is hidden rather than one too few.
"""

from __future__ import annotations

import re

from syncline.model.logins import without_logins

HIDDEN = "•••"
_LONGEST = 1000
_LONG_RUN = 40
_NAMED = re.compile(
    r"""(?ix)
    (?P<name>[\w.-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)\w*
      ["']?\s*(?:[:=]|\bis\b)\s*)
    (?P<value>"[^"]*"|'[^']*'|[^\s,;&}\]]+)
    """
)
_FORMS = re.compile(
    r"""(?x)
    eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]+)?          # JSON web tokens
    | (?:AKIA|ASIA)[0-9A-Z]{16}                   # cloud access keys
    | gh[pousr]_\w{20,} | glpat-[\w-]{20,} | xox[abprs]-[\w-]{10,} | hvs\.[\w-]{20,}
    | -----BEGIN[^-]*PRIVATE\ KEY-----.*
    | (?<=[Bb]earer\ )\S+ | (?<=[Bb]asic\ )[\w+/=]{8,}
    | \b[A-Za-z0-9+/]{40,}={0,2}(?![\w/])         # long runs without any break
    """
)


# In messages "secret" and "token" are words as others: "secret: permission denied" tells a cause. So they need a value
# that looks like one; a password does not.
_SAID = re.compile(
    r"""(?ix)
    (?P<name>[\w.-]*(?:passw(?:or)?d|passphrase|pwd|(?:api|access|private|secret|auth|bearer|refresh)[_-]?(?:key|token)
      |(?:client|shared|jwt|signing|webhook|session|app|cookie)[_-]?secret)["']?\s*(?:[:=]|\bis\b)\s*
      |[\w.-]*(?:secret|token|credentials?)["']?\s*=\s*
      |[\w.-]*(?:secret|token|credentials?)["']?\s*:\s*(?=[^\s,;&}\]]*\d)(?=[^\s,;&}\]]{10}))
    (?P<value>"[^"]*"|'[^']*'|[^\s,;&}\]]+)
    """
)
_DIGEST = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
# Folders of a repository make long runs too. Their words have a capital only in front; what is encoded, anywhere.
_PATH = re.compile(r"/?(?:[A-Z]?[a-z][a-z0-9]{0,24}/)+(?:[A-Z]?[a-z][a-z0-9]{0,24})?")


# What each of the forms above has in it: almost no text has any of it, and to see that is quick.
_SUSPICIOUS = re.compile(
    r"(?i)passw|passphrase|pwd|key|secret|token|credential|eyj|a[ks]ia|gh[pousr]_|glpat|xox|hvs\.|@|bearer|basic|begin"
)


def without_secrets(text: str) -> str:
    """Return any text without what looks like a secret; digests, which name commits and images, and folders stay."""
    if len(text) < _LONG_RUN and not _SUSPICIOUS.search(text):
        return text
    shown = _FORMS.sub(lambda found: found[0] if _is_harmless(found[0]) else HIDDEN, without_logins(text))
    return _SAID.sub(lambda found: f"{found['name']}{HIDDEN}", shown)


def _is_harmless(run: str) -> bool:
    return bool(_DIGEST.fullmatch(run) or _PATH.fullmatch(run))


def redacted(line: str) -> str:
    """Return a line of a log without what looks like a secret, cut where it is very long; names of files stay."""
    shown = _FORMS.sub(lambda found: found[0] if _PATH.fullmatch(found[0]) else HIDDEN, without_logins(line.rstrip()))
    shown = _NAMED.sub(lambda found: f"{found['name']}{HIDDEN}", shown)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
