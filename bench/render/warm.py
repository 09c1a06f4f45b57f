"""123 Applications by `syncline app manifests`, the second time: what was rendered, and what failed, is remembered.

The repository is made here: charts, kustomizations and plain folders; some that the tools refuse, some that stand on
bases of a server that nobody reaches. Figures are processor time of the command and all it starts. The folders of
checkouts are measured with `python -m bench.render.warm CHECKOUT…`, 123 of all together.
"""

from __future__ import annotations

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from bench.render import apps, recount
from bench.rows import Row, table

_COUNT = 123
_URL = "https://git.example/shop.git"
_GOAL = 1.0
_PROGRAM = "from syncline.cli.main import main; main()"


def rows() -> list[Row]:
    """Make the repository and measure."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        repository = pathlib.Path(name, "repository")
        found, _sha = apps.make(repository)
        made = [app.path for app in found if app.path.startswith(("charts", "overlays"))][60 : 60 + _COUNT - 30]
        folders = [*made, *_failing(repository)]
        apps.commit(repository)
        return _measure(pathlib.Path(name), [(_URL, str(repository), folder) for folder in folders])


def _failing(repository: pathlib.Path) -> list[str]:
    """Add folders that the tools refuse, and folders on bases that nobody reaches."""
    found = []
    for number in range(30):
        base = f"https://git.invalid/team-{number % 4}/base" if number % 2 else "gone.yaml"
        folder = repository / f"failing/{number}"
        folder.mkdir(parents=True)
        (folder / "kustomization.yaml").write_text(f"resources: [{base}]\nconfigMapGenerator: [{{name: a}}]\n")
        found.append(f"failing/{number}")
    return found


def _measure(scratch: pathlib.Path, folders: Sequence[tuple[str, str, str]]) -> list[Row]:
    """Render folders (address, checkout, path) as Applications of one file, cold and twice warm."""
    file = scratch / "applications.json"
    file.write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": [_app(*one) for one in enumerate(folders)]})
    )
    repos = {f"--repo={url}={checkout}" for url, checkout, _folder in folders}
    command = ["-c", _PROGRAM, "app", "manifests", str(file), *sorted(repos), "-o", "json"]
    times = [_processor_time(command, scratch) for _ in range(3)]
    return [
        Row(name=f"{len(folders)} Applications cold", figure=times[0], unit="s"),
        Row(name=f"{len(folders)} Applications warm", figure=min(times[1:]), unit="s", at_most=_GOAL),
    ]


def _app(number: int, source: tuple[str, str, str]) -> dict[str, object]:
    url, _checkout, folder = source
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": f"app-{number}"},
        "spec": {
            "project": "default",
            "source": {"repoURL": url, "path": folder},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "shop"},
        },
    }


def _processor_time(command: Sequence[str], scratch: pathlib.Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "SYNCLINE_CACHE": str(scratch / "cache"), "PYTHONDONTWRITEBYTECODE": ""}
    ended = subprocess.run([sys.executable, *command], env=environment, cwd=scratch, capture_output=True, check=False)
    if ended.returncode > 1 or not ended.stdout:
        raise RuntimeError(ended.stderr.decode()[-2000:])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(checkouts: Sequence[str]) -> int:
    """Measure folders of checkouts, evenly chosen."""
    found = [
        (f"https://git.example/{pathlib.Path(checkout).name}.git", str(pathlib.Path(checkout).resolve()), folder)
        for checkout in checkouts
        for folder, _tool in recount.folders(pathlib.Path(checkout).resolve())
    ]
    chosen = [found[number * len(found) // _COUNT] for number in range(min(_COUNT, len(found)))]
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        print(table(_measure(pathlib.Path(name), chosen)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
