"""Commits and tags signed by the real gpg and the real ssh-keygen, and what a project's policy says to them."""

import pathlib
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from syncline.adapters.git.source import GitSource
from syncline.core.policy.integrity import judge
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.integrity import (
    IntegrityVerdict,
    SignatureNote,
    SignaturePolicy,
    SignatureResult,
    VerificationMode,
)
from syncline.ports.source import RevisionRequest
from tests.support import git_http
from tests.support.git_http import Repository
from tests.support.gpg import Gpg, key_ring

ADA = "Ada <ada@example.com>"


@pytest.fixture(scope="module")
def gpg() -> Iterator[Gpg]:
    with key_ring() as made:
        yield made


@pytest.fixture(scope="module")
def ada(gpg: Gpg) -> str:
    return gpg.key("ada")


@pytest.fixture(scope="module")
def eve(gpg: Gpg) -> str:
    return gpg.key("eve")


def signed(shop: Repository, gpg: Gpg, key: str, text: str, message: str = "change") -> str:
    return gpg.commit(shop, key, {"a.yaml": text}, message)


async def read(
    source: GitSource, url: str, revision: str, mode: VerificationMode = VerificationMode.HEAD
) -> list[SignatureNote]:
    request = RevisionRequest(url, revision)
    return list(await source.signatures(request, await source.resolve(request), mode))


async def test_a_good_signature_names_its_key(
    gpg: Gpg, ada: str, shop: Repository, url: str, source: GitSource
) -> None:
    sha = signed(shop, gpg, ada, "1")
    source.use(SourceAccess(signing_keys={ada[-16:]: gpg.public(ada)}))
    notes = await read(source, url, "main")
    assert notes == [SignatureNote(sha, ADA, SignatureResult.GOOD, ada[-16:], ada[-16:])]
    for key in (ada, ada[-16:], ada[-16:].lower()):
        assert judge(SignaturePolicy(VerificationMode.HEAD, (key,)), notes) == IntegrityVerdict(
            signer=ADA, key_id=ada[-16:]
        )


async def test_a_key_that_is_not_allowed_is_named(
    gpg: Gpg, ada: str, eve: str, shop: Repository, url: str, source: GitSource
) -> None:
    sha = signed(shop, gpg, eve, "1")
    source.use(SourceAccess(signing_keys={key[-16:]: gpg.public(key) for key in (ada, eve)}))
    verdict = judge(SignaturePolicy(VerificationMode.HEAD, (ada[-16:],)), await read(source, url, "main"))
    assert verdict.message() == (
        f"GIT/GPG: Failed verifying revision {sha} by '{ADA}': signed with unallowed key (key_id={eve[-16:]})"
    )


async def test_a_key_nobody_told_us_about_is_missing(
    gpg: Gpg, ada: str, eve: str, shop: Repository, url: str, source: GitSource
) -> None:
    sha = signed(shop, gpg, eve, "1")
    source.use(SourceAccess(signing_keys={ada[-16:]: gpg.public(ada)}))
    assert await read(source, url, "main") == [SignatureNote(sha, ADA, SignatureResult.MISSING_KEY, eve[-16:])]


async def test_an_unsigned_commit_says_so(shop: Repository, url: str, source: GitSource) -> None:
    sha = shop.commit({"a.yaml": "1"})
    notes = await read(source, url, "main")
    assert notes == [SignatureNote(sha, ADA, SignatureResult.UNSIGNED)]
    assert judge(SignaturePolicy(VerificationMode.HEAD, ("0" * 16,)), notes).problems == (
        f"Failed verifying revision {sha} by '{ADA}': unsigned (key_id=)",
    )


async def test_a_commit_that_was_changed_after_it_was_signed_is_bad(
    gpg: Gpg, ada: str, shop: Repository, url: str, source: GitSource
) -> None:
    signed(shop, gpg, ada, "1", "deploy one")
    forged = shop.git("cat-file", "commit", "HEAD").replace("deploy one", "deploy two") + "\n"
    file = shop.folder / "forged"
    file.write_text(forged)
    sha = shop.git("hash-object", "-t", "commit", "-w", "forged")
    shop.git("update-ref", "refs/heads/main", sha)
    source.use(SourceAccess(signing_keys={ada[-16:]: gpg.public(ada)}))
    assert await read(source, url, "main") == [SignatureNote(sha, ADA, SignatureResult.BAD, ada[-16:], ada[-16:])]


async def test_a_signed_tag_counts_in_place_of_its_commit(
    gpg: Gpg, ada: str, shop: Repository, url: str, source: GitSource
) -> None:
    shop.commit({"a.yaml": "1"})
    shop.git("config", "gpg.program", str(gpg.program))
    shop.git("config", "user.signingkey", ada)
    shop.git("tag", "-s", "-m", "release", "v1.0.0")
    shop.git("tag", "-a", "-m", "release", "v2.0.0")
    source.use(SourceAccess(signing_keys={ada[-16:]: gpg.public(ada)}))
    good = SignatureNote("v1.0.0", ADA, SignatureResult.GOOD, ada[-16:], ada[-16:])
    assert await read(source, url, "v1.0.0") == [good]
    assert await read(source, url, "1.x") == [good]
    assert await read(source, url, "v2.0.0") == [SignatureNote("v2.0.0", ADA, SignatureResult.UNSIGNED)]


async def test_strict_looks_at_the_whole_history_up_to_a_seal(
    gpg: Gpg, ada: str, shop: Repository, url: str, source: GitSource
) -> None:
    unsigned = shop.commit({"a.yaml": "0"})
    first = signed(shop, gpg, ada, "1")
    source.use(SourceAccess(signing_keys={ada[-16:]: gpg.public(ada)}))
    policy = SignaturePolicy(VerificationMode.STRICT, (ada,))
    notes = await read(source, url, "main", VerificationMode.STRICT)
    assert [(note.revision, note.found) for note in notes] == [
        (first, SignatureResult.GOOD),
        (unsigned, SignatureResult.UNSIGNED),
    ]
    assert not judge(policy, notes).good
    seal = signed(shop, gpg, ada, "2", "Seal\n\nArgocd-gpg-seal: all before was reviewed")
    last = signed(shop, gpg, ada, "3")
    notes = await read(source, url, "main", VerificationMode.STRICT)
    assert [note.revision for note in notes] == [last, seal]
    assert judge(policy, notes).good


async def test_a_revoked_key_signs_nothing(
    gpg: Gpg, shop: Repository, server: git_http.Server, source: GitSource
) -> None:
    key = gpg.key("rex")
    sha = signed(shop, gpg, key, "1")
    certificate = (gpg.home / "openpgp-revocs.d" / f"{key}.rev").read_text().replace(":-----BEGIN", "-----BEGIN")
    (gpg.home / "revoke").write_text(certificate)
    gpg.run("--import", str(gpg.home / "revoke"))
    source.use(SourceAccess(signing_keys={key[-16:]: gpg.public(key)}))
    assert await read(source, server.url("shop"), "main") == [
        SignatureNote(sha, ADA, SignatureResult.REVOKED_KEY, key[-16:], key[-16:])
    ]


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="the program ssh-keygen is not on this machine")
@pytest.mark.parametrize("kind", ["ed25519", "rsa"])
async def test_an_ssh_signature_is_known_by_its_fingerprint(
    shop: Repository, url: str, source: GitSource, tmp_path: pathlib.Path, kind: str
) -> None:
    file = tmp_path / "key"
    made = make_ssh_key(file, kind)
    shop.git("config", "gpg.format", "ssh")
    shop.git("config", "user.signingkey", str(file))
    shop.write({"a.yaml": "1"})
    shop.git("add", "--all")
    shop.git("commit", "--quiet", "-S", "-m", "change")
    sha = shop.git("rev-parse", "HEAD")
    notes = await read(source, url, "main")
    assert notes == [SignatureNote(sha, ADA, SignatureResult.GOOD, made)]
    assert judge(SignaturePolicy(VerificationMode.HEAD, (made,)), notes).good
    assert not judge(SignaturePolicy(VerificationMode.HEAD, ("SHA256:other",)), notes).good


def make_ssh_key(file: pathlib.Path, kind: str) -> str:
    """Make a key pair and return its fingerprint, as ssh-keygen tells it."""
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-f", str(file)], check=True)
    told = subprocess.run(["ssh-keygen", "-l", "-f", str(file)], check=True, capture_output=True, text=True)
    return told.stdout.split()[1]
