"""The wheel alone gives a first answer: installed outside the tree, on another process's cluster and on a dump."""

import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import zipfile

import pytest

from tests.e2e.demo import Demo
from tests.e2e.program import Answer, Machine

REPOSITORY = pathlib.Path(__file__).parents[2]
INCIDENT = REPOSITORY / "tests/fixtures/incidents/store-without-namespace"


class Installed:
    """The program out of the wheel. What it depends on is lent by this environment: nothing is downloaded."""

    def __init__(self, machine: Machine, folder: pathlib.Path) -> None:
        self.python = folder / "venv/bin/python"
        self._machine = machine
        self._folder = folder

    def make(self) -> None:
        wheels = self._folder / "wheels"
        build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-index", "--no-build-isolation", "--quiet"]
        subprocess.run([*build, "--wheel-dir", str(wheels), str(REPOSITORY)], check=True, timeout=120)
        subprocess.run([sys.executable, "-m", "venv", str(self._folder / "venv")], check=True, timeout=120)
        [wheel] = wheels.glob("syncline-*.whl")
        install = [str(self.python), "-m", "pip", "install", "--no-deps", "--no-index", "--quiet", str(wheel)]
        subprocess.run(install, check=True, timeout=120)
        # Links to sources are not followed out of a folder that is only lent.
        [site] = (self._folder / "venv/lib").glob("python*/site-packages")
        (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def built(self) -> dict[str, bytes]:
        """Return the files of the web page that the wheel carries."""
        [wheel] = (self._folder / "wheels").glob("syncline-*.whl")
        start = "syncline/server/built/"
        with zipfile.ZipFile(wheel) as packed:
            names = [name for name in packed.namelist() if name.startswith(start)]
            return {name.removeprefix(start): packed.read(name) for name in names}

    def run(self, *arguments: str) -> Answer:
        """Run the program in an empty folder, with the helm and kubectl of this environment."""
        path = f"PATH={pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        program = self.python.with_name("syncline")
        empty = self._folder / "empty"
        empty.mkdir(exist_ok=True)
        return self._machine.run("env", "-C", empty, path, program, *arguments)


@pytest.fixture(scope="module")
def installed(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    made = Installed(machine, tmp_path_factory.mktemp("wheel"))
    made.make()
    return made


def test_the_program_runs_out_of_the_wheel_and_not_out_of_the_tree(installed: Installed) -> None:
    where = installed.run("doctor", "--offline")
    assert "Python" in where.out
    listed = subprocess.run(
        [str(installed.python), "-m", "pip", "show", "--files", "syncline"], capture_output=True, text=True, check=True
    ).stdout
    assert "syncline/cli/main.py" in listed
    assert "Editable project location" not in listed


def test_the_wheel_carries_the_page_and_everything_that_it_names(installed: Installed) -> None:
    found = installed.built()
    named = re.findall(r'(?:src|href)="/(assets/[^"]+)"', found["index.html"].decode())
    assert {pathlib.PurePath(name).suffix for name in named} == {".js", ".css"}
    assert set(named) <= set(found)
    # Pages that few people open are files of their own, which the first one names.
    script = next(found[name] for name in named if name.endswith(".js")).decode()
    later = set(re.findall(r'"(?:\./|/?assets/)([\w.-]+\.js)"', script))
    assert later
    assert {f"assets/{name}" for name in later} <= set(found)
    served = subprocess.run(
        [str(installed.python), "-c", "from syncline.server import page_files; print(page_files.__file__)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    assert (pathlib.Path(served).parent / "built" / "index.html").read_bytes() == found["index.html"]


def test_the_page_is_built_where_no_node_is_installed(tmp_path: pathlib.Path) -> None:
    (tmp_path / "nothing").mkdir()
    program = f"import pathlib, tools.build_page as b; b.BUILT = pathlib.Path({str(tmp_path)!r}, 'built'); b.build()"
    environment = {**os.environ, "PATH": str(tmp_path / "nothing")}
    subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, env=environment, check=True, timeout=600)
    assert (tmp_path / "built" / "index.html").is_file()


def test_a_dump_is_diagnosed_by_the_wheel_alone(installed: Installed) -> None:
    answer = installed.run("diagnose", "--from", str(INCIDENT))
    assert answer.code == 1, answer.err
    assert "ClusterSecretStore/test-store" in answer.out


def test_a_cluster_of_another_process_is_diagnosed_by_the_wheel_alone(installed: Installed, demo: Demo) -> None:
    answer = installed.run("diagnose", "--kubeconfig", str(demo.kubeconfig))
    assert answer.code == 0, answer.err
    assert "nothing to repair" in answer.out
    planned = installed.run("diagnose", "--kubeconfig", str(demo.kubeconfig), "--dry-run")
    assert "GET /apis/argoproj.io/v1alpha1/applications?limit=500" in planned.out.splitlines()
    role = installed.run("diagnose", "--kubeconfig", str(demo.kubeconfig), "--print-rbac")
    assert "kind: ClusterRole" in role.out
    assert "secrets" not in role.out


@pytest.mark.timeout(600)
def test_stories_come_with_the_wheel_and_are_played_from_it(installed: Installed) -> None:
    listed = installed.run("scenario", "list")
    assert {"ameide", "homelab", "self-healing"} <= {line.split()[0] for line in listed.out.splitlines()}
    played = installed.run("scenario", "test", "homelab", "--compat", "argocd")
    assert played.out.endswith("homelab by the rules of argocd: as expected\n1 of 1 plays as expected\n"), (
        played.out + played.err
    )
