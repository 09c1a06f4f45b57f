"""The program that evaluates Jsonnet files, apart from ours so that it can be killed.

Started by `syncline.adapters.render.jsonnet.evaluate` with the path of a JSON order: which files of which folder, with
which variables. Prints one JSON list with the text or the error of each file. Jsonnet can loop for ever and eat all
memory: whoever starts this sets limits. Imports are served from below the folder of the render only.
"""

from __future__ import annotations

import importlib
import json
import pathlib
import sys
from typing import Any


class _Imports:
    """Answers imports: beside the importing file, then in the libraries, the last one first."""

    def __init__(self, root: pathlib.Path, libraries: list[str]) -> None:
        self._root = root
        self._libraries = [root / library for library in reversed(libraries)]

    def __call__(self, folder: str, name: str) -> tuple[str, bytes]:
        for base in (pathlib.Path(folder or self._root), *self._libraries):
            found = (base / name).resolve()
            if not found.is_relative_to(self._root):
                raise RuntimeError(f"import {name!r} resolved to outside repository root")
            if found.is_file():
                return str(found), found.read_bytes()
        raise RuntimeError(f"couldn't open import {name!r}: no match in the repository")


def evaluate(order: dict[str, Any]) -> list[dict[str, str]]:
    """Return the text or the error of each file of an order."""
    evaluate_snippet = importlib.import_module("_gojsonnet").evaluate_snippet
    root = pathlib.Path(order["root"]).resolve()
    answers: list[dict[str, str]] = []
    for file in order["files"]:
        path = root / file
        try:
            text = evaluate_snippet(
                str(path),
                path.read_text("utf-8"),
                import_callback=_Imports(root, order["libraries"]),
                ext_vars=order["ext_vars"],
                ext_codes=order["ext_codes"],
                tla_vars=order["tla_vars"],
                tla_codes=order["tla_codes"],
            )
            answers.append({"file": file, "text": text})
        except (RuntimeError, UnicodeDecodeError) as error:
            answers.append({"file": file, "error": str(error)})
    return answers


if __name__ == "__main__":
    json.dump(evaluate(json.loads(pathlib.Path(sys.argv[1]).read_bytes())), sys.stdout)
