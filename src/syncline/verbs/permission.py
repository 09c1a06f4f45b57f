"""What the project of a stored Application lets it read, for commands that render on this machine in its name."""

from __future__ import annotations

from syncline.apimachinery.keys import GroupKind, Object
from syncline.controller.settings import read_settings
from syncline.core.policy.permission import source_permission
from syncline.model import names
from syncline.model.application import Application
from syncline.ports.kube import Cluster
from syncline.verbs.errors import Refused

_PROJECT = GroupKind(names.GROUP, "AppProject")


async def permitted_repos(cluster: Cluster, namespace: str, app: Application) -> tuple[str, ...]:
    """Return the sourceRepos of an Application's project; raises `Refused` where its own sources are not permitted.

    The namespace is that of the installation. Only the cluster is asked, no repository.
    """
    settings = (await read_settings(cluster, namespace)).settings
    resource = (await cluster.discover()).find(_PROJECT)
    found: dict[str, Object] = {}
    if resource is not None:
        listed = await cluster.list(resource, namespace=namespace)
        found = {str(obj["metadata"]["name"]): obj for obj in listed.items}
    permission = source_permission(app, settings, found.get, lambda: sorted(found))
    if permission.denials:
        raise Refused("; ".join(denial.message for denial in permission.denials))
    return permission.spec.source_repos if permission.spec is not None else ()
