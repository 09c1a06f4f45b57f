"""Takes user and password out of addresses in texts: what people, logs and Events see never has them.

Used wherever a text leaves Syncline. `syncline.model.errors` does so for every error; the status, Events, the log, the
page and the command line do so again for what comes from elsewhere.
"""

from __future__ import annotations

import re

_LOGIN = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*:)?//(?P<login>[^/\s\"'<>\\]+)@")


def without_logins(text: str) -> str:
    """Return a text with user and password taken out of every address in it; the user of ssh alone is no secret."""
    return _LOGIN.sub(_bare, text) if "@" in text else text


def _bare(found: re.Match[str]) -> str:
    scheme = found["scheme"] or ""
    if scheme.lower().endswith("ssh:") and ":" not in found["login"]:
        return found[0]
    return f"{scheme}//"
