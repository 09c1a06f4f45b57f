"""The layers of the house, as import-linter reads them from pyproject.toml."""

import os
import pathlib
import subprocess
import sys

from tests.arch import source_rules


def test_imports_go_down_only(tmp_path: pathlib.Path) -> None:
    code = f"from importlinter.cli import lint_imports; raise SystemExit(lint_imports(cache_dir={str(tmp_path)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=source_rules.ROOT,
        capture_output=True,
        text=True,
        env=os.environ | {"NO_COLOR": "1"},
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def test_every_package_says_what_belongs_in_it() -> None:
    packages = {path.parent for path in source_rules.modules()}
    silent = [str(folder) for folder in packages if not (folder / "__init__.py").is_file()]
    assert sorted(silent) == []
