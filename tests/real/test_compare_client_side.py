"""Our client-side comparison and `kubectl apply` agree on what a change in Git changes, asked of a real API server."""

import json
import pathlib
import shutil
import subprocess
import sys
import uuid
from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.compare.compare import compare_object
from syncline.model import names
from syncline.model.comparison import CompareStrategy
from syncline.model.settings.settings import Compat, Settings
from tests.real import cluster
from tests.real.api import Api
from tests.real.test_compare import CHANGES, content, in_namespace, resource_path
from tests.support.objects import context, prepared

ARGOCD = context(settings=Settings(compat=Compat.ARGOCD))


def kubectl_apply(where: cluster.Cluster, folder: pathlib.Path, values: list[Object], *arguments: str) -> list[Object]:
    """Apply objects on the client side in one call; returns them as the server has them, or would have."""
    beside = pathlib.Path(sys.executable).parent / "kubectl"
    kubectl = str(beside) if beside.exists() else shutil.which("kubectl")
    assert kubectl, "kubectl is neither in the virtual environment nor on PATH; install it"
    wanted = {"apiVersion": "v1", "kind": "List", "items": [prepared(value).objects[0].obj for value in values]}
    how = ["--kubeconfig", where.kubeconfig_path, "--cache-dir", str(folder)]
    argv = [kubectl, *how, "apply", "--validate=false", "-o", "json", "-f", "-"]
    ran = subprocess.run([*argv, *arguments], input=json.dumps(wanted), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    found: list[Object] = json.loads(ran.stdout)["items"]
    return found


def counted(value: Object) -> Object:
    """Return an object without what every client-side apply changes."""
    found = content(value)
    annotations = {name: text for name, text in found["metadata"]["annotations"].items() if name != names.LAST_APPLIED}
    return {**found, "metadata": {**found["metadata"], "annotations": annotations}}


@pytest.fixture(scope="module")
def answers(
    real_cluster: cluster.Cluster, api: Api, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[Object, Object, Object]]:
    """Give for each change the new desired object, what is live, and what kubectl would make of it."""
    folder = tmp_path_factory.mktemp("kubectl")
    before, after = [], []
    for pair in CHANGES.values():
        namespace = f"test-{uuid.uuid4().hex[:10]}"
        api.ok("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
        before.append(in_namespace(pair[0], namespace))
        after.append(in_namespace(pair[1], namespace))
    kubectl_apply(real_cluster, folder, before)
    live = [api.ok("GET", f"{resource_path(value)}/{value['metadata']['name']}") for value in before]
    predicted = kubectl_apply(real_cluster, folder, after, "--dry-run=server")
    return dict(zip(CHANGES, zip(after, live, predicted, strict=True), strict=True))


@pytest.mark.parametrize("name", CHANGES)
def test_kubectl_and_we_agree_whether_a_change_in_git_changes_anything(
    answers: dict[str, tuple[Object, Object, Object]], name: str
) -> None:
    wanted, live, predicted = answers[name]
    changed = counted(predicted) != counted(live)
    row = compare_object(prepared(wanted).objects[0], live, ARGOCD)
    assert row.choice is not None
    assert row.choice.strategy is CompareStrategy.CLIENT_SIDE
    found: Any = [(one.path, one.desired, one.live) for one in row.differences]
    assert bool(found) is changed, found
