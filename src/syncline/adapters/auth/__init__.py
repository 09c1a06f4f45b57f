"""Hashes of passwords and unguessable texts, as `syncline.ports.auth` describes them."""

from syncline.adapters.auth.passwords import BcryptPasswords, SystemSecrets

__all__ = ["BcryptPasswords", "SystemSecrets"]
