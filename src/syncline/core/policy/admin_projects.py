"""Which projects are admin-equivalent: they may deliver what decides about rights into the control-plane namespace.

Asked by `syncline.core.policy.set_tenancy`, `syncline doctor` and `syncline check`. Whoever may push to a repository of
such a project can write an Application, a project, a policy or a pod that reads argocd-secret, and so holds all rights.
"""

from __future__ import annotations

from collections.abc import Sequence

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.policy.projects import object_denial
from syncline.model import names
from syncline.model.application import Destination
from syncline.model.project import AppProject

_HOME = Destination(server=names.IN_CLUSTER_SERVER, name=names.IN_CLUSTER_NAME)
_SHOWN = 3
_DECIDING = (
    *(GroupKind(names.GROUP, kind) for kind in ("Application", "ApplicationSet", "AppProject")),
    GroupKind("", "ConfigMap"),
    GroupKind("", "Secret"),
    GroupKind("", "Pod"),
    GroupKind("apps", "Deployment"),
    GroupKind("batch", "Job"),
    GroupKind("rbac.authorization.k8s.io", "RoleBinding"),
)


def deciding_kinds(project: AppProject, control_namespace: str) -> tuple[GroupKind, ...]:
    """Return the kinds through which a project is admin-equivalent; none where it is not."""
    return tuple(
        kind
        for kind in _DECIDING
        if object_denial(ObjectKey(kind.group, kind.kind, control_namespace, "any"), _HOME, project) is None
    )


def is_admin_equivalent(project: AppProject, control_namespace: str) -> bool:
    """Whether delivering for a project is as good as being an admin."""
    return bool(deciding_kinds(project, control_namespace))


def shown_kinds(kinds: Sequence[GroupKind]) -> str:
    """Return the kinds through which a project is admin-equivalent, for a sentence."""
    named = ", ".join(kind.kind for kind in kinds[:_SHOWN])
    return f"{named} and {len(kinds) - _SHOWN} more kinds" if len(kinds) > _SHOWN else named
