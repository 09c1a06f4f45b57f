"""What was wrong with the platform, in layers: some of it shows only once what stands before it is repaired."""

from __future__ import annotations

from typing import Final

from syncline.scenarios.story import Cause, Rules

_CHART: Final = "sources/charts/component/templates"
_VAULT: Final = "StatefulSet/foundation-vault-core"


def first(fewer_hiding: int, missing: int) -> tuple[Cause, ...]:
    """Return what shows at first, with fewer services that hide tolerations, and so many apps without their image."""
    return (
        Cause(
            name="store",
            told="one ClusterSecretStore names Vault in a namespace that does not exist",
            code="SEC-003",
            subject="ClusterSecretStore/ameide-vault",
            at=f"{_CHART}/cluster.yaml:1",
            says=('namespace "vault" of its provider does not exist', "no such host"),
            check="SEC-003",
            apps=70,
        ),
        Cause(
            name="overrides",
            told="an empty list of tolerations in shared values files hides that of every environment",
            code="SRC-004",
            subject=f"{11 - fewer_hiding} values files",
            at="sources/values/_shared/apps/apps-agents.yaml:5",
            says=("tolerations: []", "hidden by it"),
            check="SRC-004",
            check_at="sources/values/_shared/apps/apps-agents.yaml:5",
            apps=33 - 3 * fewer_hiding,
        ),
        images(missing),
        Cause(
            name="revision",
            told="Vault's pods are at a revision without tolerations, and OnDelete replaces none",
            code="WKL-007",
            subject=_VAULT,
            says=("OnDelete replaces no pod",),
            apps=3,
        ),
        Cause(
            name="orphans",
            told="three Applications of cert-manager are left over that their ApplicationSet no longer generates",
            code="APS-201",
            subject="ApplicationSet/platform",
            says=("applicationsSync: create-update",),
        ),
    )


def images(apps: int) -> Cause:
    """Return the cause that holds up so many apps: more once their pods find a node."""
    return Cause(
        name="images",
        told="images that are never pushed with the tag of staging and production",
        code="WKL-002",
        subject="ghcr.io/ameideio/*:main",
        at="sources/values/production/globals.yaml:2",
        says=("are not in their registry with the tag main",),
        apps=apps,
        remark=(
            "The pipelines that do not push the tag are in other repositories; the cluster only shows that it is "
            "missing."
        ),
    )


def given_up(apps: int) -> Cause:
    """Return what is left of syncs that failed while Vault was closed: Argo CD does not try a revision twice."""
    return Cause(
        name="given-up",
        told="syncs failed while secrets were missing, and Argo CD does not retry the same revision",
        code="LIV-109",
        subject=f"{apps} Applications",
        by=Rules.ARGOCD,
        apps=apps,
        remark="By its own rules, Syncline retries them once their cause is gone.",
    )


SEALED: Final = Cause(
    name="sealed",
    told="Vault in staging restarted and was not unsealed",
    code="SEC-205",
    subject=f"{_VAULT} in ameide-staging",
    says=("vault-sealed: true",),
)
DENIED: Final = Cause(
    name="denied",
    told="Vault in production refuses the store's login",
    code="SEC-003",
    subject="SecretStore/ameide-vault",
    at=f"{_CHART}/cluster.yaml:1",
    says=("403 permission denied",),
    remark="The Vault setting that refuses it, disable_iss_validation, cannot be seen from outside Vault.",
)

ERRATA: Final = (
    "Pending claims wait for pods that are not scheduled: an effect, not a separate cause.",
    "DiffFromCache in the log is cache noise; a longer expiration fixes nothing.",
    "Apps listed as Syncing did not sync on their own: Argo CD does not retry a failed revision, a person must.",
    (
        "Argo CD 3.2.11, run on this repository, shows data-migrations, platform-backstage and "
        "platform-plausible-seed of staging and production as Healthy, and all 194 others as here: until 3.4 a "
        "missing object without a health check did not make an app Missing."
    ),
)
