"""What was wrong on OpenShift, and the table of the write-up: what each app showed.

Read by `syncline.scenarios.private_ai.story`.
"""

from __future__ import annotations

from syncline.scenarios.private_ai import files
from syncline.scenarios.story import Cause, Rules

_WHERE = f"{files.APPLICATIONS}/stage0"

SEEN = {
    "stage00-datasciencecluster": "OutOfSync Healthy clean",
    "stage00-gpu-infrastructure": "Synced Healthy clean",
    "stage00-minio": "OutOfSync Healthy clean",
    "stage00-operators": "Synced Healthy clean",
    "stage01-model-registry": "Synced Healthy SharedResourceWarning clean",
    "stage01-model-serving": "Unknown Healthy ComparisonError",
    "stage02-model-alignment": "OutOfSync Healthy SyncError",
    "private-ai": "OutOfSync Healthy clean",
}
"""The table of the write-up, row by row; the last row is the app that it counts and does not list."""

SEEN_BY_US = {
    **SEEN,
    "stage01-model-registry": "Synced Healthy clean",
    "stage01-model-serving": "Unknown Healthy ComparisonError SharedResourceWarning",
    "private-ai": "OutOfSync Degraded clean",
}
"""One app owns the shared namespace, the other is told so; and an app of apps is as healthy as its apps."""

_GATEWAYS = Cause(
    name="gateways",
    told="the Service Mesh operator keeps the gateways of Knative as it wants them",
    code="LIV-101",
    subject="Gateway/knative-ingress-gateway in knative-serving and Gateway/knative-local-gateway in knative-serving",
    at="gitops/stage00/datasciencecluster/gateways.yaml:10",
    says=("metadata.labels.release, written by servicemesh-operator",),
    remark="Accepted drift with a reason, by Syncline's rules; with Argo CD the app stays OutOfSync.",
)

GATEWAYS_STAY = Cause(
    name="gateways-stay",
    told="Argo CD does not read accepted drift: the app stays OutOfSync and Healthy, as the write-up allows",
    code=_GATEWAYS.code,
    subject=_GATEWAYS.subject,
    at=_GATEWAYS.at,
    says=_GATEWAYS.says,
    by=Rules.ARGOCD,
)

CAUSES = (
    Cause(
        name="routes",
        told="OpenShift gives Routes a host, and a cluster policy forbids plain HTTP",
        code="LIV-101",
        subject="Route/minio-api in private-ai-demo and Route/minio-console in private-ai-demo",
        at="gitops/stage00/minio/route-api.yaml:7",
        says=(
            "spec.host, written by openshift-apiserver",
            "spec.tls.insecureEdgeTerminationPolicy, written by route-policy-controller",
        ),
        check="DIF-011",
    ),
    Cause(
        name="files",
        told="stage1-complete lists the files of the new layout and has none of them",
        code="APP-003",
        subject="stage01-model-serving",
        at=f"{_WHERE}1/app-stage01-model-serving.yaml:11",
        says=("vllm/runtime.yaml: no such file or directory", "has it: is targetRevision stage1-complete out of date"),
        remark="check reads the files of one checkout: it finds this on the branch, but not on main.",
    ),
    Cause(
        name="selector",
        told="the selector of a Deployment was changed, which Kubernetes never permits",
        code="OWN-007",
        subject="Deployment/llama-stack-playground",
        at="gitops/stage02/alignment/playground.yaml:8",
        says=("spec.selector: Invalid value", "field is immutable"),
    ),
    _GATEWAYS,
    Cause(
        name="by-hand",
        told="the app of apps is synced by hand, and has not been since the last commit",
        code="LIV-105",
        subject="private-ai",
        by=Rules.ARGOCD,
        remark="By Syncline's rules the app is Degraded because of the others, and that comes first.",
    ),
    Cause(
        name="namespace",
        told="two apps deliver one Namespace; the team knew, and ignores the tracking id",
        check="OWN-001",
        check_at="gitops/stage01/model-registry/namespace.yaml:2",
        remark="Live it is a SharedResourceWarning on an app that is Synced and Healthy, so it causes nothing.",
    ),
    Cause(
        name="whole-spec",
        told="an ignore rule hides the whole spec of the gateways",
        check="DIF-006",
        check_at=f"{_WHERE}0/app-stage00-datasciencecluster.yaml:19",
    ),
)


def not_pushed(image: str) -> Cause:
    """Return what is wrong with stage 2 of the look-alikes: its image, and not its selector."""
    return Cause(
        name="image",
        told="stage 2 asks for an image that nobody has pushed",
        code="WKL-002",
        subject=image,
        says=(image,),
    )
