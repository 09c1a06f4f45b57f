"""Functions of Sprig that give another text each time they are called, which an ApplicationSet must not do.

Part of the table in `syncline.core.appset.functions`. Argo CD runs them and then changes the Application at every pass,
for ever; here they are known, so that a template with one parses, and calling it says what to do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from syncline.core.appset.gotemplate.errors import CallError
from syncline.core.appset.gotemplate.functions import Function

_CHANCE = {
    "bcrypt": "string",
    "buildCustomCert": "string string",
    "encryptAES": "string string",
    "genCA": "string int",
    "genCAWithKey": "string int string",
    "genPrivateKey": "string",
    "genSelfSignedCert": "string anys anys int",
    "genSelfSignedCertWithKey": "string anys anys int string",
    "genSignedCert": "string anys anys int certificate",
    "genSignedCertWithKey": "string anys anys int certificate string",
    "htpasswd": "string string",
    "randAlpha": "int",
    "randAlphaNum": "int",
    "randAscii": "int",
    "randBytes": "int",
    "randInt": "int int",
    "randNumeric": "int",
    "shuffle": "string",
    "uuidv4": "",
}


def _refusing(name: str) -> Callable[..., Any]:
    def refuse(*_args: Any) -> Any:
        if name == "buildCustomCert":
            raise CallError("certificates do not belong into an Application: put them into a Secret")
        raise CallError(
            f"{name} gives another text at every rendering, so the Application would never come to rest: "
            "give the value as a parameter"
        )

    return refuse


REFUSED: dict[str, Function] = {name: Function(_refusing(name), params) for name, params in _CHANCE.items()}
