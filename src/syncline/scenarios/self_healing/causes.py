"""What was wrong with the first deployment, where each of it can be seen, and where the write-up is mistaken."""

from __future__ import annotations

from typing import Final

from syncline.scenarios.self_healing.repairs import PLATFORM
from syncline.scenarios.story import Cause, Rules

CAUSES: Final = (
    Cause(
        name="claim",
        told="a claim whose class waits for its first pod is in an earlier wave than that pod",
        code="ORD-005",
        subject=f"PersistentVolumeClaim/model-storage in {PLATFORM}",
        at="workbench/storage.yaml:6",
        says=("WaitForFirstConsumer", "which waits for a pod that comes later in the same sync"),
        check="ORD-005",
        by=Rules.ARGOCD,
        remark="By Syncline's own rules a claim that waits for its first pod blocks no wave.",
    ),
    Cause(
        name="uri",
        told="the value with the build's repository is empty, and the template has no default",
        code="LIV-109",
        subject="BuildConfig/notebook-validator",
        at="charts/image-builds/templates/buildconfig.yaml:13",
        says=("spec.source.git.uri: Required value", "spec.source.git.uri is missing"),
        check="SRC-006",
    ),
    Cause(
        name="runs",
        told="the settings of OpenShift GitOps exclude pipeline runs: the app is green and runs none",
        condition="pipelines ExcludedResourceWarning",
        check="SET-008",
        remark="Upstream Argo CD does not exclude PipelineRuns; OpenShift GitOps does for its own instance.",
    ),
    Cause(
        name="image",
        told="pods pull an image that no build has made yet",
        effect_of="uri and credential: diagnose traces the pods to the build that should create the image",
    ),
    Cause(
        name="account",
        told="the hook's service account may not get image stream tags",
        code="LIV-202",
        subject=f"system:serviceaccount:{PLATFORM}:wait-for-image",
        at="validation/role.yaml:6",
        says=('cannot get resource "imagestreamtags"',),
        check="ORD-009",
    ),
    Cause(
        name="credential",
        told="the source Secret of the git credential has the password of another installation",
        code="LIV-106",
        subject="Build/notebook-validator-1",
        says=("Failed to fetch the input source",),
        remark=(
            "You can see that the clone fails, but not that the password is wrong: values of Secrets are never read."
        ),
    ),
    Cause(
        name="tiers",
        told="the images of two tiers of notebooks lack packages that the notebooks import",
        remark="Neither Git nor the cluster knows which packages an image contains.",
    ),
    Cause(
        name="model",
        told="a model is served that is not trained yet, and the next wave waits for it",
        code="LIV-106",
        subject="InferenceService/anomaly-detector",
        at="models/serving.yaml:1",
        says=("is Degraded", "ModelLoadFailed"),
    ),
)

ERRATA: Final = (
    (
        "Calling every Pending claim Healthy also hides a provisioner that fails; in the wave of its pod, no such "
        "check is needed."
    ),
    "Calling every InferenceService Healthy hides real outages. The story moves on once the model is there.",
    "The ArgoCD resource has no field spec.ignoreDifferences; the operator's is resourceIgnoreDifferences.",
    "The Job that waits for an image counts with ELAPSED, which is never set; its first version has no timeout at all.",
    (
        "Argo CD 3.2.11, run on this repository, shows workbench as Missing and all else as here: until 3.4 one "
        "missing object made an app Missing."
    ),
)
