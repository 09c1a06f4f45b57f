"""What a kustomization names, and what of it is elsewhere."""

import pytest

from syncline.adapters.render.kustomize import references


def test_every_field_that_names_files_is_looked_at() -> None:
    kustomization = {
        "resources": ["a", "https://x.example/b"],
        "bases": ["c"],
        "components": ["d"],
        "crds": ["e"],
        "configurations": ["f"],
        "generators": ["g", "apiVersion: v1\nkind: X\n"],
        "transformers": ["h"],
        "validators": ["i"],
        "patchesStrategicMerge": ["j", "apiVersion: v1\nkind: X\n"],
        "patches": [{"path": "k"}, {"patch": "inline"}],
        "patchesJson6902": [{"path": "l", "target": {}}],
        "replacements": [{"path": "m"}],
        "configMapGenerator": [{"files": ["n", "key=o"], "envs": ["p"], "env": "q"}],
        "secretGenerator": [{"files": ["r"]}],
        "openapi": {"path": "s"},
        "namePrefix": "t",
    }
    found = [path for _field, path in references.references(kustomization)]
    assert found == [
        *[
            "a",
            "https://x.example/b",
            "c",
            "d",
            "e",
            "f",
            "g",
            "h",
            "i",
            "j",
            "k",
            "l",
            "m",
            "n",
            "o",
            "p",
            "q",
            "r",
            "s",
        ]
    ]


@pytest.mark.parametrize(
    ("reference", "remote"),
    [
        ("https://x.example/a", True),
        ("http://127.0.0.1/a.yaml", True),
        ("ssh://git@x.example/a", True),
        ("file:///etc", True),
        ("git::https://x.example/a", True),
        ("git@x.example:a/b", True),
        ("github.com/a/b?ref=v1", True),
        ("../base", False),
        ("base.yaml", False),
        ("a/b.yaml", False),
        ("./x.example/a", False),
    ],
)
def test_remote(reference: str, remote: bool) -> None:
    assert references.is_remote(reference) is remote


@pytest.mark.parametrize(
    ("folder", "reference", "path"),
    [
        ("a/b", "../c", "a/c"),
        ("a/b", "../..", ""),
        ("a/b", "../../..", None),
        ("", "..", None),
        ("", "x", "x"),
        ("a", "/etc", None),
        ("a", "b/../../../c", None),
        ("a", ".", "a"),
    ],
)
def test_local_paths(folder: str, reference: str, path: str | None) -> None:
    assert references.local_path(folder, reference) == path
