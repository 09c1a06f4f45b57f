"""What holds before any setting is read: the defaults of a distribution, and of the chart.

Called by `syncline.core.settings.parse`. "Argo CD leaves PipelineRuns out" is true of OpenShift GitOps and of nobody
else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from syncline.core.settings.entries import CHART, ParsedSettings
from syncline.model.settings.resources import ResourceFilter
from syncline.model.settings.settings import ALWAYS_EXCLUDED, Profile, Settings

_REVIEWS: Final = (
    "SelfSubjectReview",
    "TokenReview",
    "LocalSubjectAccessReview",
    "SelfSubjectAccessReview",
    "SelfSubjectRulesReview",
    "SubjectAccessReview",
)
_REPORTS: Final = (
    "PolicyReport",
    "ClusterPolicyReport",
    "EphemeralReport",
    "ClusterEphemeralReport",
    "AdmissionReport",
    "ClusterAdmissionReport",
    "BackgroundScanReport",
    "ClusterBackgroundScanReport",
    "UpdateRequest",
)


def _filter(groups: tuple[str, ...], *kinds: str) -> ResourceFilter:
    return ResourceFilter(api_groups=groups, kinds=kinds)


SHIPPED_EXCLUSIONS: Final = (
    _filter(("", "discovery.k8s.io"), "Endpoints", "EndpointSlice"),
    _filter(("apiregistration.k8s.io",), "APIService"),
    _filter(("coordination.k8s.io",), "Lease"),
    _filter(("authentication.k8s.io", "authorization.k8s.io"), *_REVIEWS),
    _filter(("certificates.k8s.io",), "CertificateSigningRequest"),
    _filter(("cert-manager.io",), "CertificateRequest"),
    _filter(("cilium.io",), "CiliumIdentity", "CiliumEndpoint", "CiliumEndpointSlice"),
    _filter(("kyverno.io", "reports.kyverno.io", "wgpolicyk8s.io"), *_REPORTS),
)
"""What the manifests and the chart of Argo CD write into `resource.exclusions` themselves."""

OPENSHIFT_EXCLUSIONS: Final = (*SHIPPED_EXCLUSIONS, _filter(("tekton.dev",), "TaskRun", "PipelineRun"))
"""What OpenShift GitOps gives its own instance."""

_CHART_REFRESH: Final = 180.0
_CHART_LABEL: Final = "argocd.argoproj.io/instance"
_OPENSHIFT_NAMESPACE: Final = "openshift-gitops"


def profile_of(objects: Iterable[Any]) -> Profile:
    """Return whose defaults hold for settings from files: OpenShift GitOps has its own for the instance it makes."""
    own = {"name": _OPENSHIFT_NAMESPACE, "namespace": _OPENSHIFT_NAMESPACE}
    for obj in objects:
        metadata = obj.get("metadata") if isinstance(obj, dict) and obj.get("kind") == "ArgoCD" else None
        if isinstance(metadata, dict) and own.items() <= metadata.items():
            return Profile.OPENSHIFT_GITOPS
    return Profile.UPSTREAM


def begin(start: Settings, profile: Profile, reads: Sequence[ParsedSettings]) -> Settings:
    """Return the settings that hold before the entries count."""
    plain = Settings()
    if profile is Profile.OPENSHIFT_GITOPS:
        namespace = _OPENSHIFT_NAMESPACE if start.namespace == plain.namespace else start.namespace
        return msgspec.structs.replace(
            start,
            profile=profile,
            namespace=namespace,
            exclusions=ALWAYS_EXCLUDED,
            resource_exclusions=OPENSHIFT_EXCLUSIONS,
        )
    if any(read.form is CHART for read in reads):
        return msgspec.structs.replace(
            start,
            refresh_interval=_CHART_REFRESH,
            instance_label=_CHART_LABEL,
            exclusions=ALWAYS_EXCLUDED,
            resource_exclusions=SHIPPED_EXCLUSIONS,
        )
    if any(read.whole_cm for read in reads):
        return msgspec.structs.replace(start, exclusions=ALWAYS_EXCLUDED)
    return start
