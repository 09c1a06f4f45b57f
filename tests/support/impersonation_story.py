"""Delivery as a service account, for whatever cluster plays it: sandbox, sandbox over HTTP, real kube-apiserver."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from syncline.apimachinery.keys import Object
from syncline.model import names
from tests.support.manifests import files
from tests.support.played import app_with, config, delete_app, namespace, sync
from tests.support.world import Bed, default_project

Writers = Callable[[], Awaitable[set[tuple[str, str]]]]
"""Returns method and user of every write of a ConfigMap that worked."""
_RBAC = "rbac.authorization.k8s.io"
_ATTEMPTS = 10


def acting(bed: Bed, *accounts: dict[str, str]) -> Object:
    """Return the default project with service accounts for destinations."""
    made = default_project(bed.control)
    return {**made, "spec": {**made["spec"], "destinationServiceAccounts": list(accounts)}}


def anywhere(account: str) -> dict[str, str]:
    """Return the entry that names an account for every destination."""
    return {"server": "*", "namespace": "*", "defaultServiceAccount": account}


async def permit(bed: Bed) -> None:
    """Let the account deployer write ConfigMaps in the destination."""
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"]}
    metadata = {"name": "deployer", "namespace": bed.target}
    subject = {"kind": "ServiceAccount", "name": "deployer", "namespace": bed.target}
    role = {"apiGroup": _RBAC, "kind": "Role", "name": "deployer"}
    await bed.apply({"apiVersion": f"{_RBAC}/v1", "kind": "Role", "metadata": metadata, "rules": [rule]})
    binding = {"apiVersion": f"{_RBAC}/v1", "kind": "RoleBinding", "metadata": metadata}
    await bed.apply({**binding, "subjects": [subject], "roleRef": role})


async def written_and_deleted_as_the_account(bed: Bed, writers: Writers) -> None:
    """Deliver without rights, then with them, and delete: whoever wrote was the account."""
    await namespace(bed)
    await bed.apply(acting(bed, anywhere("deployer")))
    bed.source.commit(files(a=config("a")))
    app = app_with(bed)
    app["metadata"]["finalizers"] = [names.RESOURCES_FINALIZER]
    await bed.apply(app)
    user = f"system:serviceaccount:{bed.target}:deployer"
    refused = await sync(bed)
    assert refused["phase"] == "Failed"
    assert f'User "{user}" cannot patch resource "configmaps"' in str(refused["syncResult"]["resources"])
    assert await writers() == set()
    await permit(bed)
    for _ in range(_ATTEMPTS):
        # A real server takes a moment to notice rights.
        if (done := await sync(bed))["phase"] == "Succeeded":
            break
    assert done["phase"] == "Succeeded", done
    await delete_app(bed)
    found = await writers()
    assert {name for _, name in found} == {user}
    assert "delete" in {method for method, _ in found}
