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
    """Answers imports: beside the importing file, then in the libraries, the last one first.

    An import that cannot be answered gets an error of Jsonnet's own as its content, and is noted: an exception raised
    here would come out with whatever bytes are in memory at the time.
    """

    def __init__(self, root: pathlib.Path, libraries: list[str]) -> None:
        self._root = root
        self._libraries = [root / library for library in reversed(libraries)]
        self.failures: dict[str, str] = {}
        """What is wrong, by the name under which the import was answered."""

    def __call__(self, folder: str, name: str) -> tuple[str, bytes]:
        for base in (self._root / folder, *self._libraries):
            found = (base / name).resolve()
            if not found.is_relative_to(self._root):
                return self._refused(folder, name, f"import {name!r} resolved to outside repository root")
            if found.is_file():
                return str(found.relative_to(self._root)), found.read_bytes()
        return self._refused(folder, name, f"couldn't open import {name!r}: no match in the repository")

    def _refused(self, folder: str, name: str, what: str) -> tuple[str, bytes]:
        path = f"{folder}{name}"
        self.failures[path] = what
        return path, f"error {json.dumps(what)}".encode()

    def explained(self, error: str) -> str:
        """Return an error without the lines about what was never there."""
        kept = [line for line in error.splitlines() if not line.strip().startswith(tuple(self.failures))]
        return "\n".join(kept) if self.failures else error


def evaluate(order: dict[str, Any]) -> list[dict[str, str]]:
    """Return the text or the error of each file of an order; files are named as in the repository, everywhere."""
    evaluate_snippet = importlib.import_module("_gojsonnet").evaluate_snippet
    root = pathlib.Path(order["root"]).resolve()
    answers: list[dict[str, str]] = []
    for file in order["files"]:
        imports = _Imports(root, order["libraries"])
        try:
            text = evaluate_snippet(
                file,
                (root / file).read_text("utf-8"),
                import_callback=imports,
                ext_vars=order["ext_vars"],
                ext_codes=order["ext_codes"],
                tla_vars=order["tla_vars"],
                tla_codes=order["tla_codes"],
            )
        except UnicodeDecodeError:
            answers.append({"file": file, "error": "it is not UTF-8"})
        except RuntimeError as error:
            answers.append({"file": file, "error": imports.explained(str(error))})
        else:
            # A file that is imported as a text is not evaluated, and so could not fail.
            failed = next(iter(imports.failures.values()), "")
            answers.append({"file": file, "error": failed} if failed else {"file": file, "text": text})
    return answers


if __name__ == "__main__":
    json.dump(evaluate(json.loads(pathlib.Path(sys.argv[1]).read_bytes())), sys.stdout)
