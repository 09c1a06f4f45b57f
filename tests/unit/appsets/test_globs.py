"""Patterns of git generators: of folders as Go's path.Match, of files as git ls-files and doublestar read them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from syncline.core.appset.globs import matches_file, matches_folder
from syncline.core.appset.questions import GeneratorError


@pytest.mark.parametrize(
    ("pattern", "path", "taken"),
    [
        # The table of Go's documentation of path.Match, in its own cases.
        ("abc", "abc", True),
        ("*", "abc", True),
        ("*c", "abc", True),
        ("a*", "abc", True),
        ("a*", "ab/c", False),
        ("a*/b", "abc/b", True),
        ("a*/b", "a/c/b", False),
        ("a*b*c*d*e*/f", "axbxcxdxe/f", True),
        ("a*b?c*x", "abxbbxdbxebxczzx", True),
        ("ab[c]", "abc", True),
        ("ab[b-d]", "abc", True),
        ("ab[e-g]", "abc", False),
        ("ab[^c]", "abc", False),
        ("ab[^e-g]", "abc", True),
        ("a\\*b", "a*b", True),
        ("a\\*b", "ab", False),
        ("a?b", "a☺b", True),
        ("a[^a]b", "a☺b", True),
        ("a???b", "a☺b", False),
        ("[a-ζ]*", "α", True),
        ("a?b", "a/b", False),
        ("a*b", "a/b", False),
        ("[\\]a]", "]", True),
        ("[\\-]", "-", True),
        ("[x\\-]", "x", True),
        ("*x", "xxx", True),
        # Stars do not stand for folders in between.
        ("apps/**", "apps/a/b", False),
        ("apps/**", "apps/a", True),
        ("apps/*/overlays/*", "apps/web/overlays/dev", True),
        ("", "a", False),
    ],
)
def test_folders_match_as_in_go(pattern: str, path: str, taken: bool) -> None:
    assert matches_folder(pattern, path) is taken


@pytest.mark.parametrize("pattern", ["[]a]", "[-]x[", "[", "[^", "[^bc", "a[", "a\\", "[\\"])
def test_a_malformed_pattern_is_told(pattern: str) -> None:
    with pytest.raises(GeneratorError, match="malformed"):
        matches_folder(pattern, "abc")


FILES = [
    "config.json",
    "apps/web/config.json",
    "apps/web/deep/er/config.json",
    "apps/api/config.yaml",
    "apps/api/notes.txt",
    "apps-old/config.json",
    "a[1]/config.json",
]
PATTERNS = [
    "config.json",
    "apps/*/config.json",
    "apps/**/config.json",
    "apps",
    "apps/",
    "apps/web",
    "app*",
    "*.json",
    "**/config.json",
    "apps/[aw]*/config.*",
    "apps/[!a]*/config.json",
    "apps/???/config.yaml",
    "./apps/web/config.json",
    "apps/w?b/config.json",
    "nothing",
    ".",
]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    git = shutil.which("git")
    assert git is not None, "git judges these patterns"
    folder = tmp_path_factory.mktemp("repository")
    for name in FILES:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    subprocess.run([git, "init", "-q"], cwd=folder, check=True)
    subprocess.run([git, "add", "-A"], cwd=folder, check=True)
    return folder


@pytest.mark.parametrize("pattern", PATTERNS)
def test_files_match_as_git_lists_them(repository: Path, pattern: str) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", pattern], cwd=repository, check=True, capture_output=True, text=True
    ).stdout.split("\0")[:-1]
    assert [name for name in sorted(FILES) if matches_file(pattern, name)] == sorted(listed)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("apps/*/config.json", ["apps/web/config.json"]),
        ("apps/**/config.json", ["apps/web/config.json", "apps/web/deep/er/config.json"]),
        ("**/config.json", [name for name in sorted(FILES) if re.search(r"(^|/)config\.json$", name)]),
        ("apps/{web,api}/config.*", ["apps/api/config.yaml", "apps/web/config.json"]),
        ("*.json", ["config.json"]),
        ("apps", []),
    ],
)
def test_files_match_by_segments_where_that_is_set(pattern: str, found: list[str]) -> None:
    assert [name for name in sorted(FILES) if matches_file(pattern, name, by_segments=True)] == found


@pytest.mark.parametrize("by_segments", [True, False])
def test_a_hostile_pattern_costs_no_more_than_an_honest_one(by_segments: bool) -> None:
    assert not matches_folder("*a" * 400 + "b", "a" * 400)
    assert not matches_file("*a" * 400 + "b", "a" * 400, by_segments=by_segments)
    assert not matches_file("**/" * 300 + "b", "a/" * 300 + "a", by_segments=by_segments)
    with pytest.raises(GeneratorError, match="more than 1024 characters"):
        matches_folder("*a" * 1000, "a")


def test_alternatives_are_counted() -> None:
    with pytest.raises(GeneratorError, match="more than 256 alternatives"):
        matches_file("{a,b}" * 10, "a", by_segments=True)
