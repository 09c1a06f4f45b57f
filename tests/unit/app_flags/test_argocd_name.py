"""Scripts written for `argocd`: which arguments stay, which are renamed, which are dropped."""

from __future__ import annotations

import pytest

from syncline.cli.argocd import answer, called_as_argocd, translated, unasked


@pytest.mark.parametrize(
    ("program", "expected"),
    [("/usr/local/bin/argocd", True), ("argocd", True), ("syncline", False), ("/opt/argocd/syncline", False)],
)
def test_the_name_of_the_program_decides(program: str, *, expected: bool) -> None:
    assert called_as_argocd(program) is expected


@pytest.mark.parametrize(
    ("arguments", "kept", "dropped"),
    [
        (["app", "list", "--core"], ["app", "list", "--core"], []),
        (["--core", "app", "list"], ["app", "list", "--core"], []),
        (["--server", "argo.example", "app", "get", "web"], ["app", "get", "web", "--server", "argo.example"], []),
        (["--server=argo.example", "app", "list"], ["app", "list", "--server", "argo.example"], []),
        (["--plaintext=true", "--insecure=false", "app", "list"], ["app", "list", "--plaintext"], []),
        (
            ["app", "list", "--auth-token", "t", "--logformat", "json"],
            ["app", "list", "--auth-token", "t"],
            ["--logformat"],
        ),
        (
            ["--server", "a", "app", "patch", "web", "--", "-x"],
            ["app", "patch", "web", "--server", "a", "--", "-x"],
            [],
        ),
        (["app", "sync", "web", "--grpc-web", "--prune"], ["app", "sync", "web", "--prune"], ["--grpc-web"]),
        (["app", "list", "--kube-context", "prod"], ["app", "list", "--context", "prod"], []),
        (["app", "list", "--kube-context=prod"], ["app", "list", "--context", "prod"], []),
        (["app", "list", "--grpc-web=true"], ["app", "list"], ["--grpc-web"]),
        (["app", "patch", "web", "--", "--server"], ["app", "patch", "web", "--", "--server"], []),
    ],
)
def test_the_server_stays_named_and_how_it_is_spoken_to_is_dropped(
    arguments: list[str], kept: list[str], dropped: list[str]
) -> None:
    assert translated(arguments) == (kept, dropped)


@pytest.mark.parametrize(
    ("arguments", "begins"),
    [
        (["login", "--core"], "nothing to log in to"),
        (["version", "--client"], "argocd: v"),
    ],
)
def test_a_login_to_no_server_has_nothing_to_do(arguments: list[str], begins: str) -> None:
    assert (answer(arguments) or "").startswith(begins)


def test_all_else_is_done() -> None:
    others: list[list[str]] = [
        ["app", "list"],
        [],
        ["app", "get", "login"],
        ["login", "argo.example"],
        ["context", "prod"],
    ]
    assert [answer(one) for one in others] == [None] * len(others)


@pytest.mark.parametrize(
    ("arguments", "terminal", "expected"),
    [
        (["app", "delete", "web"], False, ["app", "delete", "web", "--yes"]),
        (["app", "delete", "web"], True, ["app", "delete", "web"]),
        (["cluster", "add", "--upsert", "far"], False, ["cluster", "add", "--upsert", "far", "--yes"]),
        (["cluster", "rm", "far"], True, ["cluster", "rm", "far", "--yes"]),
        (["app", "delete-resource", "--", "web"], True, ["app", "delete-resource", "--yes", "--", "web"]),
        (["app", "sync", "web"], False, ["app", "sync", "web"]),
    ],
)
def test_what_argocd_does_not_ask_is_not_asked(arguments: list[str], *, terminal: bool, expected: list[str]) -> None:
    assert unasked(arguments, terminal=terminal) == expected
