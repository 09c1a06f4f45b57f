"""Runs the real helm on the chart: every helm that is installed, since versions 3 and 4 read charts differently."""

import pathlib
import shutil
import subprocess
import sys
from typing import Any

import yaml

from syncline.apimachinery.keys import Object
from tools import build_helm
from tools.build_manifests import CHART

NAMESPACE = "argocd"


def helms() -> list[str]:
    """Return the helm of the wheel and the one that `make helm` built, as far as they are there."""
    places = [pathlib.Path(sys.executable).parent / "helm", build_helm.folder() / "helm"]
    return [str(path) for path in places if shutil.which(path)]


def run(helm: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run helm, without the configuration of a user."""
    return subprocess.run([helm, *arguments], capture_output=True, text=True, check=False, timeout=120)


def template(helm: str, values: dict[str, Any], folder: pathlib.Path, namespace: str = NAMESPACE) -> str:
    """Return what helm prints for the chart with values; fails with helm's words."""
    result = try_template(helm, values, folder, namespace)
    assert result.returncode == 0, result.stderr
    return result.stdout


def try_template(
    helm: str, values: dict[str, Any], folder: pathlib.Path, namespace: str = NAMESPACE
) -> subprocess.CompletedProcess[str]:
    """Run `helm template` with values."""
    file = folder / "values.yaml"
    file.write_text(yaml.safe_dump(values))
    return run(helm, "template", "release", str(CHART), "--namespace", namespace, "--values", str(file))


def objects(text: str) -> list[Object]:
    """Return the objects of YAML documents."""
    return [obj for obj in yaml.safe_load_all(text) if obj]
