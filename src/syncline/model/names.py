"""Every annotation, label, finalizer and manager name, once.

Parsed and written by `syncline.core` and `syncline.controller`; nobody else spells them out.
"""

from __future__ import annotations

from typing import Final

GROUP: Final = "argoproj.io"
VERSION: Final = "v1alpha1"
API_VERSION: Final = "argoproj.io/v1alpha1"

IN_CLUSTER_SERVER: Final = "https://kubernetes.default.svc"
IN_CLUSTER_NAME: Final = "in-cluster"

# On Applications
REFRESH: Final = "argocd.argoproj.io/refresh"
REFRESH_TIMESTAMP: Final = "argocd.argoproj.io/refresh-timestamp"
HYDRATE: Final = "argocd.argoproj.io/hydrate"
NOTIFIED: Final = "notified.notifications.argoproj.io"
SKIP_RECONCILE: Final = "argocd.argoproj.io/skip-reconcile"
MANIFEST_GENERATE_PATHS: Final = "argocd.argoproj.io/manifest-generate-paths"
DELETION_APPROVED: Final = "argocd.argoproj.io/deletion-approved"
MIGRATION_MANAGER: Final = "argocd.argoproj.io/client-side-apply-migration-manager"
RESOURCES_FINALIZER: Final = "resources-finalizer.argocd.argoproj.io"
PRE_DELETE_FINALIZER: Final = "pre-delete-finalizer.argocd.argoproj.io"
POST_DELETE_FINALIZER: Final = "post-delete-finalizer.argocd.argoproj.io"

# On ApplicationSets
APPSET_REFRESH: Final = "argocd.argoproj.io/application-set-refresh"

# On Secrets of an installation: cluster, repository, repo-creds and so on.
SECRET_TYPE: Final = "argocd.argoproj.io/secret-type"  # noqa: S105 - the name of a label

# On managed objects
TRACKING_ID: Final = "argocd.argoproj.io/tracking-id"
INSTALLATION_ID: Final = "argocd.argoproj.io/installation-id"
INSTANCE_LABEL: Final = "app.kubernetes.io/instance"
SYNC_WAVE: Final = "argocd.argoproj.io/sync-wave"
SYNC_OPTIONS: Final = "argocd.argoproj.io/sync-options"
COMPARE_OPTIONS: Final = "argocd.argoproj.io/compare-options"
IGNORE_HEALTHCHECK: Final = "argocd.argoproj.io/ignore-healthcheck"
IGNORE_RESTART_POLICY: Final = "argocd.argoproj.io/ignore-restart-policy"
IGNORE_RESOURCE_UPDATES: Final = "argocd.argoproj.io/ignore-resource-updates"
HOOK: Final = "argocd.argoproj.io/hook"
HOOK_DELETE_POLICY: Final = "argocd.argoproj.io/hook-delete-policy"
HOOK_FINALIZER: Final = "argocd.argoproj.io/hook-finalizer"
HELM_HOOK: Final = "helm.sh/hook"
HELM_HOOK_WEIGHT: Final = "helm.sh/hook-weight"
HELM_HOOK_DELETE_POLICY: Final = "helm.sh/hook-delete-policy"
HELM_RESOURCE_POLICY: Final = "helm.sh/resource-policy"
LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"

# Our own: which operation and attempt created a hook object, so that a restart never runs one twice.
OPERATION_STAMP: Final = "syncline.io/operation"
OPERATION_ID_INFO: Final = "syncline.io/operation"

# Our own, on the Diagnosis: which causes somebody was told of.
TOLD_CAUSES: Final = "syncline.io/told-causes"

# Our own, on an Application: while it is there (its value says why), no object of the app is written or deleted.
FREEZE: Final = "syncline.io/freeze"
# Our own, on an Application: differences somebody agreed to live with, each with reason and expiry (YAML).
ACCEPTED_DRIFT: Final = "syncline.io/accepted-drift"

# Our own, on an Application: marks of the objects that somebody approved to be taken over from an unknown app.
ADOPTED: Final = "syncline.io/adopted"

# Our own, on an ApplicationSet: the digest of the deletions that somebody has approved.
APPROVED_DELETIONS: Final = "syncline.io/approved-deletions"
# Our own, on an ApplicationSet: the project it belongs to, set by the API when someone who is not an admin writes it.
SET_PROJECT: Final = "syncline.io/project"

# Our own: an Application that was taken over from Argo CD, which skips it, until it is handed back.
TAKEN_OVER: Final = "syncline.io/taken-over"

SKIP_FILE_RENDERING: Final = "+argocd:skip-file-rendering"

FIELD_MANAGER: Final = "argocd-controller"
"""The manager of applied objects: Argo CD's own, so that either system continues where the other stopped."""
STATUS_MANAGER: Final = "syncline-controller"
"""The manager of what we write into Applications themselves."""

_TRUE: Final = frozenset(("1", "t", "T", "true", "TRUE", "True"))


def is_true(text: str | None) -> bool:
    """Whether an annotation says yes, in any of the spellings that Go reads so."""
    return text in _TRUE
