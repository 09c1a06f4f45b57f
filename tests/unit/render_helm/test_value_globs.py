"""Patterns of value files: `*` stays in its folder, `**` does not."""

import time

import pytest

from syncline.adapters.render.helm import path_globs
from syncline.model.errors import RenderError

PATHS = ["a.yaml", "b.yaml", "env/a.yaml", "env/eu/a.yaml", "env/eu/prod/b.yaml", "env/us/a.yml"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.yaml", "a.yaml b.yaml"),
        ("env/*.yaml", "env/a.yaml"),
        ("env/*/a.y*ml", "env/eu/a.yaml env/us/a.yml"),
        ("**/a.yaml", "a.yaml env/a.yaml env/eu/a.yaml"),
        ("env/**", "env/a.yaml env/eu/a.yaml env/eu/prod/b.yaml env/us/a.yml"),
        ("env/**/b.yaml", "env/eu/prod/b.yaml"),
        ("{a,env/a}.yaml", "a.yaml env/a.yaml"),
        ("[ab].yaml", "a.yaml b.yaml"),
        ("?.yaml", "a.yaml b.yaml"),
        ("**/**/**/*.yml", "env/us/a.yml"),
        ("x/*", ""),
    ],
)
def test_matches(pattern: str, expected: str) -> None:
    assert path_globs.matching(pattern, PATHS) == expected.split()


@pytest.mark.parametrize(
    ("pattern", "folder"),
    [("*.yaml", ""), ("a/b/*.yaml", "a/b"), ("a/**/c", "a"), ("a/{b,c}/d", "a"), ("a/b.yaml", "a")],
)
def test_the_folder_to_look_in(pattern: str, folder: str) -> None:
    assert path_globs.fixed_folder(pattern) == folder


def test_a_pattern_that_is_none_is_refused() -> None:
    with pytest.raises(RenderError, match="not closed"):
        path_globs.matching("{a", PATHS)


def test_a_hostile_pattern_costs_nothing() -> None:
    started = time.process_time()
    assert not path_globs.matching("**/" * 200 + "b", ["a/" * 1000 + "a"])
    assert time.process_time() - started < 2
