"""Decides whether the signatures of a commit satisfy its project.

Given an AppProject and what `syncline.ports.source.Signed` read; the verdict goes into a condition of the Application.
`signatureKeys` is the old spelling of one policy for every repository that looks at the newest commit alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from syncline.apimachinery.globs import matches
from syncline.model.errors import InvalidSpec
from syncline.model.project import ProjectSpec
from syncline.model.sources.integrity import (
    CHECK,
    IntegrityVerdict,
    SignatureNote,
    SignaturePolicy,
    SignatureResult,
    VerificationMode,
)

_PGP_KEY = re.compile(r"[0-9A-Fa-f]{16}|[0-9A-Fa-f]{40}")
_MAX_PROBLEMS = 10


def policy_for(project: ProjectSpec, repo_url: str) -> SignaturePolicy | None:
    """Return what a project demands of a repository's commits, or None; raises `InvalidSpec` for an unclear demand."""
    if project.signature_keys and project.source_integrity:
        raise InvalidSpec("signatureKeys and sourceIntegrity cannot be used together", hint="move the keys over")
    if project.signature_keys:
        return SignaturePolicy(VerificationMode.HEAD, tuple(key.key_id for key in project.signature_keys))
    git = (project.source_integrity or {}).get("git") or {}
    policies = [policy for policy in git.get("policies") or () if _covers(policy, repo_url)]
    if len(policies) > 1:
        raise InvalidSpec(f"multiple ({len(policies)}) git source integrity policies found for repo URL: {repo_url}")
    demand = policies[0].get("gpg") if policies else None
    if not demand:
        return None
    try:
        mode = VerificationMode(str(demand.get("mode") or ""))
    except ValueError:
        text = f'unknown GPG mode "{demand.get("mode") or ""}" configured for GIT source integrity'
        raise InvalidSpec(text, hint="write none, head or strict") from None
    return (
        None
        if mode is VerificationMode.NONE
        else SignaturePolicy(mode, tuple(str(key) for key in demand.get("keys") or ()))
    )


def judge(policy: SignaturePolicy, notes: Sequence[SignatureNote]) -> IntegrityVerdict:
    """Compare signatures, newest first, with a policy; one bad key is named once, ten problems at most."""
    problems: list[str] = []
    told: set[str] = set()
    for note in notes:
        problem = _problem(policy, note)
        if not problem or (note.key_id and note.key_id in told):
            continue
        told.add(note.key_id)
        problems.append(problem)
    newest = notes[0] if notes else SignatureNote("", "", SignatureResult.UNSIGNED)
    if not notes:
        problems.append("no signature was found")
    return IntegrityVerdict(CHECK, tuple(problems[:_MAX_PROBLEMS]), newest.author, newest.key_id)


def _problem(policy: SignaturePolicy, note: SignatureNote) -> str:
    start = f"Failed verifying revision {note.revision} by '{note.author}': "
    if note.found is not SignatureResult.GOOD:
        return f"{start}{note.found} (key_id={note.key_id})"
    allowed = {_key(key) for key in policy.keys}
    if {_key(note.key_id), _key(note.primary_key_id)} & allowed - {""}:
        return ""
    return f"{start}signed with unallowed key (key_id={note.key_id})"


def _key(text: str) -> str:
    """Return what keys are compared by: the last sixteen digits of a PGP key, an SSH fingerprint as it is."""
    return text[-16:].upper() if _PGP_KEY.fullmatch(text) else (text if text.startswith("SHA256:") else "")


def _covers(policy: dict[str, Any], repo_url: str) -> bool:
    patterns = [
        str(repo.get("url") or "") if isinstance(repo, dict) else str(repo) for repo in policy.get("repos") or ()
    ]
    refused = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    if any(matches(repo_url, pattern) for pattern in refused):
        return False
    return any(matches(repo_url, pattern) for pattern in patterns if not pattern.startswith("!"))
