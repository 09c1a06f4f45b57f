"""Hashes as Argo CD keeps them, checked by the real bcrypt."""

import asyncio

import bcrypt
import pytest

from syncline.adapters.auth import BcryptPasswords, SystemSecrets

# A salt of our own, so that tests have the same names in every process; 04 is the least cost, so that they are quick.
# The form is that of argocd-secret.
HASHED = bcrypt.hashpw(b"correct horse", b"$2a$04$abcdefghijklmnopqrstuu").decode()


@pytest.mark.parametrize(
    ("password", "hashed", "matches"),
    [
        ("correct horse", HASHED, True),
        ("correct horse", HASHED.replace("$2a$", "$2b$"), True),
        ("Correct horse", HASHED, False),
        ("", HASHED, False),
        ("correct horse\0", HASHED, False),
        ("x" * 73, HASHED, False),
        ("correct horse", "not a hash", False),
        ("correct horse", "", False),
    ],
)
def test_a_password_matches_its_own_hash_and_no_other(password: str, hashed: str, matches: bool) -> None:
    assert asyncio.run(BcryptPasswords().matches(password, hashed)) is matches


def test_a_new_hash_has_the_form_and_cost_of_argo_cd() -> None:
    made = asyncio.run(BcryptPasswords().hashed("a better horse"))
    assert made.startswith("$2a$10$")
    assert bcrypt.checkpw(b"a better horse", made.encode())


def test_texts_that_nobody_can_guess_have_at_least_128_bits() -> None:
    made = {SystemSecrets().text(18) for _ in range(100)}
    assert len(made) == 100
    assert min(map(len, made)) >= 24
