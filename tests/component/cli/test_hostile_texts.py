"""Texts that somebody put into objects, where a terminal would obey them (security row J1): seen, and never obeyed."""

from __future__ import annotations

import pytest

from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(120)
# A window's title, a link, a cleared screen, another spelling of ESC [, and letters in another order.
EVIL = "\x1b]0;owned\x07\x1b]8;;http://evil.example\x1b\\here\x1b]8;;\x1b\\\x1b[2J\x9b31m\u202e<b>bold</b>"


def condition(name: str) -> dict[str, object]:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {
            "name": name,
            "namespace": "argocd",
            "annotations": {"note": EVIL, "argocd.argoproj.io/skip-reconcile": "true"},
        },
        "spec": {
            "project": "default",
            "source": {"repoURL": f"https://git.example/{EVIL}.git", "path": "x", "targetRevision": EVIL},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "evil"},
        },
        "status": {
            "sync": {"status": "Unknown", "revision": EVIL},
            "health": {"status": "Degraded", "message": EVIL},
            "conditions": [{"type": "ComparisonError", "message": EVIL, "lastTransitionTime": "2030-01-01T00:00:00Z"}],
            "operationState": {
                "phase": "Failed",
                "message": EVIL,
                "startedAt": "2030-01-01T00:00:00Z",
                "finishedAt": "2030-01-01T00:00:01Z",
                "operation": {"sync": {"revision": EVIL}, "initiatedBy": {"username": EVIL}},
            },
            "history": [{"id": 0, "revision": EVIL, "deployedAt": "2030-01-01T00:00:00Z", "source": {"repoURL": EVIL}}],
        },
    }


@pytest.mark.parametrize(
    "command",
    [
        ("app", "list"),
        ("app", "list", "-o", "wide"),
        ("app", "get", "evil"),
        ("app", "get", "evil", "--show-operation"),
        ("app", "history", "evil"),
        ("app", "resources", "evil"),
        ("app", "diff", "evil"),
        ("app", "manifests", "evil"),
        ("why", "evil"),
        ("diagnose",),
    ],
)
def test_no_command_lets_a_terminal_obey_what_an_application_says(
    installation: Installation, command: tuple[str, ...]
) -> None:
    installation.apply(condition("evil"))
    answer = installation.run(*command)
    told = answer.output + answer.errors
    # What cannot be shown at all is a failure in words, not a silence that this test would take for safety.
    assert told.strip()
    assert not set("\x1b\x07\x9b\u202e") & set(told)


def test_what_is_hidden_is_shown_as_what_it_is(installation: Installation) -> None:
    installation.apply(condition("evil"))
    answer = installation.run("app", "get", "evil")
    assert "\\x1b]0;owned\\x07" in answer.output
    assert "\\u202e<b>bold</b>" in answer.output
