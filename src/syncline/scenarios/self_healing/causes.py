"""What was wrong with the first deployment, where each of it can be seen, and where the write-up is mistaken."""

from __future__ import annotations

from typing import Final

from syncline.scenarios.self_healing.repairs import PLATFORM
from syncline.scenarios.story import Cause, Rules

CAUSES: Final = (
    Cause(
        name="claim",
        told="a claim of a class that waits for its first pod stands in an earlier wave than that pod",
        code="ORD-005",
        subject=f"PersistentVolumeClaim/model-storage in {PLATFORM}",
        at="workbench/storage.yaml:6",
        says=("WaitForFirstConsumer", "which waits for a pod that comes later in the same sync"),
        check="ORD-005",
        by=Rules.ARGOCD,
        remark="By Syncline's own rules a claim that waits for its first pod holds up no wave.",
    ),
    Cause(
        name="uri",
        told="the value that names the repository of the build is empty, and the template has no other",
        code="LIV-109",
        subject="BuildConfig/notebook-validator",
        at="charts/image-builds/templates/buildconfig.yaml:13",
        says=("spec.source.git.uri: Required value", "spec.source.git.uri is missing"),
        check="SRC-006",
    ),
    Cause(
        name="runs",
        told="the settings of OpenShift GitOps leave out runs of pipelines: the app is green and runs none",
        condition="pipelines ExcludedResourceWarning",
        check="SET-008",
        remark="Upstream Argo CD leaves out no PipelineRun; OpenShift GitOps does for its own instance.",
    ),
    Cause(
        name="image",
        told="pods pull an image that no build has made yet",
        effect_of="uri and credential: diagnose leads from the pods to the build that should make the image",
    ),
    Cause(
        name="account",
        told="the account of the hook may not look at image stream tags",
        code="LIV-202",
        subject=f"system:serviceaccount:{PLATFORM}:wait-for-image",
        at="validation/role.yaml:6",
        says=('cannot get resource "imagestreamtags"',),
        check="ORD-009",
    ),
    Cause(
        name="credential",
        told="the source Secret of the git credential has a password of another installation",
        code="LIV-106",
        subject="Build/notebook-validator-1",
        says=("Failed to fetch the input source",),
        remark="That the clone fails is seen; that the password is wrong is not: values of Secrets are never read.",
    ),
    Cause(
        name="tiers",
        told="the images of two tiers of notebooks lack packages that the notebooks import",
        remark="Which packages an image holds stands neither in Git nor in the cluster.",
    ),
    Cause(
        name="model",
        told="a model is served that nobody has trained yet, and the next wave waits for it",
        code="LIV-106",
        subject="InferenceService/anomaly-detector",
        at="models/serving.yaml:1",
        says=("is Degraded", "ModelLoadFailed"),
    ),
)

ERRATA: Final = (
    "Calling every Pending claim Healthy also hides a provisioner that fails; the wave of its pod needs no such check.",
    "Calling every InferenceService Healthy hides real outages. The story moves on once the model is there.",
    "The ArgoCD resource has no field spec.ignoreDifferences; the operator's is resourceIgnoreDifferences.",
    "The Job that waits for an image counts in ELAPSED, which is never set; its first version has no timeout at all.",
    (
        "Argo CD 3.2.11, asked with this repository, shows workbench as Missing and all else as here: until 3.4 one "
        "object that was not there made an app Missing."
    ),
)
