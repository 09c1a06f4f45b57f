"""Encodings, digests and the other cryptographic functions that always give the same text.

Part of the table in `syncline.core.appset.functions`. What needs chance is in `syncline.core.appset.functions.refused`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import zlib

from syncline.core.appset.gotemplate.errors import CallError
from syncline.core.appset.gotemplate.functions import Context, Function
from syncline.core.appset.gotemplate.quoting import from_bytes, to_bytes

_ALPHABETS = {
    64: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    32: b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
}
_PASSWORDS = {
    "maximum": ("anoxxxxxxxxxxxxxxxxx", "axxxxxxxxxxxxxxxxxno"),
    "long": (
        "CvcvnoCvcvCvcv",
        "CvcvCvcvnoCvcv",
        "CvcvCvcvCvcvno",
        "CvccnoCvcvCvcv",
        "CvccCvcvnoCvcv",
        "CvccCvcvCvcvno",
        "CvcvnoCvccCvcv",
        "CvcvCvccnoCvcv",
        "CvcvCvccCvcvno",
        "CvcvnoCvcvCvcc",
        "CvcvCvcvnoCvcc",
        "CvcvCvcvCvccno",
        "CvccnoCvccCvcv",
        "CvccCvccnoCvcv",
        "CvccCvccCvcvno",
        "CvcvnoCvccCvcc",
        "CvcvCvccnoCvcc",
        "CvcvCvccCvccno",
        "CvccnoCvcvCvcc",
        "CvccCvcvnoCvcc",
        "CvccCvcvCvccno",
    ),
    "medium": ("CvcnoCvc", "CvcCvcno"),
    "short": ("Cvcn",),
    "basic": ("aaanaaan", "aannaaan", "aaannaaa"),
    "pin": ("nnnn",),
}
_CHARACTERS = {
    "V": "AEIOU",
    "C": "BCDFGHJKLMNPQRSTVWXYZ",
    "v": "aeiou",
    "c": "bcdfghjklmnpqrstvwxyz",
    "A": "AEIOUBCDFGHJKLMNPQRSTVWXYZ",
    "a": "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz",
    "n": "0123456789",
    "o": "@&%?,=[]_:-+*$#!'^~;()/.",
    "x": "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()",
}
_DERIVING_COSTS = 200_000
"""Deriving a password takes as long as so many steps."""


class _Illegal(Exception):
    """The byte at which an encoded text stops being one."""


def decoded(text: str, base: int) -> bytes:
    """Return what a text in base 64 or 32 encodes; line ends are ignored, as in Go."""
    data = to_bytes(text)
    known, group = _ALPHABETS[base], 4 if base == 64 else 8
    kept = bytearray()
    padding = 0
    for at, byte in enumerate(data):
        if byte in b"\r\n":
            continue
        if byte == 61:  # the padding sign
            padding += 1
            if not _padding_fits(len(kept) % group, padding, base):
                raise _Illegal(at)
        elif padding or byte not in known:
            # Half of the padding is told by its own place.
            raise _Illegal(at - 1 if base == 64 and padding == 1 and len(kept) % group == 2 else at)
        else:
            kept.append(byte)
    rest = len(kept) % group
    if (rest + padding) % group:
        raise _Illegal(len(data) - (0 if padding else rest))
    padded = bytes(kept) + b"=" * (-len(kept) % group)
    return base64.b64decode(padded) if base == 64 else base64.b32decode(padded)


def _padding_fits(used: int, padding: int, base: int) -> bool:
    if base == 64:
        return used in (2, 3) and padding <= 4 - used
    return used in (2, 4, 5, 7) and padding <= 8 - used


def _decode(text: str, base: int) -> str:
    try:
        return from_bytes(decoded(text, base))
    except _Illegal as error:
        return f"illegal base{base} data at input byte {error}"


def _derive_password(ctx: Context, counter: int, kind: str, password: str, user: str, site: str) -> str:
    """Derive a site password by the rules of Master Password."""
    templates = _PASSWORDS.get(kind)
    if templates is None:
        return f"cannot find password template {kind}"
    ctx.budget.spend(_DERIVING_COSTS)
    scope = b"com.lyndir.masterpassword"
    salt = scope + len(to_bytes(user)).to_bytes(4, "big") + to_bytes(user)
    key = hashlib.scrypt(to_bytes(password), salt=salt, n=32768, r=8, p=2, dklen=64, maxmem=128 * 1024 * 1024)
    message = (
        scope + len(to_bytes(site)).to_bytes(4, "big") + to_bytes(site) + (counter & 0xFFFFFFFF).to_bytes(4, "big")
    )
    seed = hmac.new(key, message, hashlib.sha256).digest()
    template = templates[seed[0] % len(templates)]
    return "".join(_CHARACTERS[mark][seed[at + 1] % len(_CHARACTERS[mark])] for at, mark in enumerate(template))


def _decrypt_aes(password: str, text: str) -> str:
    if not text:
        return ""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    try:
        data = decoded(text, 64)
    except _Illegal as error:
        raise CallError(f"illegal base64 data at input byte {error}") from None
    if len(data) < 16:
        raise CallError(f"runtime error: slice bounds out of range [:16] with capacity {len(data)}")
    if len(data) % 16:
        raise CallError("crypto/cipher: input not full blocks")
    if len(data) == 16:
        raise CallError("runtime error: index out of range [-1]")
    key = to_bytes(password)[:32].ljust(32, b"\0")
    unlock = Cipher(algorithms.AES(key), modes.CBC(data[:16])).decryptor()
    plain = unlock.update(data[16:]) + unlock.finalize()
    kept = len(plain) - plain[-1]
    if kept < 0:
        raise CallError(f"runtime error: slice bounds out of range [:{kept}]")
    return from_bytes(plain[:kept])


ENCODINGS: dict[str, Function] = {
    "adler32sum": Function(lambda text: str(zlib.adler32(to_bytes(text))), "string"),
    "b32dec": Function(lambda text: _decode(text, 32), "string"),
    "b32enc": Function(lambda text: base64.b32encode(to_bytes(text)).decode(), "string"),
    "b64dec": Function(lambda text: _decode(text, 64), "string"),
    "b64enc": Function(lambda text: base64.b64encode(to_bytes(text)).decode(), "string"),
    "decryptAES": Function(_decrypt_aes, "string string"),
    "derivePassword": Function(_derive_password, "int string string string string", needs_context=True),
    "sha1sum": Function(lambda text: hashlib.sha1(to_bytes(text), usedforsecurity=False).hexdigest(), "string"),
    "sha256sum": Function(lambda text: hashlib.sha256(to_bytes(text)).hexdigest(), "string"),
    "sha512sum": Function(lambda text: hashlib.sha512(to_bytes(text)).hexdigest(), "string"),
}
