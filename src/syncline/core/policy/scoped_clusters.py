"""Whether a project may deliver to a cluster that belongs to a project, or only to such clusters.

Called by `syncline.core.policy.permission` with the cluster an Application means and its project. A cluster Secret
may name one project as its owner; a project may say that clusters of its own are the only ones it delivers to.
"""

from __future__ import annotations

from syncline.core.policy.denials import Denial
from syncline.model.cluster import KnownCluster
from syncline.model.project import AppProject
from syncline.model.settings.settings import Compat


def denial(cluster: KnownCluster, project: AppProject, compat: Compat) -> Denial | None:
    """Return why a project may not deliver to a cluster; None when it may.

    With Argo CD a cluster of a project is closed to others only where those ask for clusters of their own.
    """
    name = project.metadata.name
    if cluster.project == name:
        return None
    if project.spec.permit_only_project_scoped_clusters:
        owner = f"belongs to project '{cluster.project}'" if cluster.project else "belongs to no project"
        field = "spec.permitOnlyProjectScopedClusters"
        message = f"cluster {cluster.name} {owner}, and project '{name}' permits only clusters of its own"
        return Denial(message, f"{field}; set project: {name} in the cluster Secret", name, field)
    if cluster.project and compat is not Compat.ARGOCD:
        message = (
            f"cluster {cluster.name} belongs to project '{cluster.project}', so apps of project '{name}' are not"
            " delivered to it"
        )
        return Denial(message, f"see project in the cluster Secret {cluster.secret}")
    return None
