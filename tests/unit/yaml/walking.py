"""The paths of a value, for tests that look at every field of a text."""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import yaml


def all_paths(value: Any, path: yaml.Path = ()) -> list[yaml.Path]:
    """List the paths of all fields and items in the order in which a writer puts them down."""
    steps: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
    found: list[yaml.Path] = []
    for step in steps:
        found.append((*path, step))
        if isinstance(value[step], dict | list):
            found += all_paths(value[step], (*path, step))
    return found
