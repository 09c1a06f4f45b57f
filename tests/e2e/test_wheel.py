"""Stories come with the wheel: built, installed into a clean environment, listed and played from there."""

import os
import pathlib
import subprocess
import sys
import venv

import pytest

ROOT = pathlib.Path(__file__).parents[2]
MAIN = "from syncline.cli.main import main; main()"


def run(*command: str | pathlib.Path, cwd: pathlib.Path, **environment: str) -> str:
    done = subprocess.run(
        [str(one) for one in command], cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.timeout(600)
def test_stories_are_played_from_an_installed_wheel(tmp_path: pathlib.Path) -> None:
    build = "from hatchling.build import build_wheel; import sys; build_wheel(sys.argv[1])"
    run(sys.executable, "-c", build, tmp_path, cwd=ROOT)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    site = pathlib.Path(run(python, "-c", "import site; print(site.getsitepackages()[0])", cwd=tmp_path).strip())
    run(sys.executable, "-m", "zipfile", "-e", wheel, site, cwd=tmp_path)
    # What Syncline needs is taken from here, Syncline itself from the wheel alone.
    needed = [one for one in sys.path if one.endswith("site-packages")]
    shadowed = tmp_path / "needed"
    shadowed.mkdir()
    for folder in needed:
        for entry in pathlib.Path(folder).iterdir():
            if "syncline" not in entry.name.lower() and not (shadowed / entry.name).exists():
                (shadowed / entry.name).symlink_to(entry)
    environment = {
        "PYTHONPATH": f"{site}{os.pathsep}{shadowed}",
        "PATH": f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    module = run(python, "-c", "import syncline; print(syncline.__file__)", cwd=tmp_path, **environment)
    assert module.startswith(str(site))
    listed = run(python, "-c", MAIN, "scenario", "list", cwd=tmp_path, **environment)
    assert [line.split()[0] for line in listed.splitlines()][:3] == ["ameide", "self-healing", "homelab"]
    played = run(python, "-c", MAIN, "scenario", "test", "homelab", "--compat", "argocd", cwd=tmp_path, **environment)
    assert played.endswith("homelab by the rules of argocd: as told\n")
