"""Patches of fixes are taken by git itself, and are exact or not offered."""

import pathlib
import subprocess

import pytest

from syncline.core.diagnose.findings.patch import patch
from syncline.model.errors import Place
from syncline.model.finding import Edit

CLAIM = "apiVersion: v1\nkind: PersistentVolumeClaim\nspec:\n  storageClassName: fast # fast disks\n  size: 1\n"


def edit(line: int, before: str, after: str, *, file: str = "apps/data.yaml", column: int = 0) -> Edit:
    return Edit(place=Place(file, line, column), before=before, after=after)


@pytest.mark.parametrize(
    ("text", "edits", "becomes"),
    [
        (CLAIM, [edit(4, "fast", "standard")], CLAIM.replace(": fast ", ": standard ")),
        (CLAIM, [edit(5, "size: 1", "")], CLAIM.replace("  size: 1\n", "")),
        (CLAIM, [edit(5, "", "mode: x")], CLAIM + "  mode: x\n"),
        (CLAIM, [edit(4, "storageClassName:", "className:", column=3)], CLAIM.replace("storageClassName", "className")),
        (
            CLAIM,
            [edit(4, "fast", "slow"), edit(5, "1", "2")],
            CLAIM.replace(": fast ", ": slow ").replace("size: 1", "size: 2"),
        ),
        ("size: size", [edit(1, "size", "big")], "size: big"),
        ("{a: x, b: x}\n", [edit(1, "x", "y", column=8)], "{a: x, b: y}\n"),
        ("a: x\r\nb: y\r\n", [edit(2, "y", "z")], "a: x\r\nb: z\r\n"),
    ],
)
def test_git_applies_it(tmp_path: pathlib.Path, text: str, edits: list[Edit], becomes: str) -> None:
    file = tmp_path / "apps/data.yaml"
    file.parent.mkdir()
    file.write_bytes(text.encode())
    made = patch(edits, {"apps/data.yaml": text}.get)
    assert made.problems == ()
    done = subprocess.run(
        ["git", "apply", "-"], cwd=tmp_path, input=made.text.encode(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    assert file.read_bytes().decode() == becomes


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ([edit(4, "gone", "x")], "apps/data.yaml:4 does not say gone any more"),
        ([edit(40, "fast", "x")], "apps/data.yaml:40 no longer exists"),
        ([edit(1, "a", "b", file="other.yaml")], "other.yaml is not in this folder"),
    ],
)
def test_what_does_not_fit_is_named_and_not_patched(edits: list[Edit], said: str) -> None:
    made = patch(edits, {"apps/data.yaml": CLAIM}.get)
    assert made.text == ""
    assert [problem for problem in made.problems if said in problem]
