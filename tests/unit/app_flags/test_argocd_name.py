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
        (["app", "list", "--core"], ["app", "list"], []),
        (["--server", "argo.example", "app", "get", "web"], ["app", "get", "web"], ["--server"]),
        (["--server=argo.example", "app", "list"], ["app", "list"], ["--server"]),
        (["app", "sync", "web", "--grpc-web", "--prune"], ["app", "sync", "web", "--prune"], ["--grpc-web"]),
        (["app", "list", "--kube-context", "prod"], ["app", "list", "--context", "prod"], []),
        (["app", "list", "--kube-context=prod"], ["app", "list", "--context", "prod"], []),
        (["app", "list", "--grpc-web=true"], ["app", "list"], ["--grpc-web"]),
        (["app", "patch", "web", "--", "--server"], ["app", "patch", "web", "--", "--server"], []),
    ],
)
def test_flags_about_an_api_server_are_dropped(arguments: list[str], kept: list[str], dropped: list[str]) -> None:
    assert translated(arguments) == (kept, dropped)


@pytest.mark.parametrize(
    ("arguments", "begins"),
    [
        (["login", "argo.example", "--username", "admin"], "nothing to log in to"),
        (["context", "prod"], "nothing to log in to"),
        (["version", "--client"], "argocd: v"),
    ],
)
def test_logins_have_nothing_to_do(arguments: list[str], begins: str) -> None:
    assert (answer(arguments) or "").startswith(begins)


def test_all_else_is_done() -> None:
    assert (answer(["app", "list"]), answer([]), answer(["app", "get", "login"])) == (None, None, None)


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
