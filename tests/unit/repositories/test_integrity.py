"""Signature policies of projects: which one counts for a repository, and what it says to signatures."""

from typing import Any

import pytest

from syncline.core.policy.integrity import judge, policy_for
from syncline.model.errors import InvalidSpec
from syncline.model.project import ProjectSpec, SignatureKey
from syncline.model.sources.integrity import SignatureNote, SignaturePolicy, SignatureResult, VerificationMode

URL = "https://git.example.com/team/shop"
KEY = "D56C4FCA57A46444"


def project(*policies: dict[str, Any]) -> ProjectSpec:
    return ProjectSpec(source_integrity={"git": {"policies": list(policies)}})


def policy(*patterns: str, mode: str = "head", keys: tuple[str, ...] = (KEY,)) -> dict[str, Any]:
    return {"repos": [{"url": pattern} for pattern in patterns], "gpg": {"mode": mode, "keys": list(keys)}}


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        (ProjectSpec(), None),
        (ProjectSpec(signature_keys=(SignatureKey(KEY),)), SignaturePolicy(VerificationMode.HEAD, (KEY,))),
        (project(policy("*")), SignaturePolicy(VerificationMode.HEAD, (KEY,))),
        (project(policy("https://git.example.com/*", mode="strict")), SignaturePolicy(VerificationMode.STRICT, (KEY,))),
        (project(policy("*", mode="none")), None),
        (project(policy("*", "!https://git.example.com/team/*")), None),
        (project(policy("https://other.example/*")), None),
        (project(policy("https://other.example/*"), policy("*")), SignaturePolicy(VerificationMode.HEAD, (KEY,))),
        (project({"repos": ["*"], "gpg": {"mode": "head"}}), SignaturePolicy(VerificationMode.HEAD, ())),
        (project({"repos": [{"url": "*"}]}), None),
    ],
)
def test_one_policy_counts_for_a_repository(spec: ProjectSpec, found: SignaturePolicy | None) -> None:
    assert policy_for(spec, URL) == found


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (
            project(policy("*"), policy("https://*")),
            f"multiple (2) git source integrity policies found for repo URL: {URL}",
        ),
        (
            project(policy("*", mode="some")),
            'unknown GPG mode "some" configured for GIT source integrity (write none, head or strict)',
        ),
        (
            ProjectSpec(signature_keys=(SignatureKey(KEY),), source_integrity={"git": {}}),
            "signatureKeys and sourceIntegrity cannot be used together (move the keys over)",
        ),
    ],
)
def test_an_unclear_demand_lets_nothing_through(spec: ProjectSpec, told: str) -> None:
    with pytest.raises(InvalidSpec) as caught:
        policy_for(spec, URL)
    assert str(caught.value) == told


def note(found: SignatureResult, key: str = KEY, revision: str = "abc", primary: str = "") -> SignatureNote:
    return SignatureNote(revision, "Ada <ada@example.com>", found, key, primary)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (note(SignatureResult.BAD), f"bad signature (key_id={KEY})"),
        (note(SignatureResult.EXPIRED_SIGNATURE), f"expired signature (key_id={KEY})"),
        (note(SignatureResult.EXPIRED_KEY), f"signed with expired key (key_id={KEY})"),
        (note(SignatureResult.REVOKED_KEY), f"signed with revoked key (key_id={KEY})"),
        (note(SignatureResult.MISSING_KEY), f"signed with key not in keyring (key_id={KEY})"),
        (note(SignatureResult.UNSIGNED, ""), "unsigned (key_id=)"),
        (note(SignatureResult.GOOD, "0" * 16), f"signed with unallowed key (key_id={'0' * 16})"),
        (note(SignatureResult.GOOD, ""), "signed with unallowed key (key_id=)"),
    ],
)
def test_a_problem_is_said_in_argocds_words(found: SignatureNote, words: str) -> None:
    verdict = judge(SignaturePolicy(VerificationMode.HEAD, (KEY,)), [found])
    assert verdict.problems == (f"Failed verifying revision abc by 'Ada <ada@example.com>': {words}",)
    assert not verdict.good


@pytest.mark.parametrize("key", [KEY, KEY.lower(), "0" * 24 + KEY])
def test_a_key_is_allowed_by_id_and_by_fingerprint(key: str) -> None:
    assert judge(SignaturePolicy(VerificationMode.HEAD, (key,)), [note(SignatureResult.GOOD)]).good


def test_a_signing_subkey_is_allowed_by_its_primary_key() -> None:
    assert judge(
        SignaturePolicy(VerificationMode.HEAD, (KEY,)), [note(SignatureResult.GOOD, "1" * 16, primary=KEY)]
    ).good


@pytest.mark.parametrize("keys", [(), ("",), ("not a key",), ("D56C",)])
def test_keys_that_are_none_allow_nothing(keys: tuple[str, ...]) -> None:
    assert not judge(SignaturePolicy(VerificationMode.HEAD, keys), [note(SignatureResult.GOOD)]).good


def test_a_bad_key_is_named_once_unsigned_commits_each_and_ten_problems_at_most() -> None:
    notes = [note(SignatureResult.BAD, revision=str(number)) for number in range(3)]
    notes += [note(SignatureResult.UNSIGNED, "", revision=f"u{number}") for number in range(20)]
    problems = judge(SignaturePolicy(VerificationMode.STRICT, (KEY,)), notes).problems
    assert len(problems) == 10
    assert [problem.split()[3] for problem in problems] == ["0", *(f"u{number}" for number in range(9))]


def test_nothing_found_is_not_good() -> None:
    assert not judge(SignaturePolicy(VerificationMode.HEAD, (KEY,)), []).good
