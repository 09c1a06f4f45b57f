"""Faults that an engineer on call met while breaking apps by hand; see `tests.support.breakages`."""

from __future__ import annotations

from tests.support.breakages import CLAIM, Breakage, deployment

REQUESTS = "resources:\n  requests:\n    cpu: {}\n"
LIMITS = "resources:\n  limits:\n    memory: {}\n"

ON_CALL: tuple[Breakage, ...] = (
    Breakage(
        name="cores",
        files={"web.yaml": deployment(container=REQUESTS.format("2cores"))},
        says=(
            'spec.template.spec.containers[0].resources.requests.cpu is "2cores", which is not a quantity',
            "apps/cores/web.yaml:20: 2cores → 2",
        ),
        never=("could not be synced",),
    ),
    Breakage(
        name="spaced",
        files={"web.yaml": deployment(container=LIMITS.format("1G i"))},
        says=("apps/spaced/web.yaml:20: 1G i → 1Gi",),
    ),
    Breakage(
        name="ten",
        files={"claim.yaml": CLAIM.replace("storage: 1Gi", "storage: ten").replace("fast-ssd", "standard")},
        says=(
            'spec.resources.requests.storage is "ten", which is not a quantity',
            "write the amount at apps/ten/claim.yaml:",
            "such as 512Mi or 10Gi",
        ),
        decided=("claim.yaml", "storage: ten", "storage: 10Gi"),
    ),
)
