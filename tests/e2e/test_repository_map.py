"""What `syncline up` of a sandbox reads in place of repositories, every other command reads too."""

import pathlib

import pytest

from tests.e2e.program import Machine
from tests.e2e.test_up import repository, write

__all__ = ["repository"]

URL = "https://git.example/team/shop"
COMMANDS = [
    (("why", "shop"), "Synced"),
    (("app", "diff", "shop"), ""),
    (("app", "manifests", "shop"), "colour: blue"),
    (("blame", "ConfigMap/settings", "data.colour", "--app", "shop"), "deploy/settings.yaml:4"),
]


@pytest.mark.parametrize("way", ["flag", "file", "checkout"])
def test_all_commands_read_the_folder_that_up_reads(
    machine: Machine, tmp_path: pathlib.Path, repository: pathlib.Path, way: str
) -> None:
    apps = write(tmp_path / "apps", "shop", repository=URL, path="deploy", revision="main")
    said = ("--repo", f"{URL}={repository}") if way == "flag" else ()
    if way == "file":
        (machine.home / "syncline.toml").write_text(
            f'[repositories]\n"git@git.example:team/shop.git" = "{repository}"\n'
        )
    if way == "checkout":
        assert (
            machine.run("git", "-C", repository, "remote", "add", "origin", "git@git.example:team/shop.git").code == 0
        )
        machine.home = repository
    with machine.running("up", "--apps", apps, *said, "--data", tmp_path / "data") as running:
        running.says(r"shop +✔ Synced, Healthy")
        for command, words in COMMANDS:
            answer = machine.syncline(*command, "--kubeconfig", tmp_path / "data/kubeconfig")
            assert (answer.code, words in answer.out) == (0, True), (command, answer)
        assert running.interrupt() == 130
