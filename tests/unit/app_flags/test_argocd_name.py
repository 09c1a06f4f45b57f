"""Scripts written for `argocd`: which arguments stay, which are renamed, which are dropped."""

from __future__ import annotations

import pytest

from syncline.cli.argocd import called_as_argocd, translated


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
        (["app", "patch", "web", "--", "--server"], ["app", "patch", "web", "--", "--server"], []),
    ],
)
def test_flags_about_an_api_server_are_dropped(arguments: list[str], kept: list[str], dropped: list[str]) -> None:
    assert translated(arguments) == (kept, dropped)
