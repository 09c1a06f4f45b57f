"""The components of the platform: what each is made of, and in which environments it runs.

Read by `syncline.scenarios.ameide.files`, which writes the repository from it. Names are those of the write-up where it
names any; the others are what such a platform has.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

EVERYWHERE: Final = ("dev", "staging", "production")
REGISTRY: Final = "ghcr.io/ameideio"


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """One of the three: its namespace, its nodes, and the tag that its images have."""

    name: str
    namespace: str
    pool: str
    tag: str


ENVIRONMENTS: Final = (
    Environment(name="dev", namespace="ameide-dev", pool="dev", tag="dev"),
    Environment(name="staging", namespace="ameide-staging", pool="staging", tag="main"),
    Environment(name="production", namespace="ameide-prod", pool="prod", tag="main"),
)


class Component(msgspec.Struct, frozen=True, kw_only=True):
    """One component: an Application in each of its environments, with its values in a shared file."""

    name: str
    tier: str
    values: dict[str, Any] = {}
    environments: tuple[str, ...] = EVERYWHERE
    contested: bool = False
    """Whether it renders objects of the whole cluster that others render too, so nobody may heal them."""

    @property
    def file(self) -> str:
        """The path of its values below the folder of a layer."""
        return f"{self.tier}/{self.name}.yaml"


def components(without: frozenset[str] = frozenset()) -> list[Component]:
    """Return the components of the environments, but for some."""
    found = [
        *_services(),
        *_with_secrets(),
        *_behind_databases(),
        *_vault(),
        *_seeded(),
        *plain(),
        Component(
            name="foundation-cert-manager",
            tier="foundation",
            values={**_cert_manager("ameide", "controller", "view"), "seed": _WAITS},
            contested=True,
        ),
    ]
    return [one for one in found if one.name not in without]


def cluster_components(without: frozenset[str] = frozenset()) -> list[Component]:
    """Return what runs once, for the whole cluster, but for some."""
    names = (
        "argocd-config", "cilium-policies", "cluster-roles", "cluster-issuers", "cnpg-operator", "clickhouse-operator",
        "crds-gateway", "crds-monitoring", "envoy-crds", "external-dns", "external-secrets-config",
        "keda", "keycloak-operator", "kyverno-policies", "metrics", "namespaces", "node-problem-detector",
        "priority-classes", "reflector", "reloader", "storage-classes", "strimzi-operator",
    )  # fmt: skip
    usual = [
        Component(name=f"cluster-{name}", tier="cluster", values={"config": {"owner": "platform"}}) for name in names
    ]
    rivals = [
        Component(name=f"{who}-cert-manager", tier="cluster", values=_cert_manager(who, role), contested=True)
        for who, role in (("argocd", "view"), ("cluster", "controller"))
    ]
    return [one for one in (*usual, *rivals) if one.name not in without]


EMPTY_OVERRIDES: Final = (
    "agents", "agents-runtime", "graph", "inference", "inference-gateway", "platform", "threads", "workflows",
    "workflows-runtime", "www-ameide", "www-ameide-platform",
)  # fmt: skip
"""The components whose shared values hide the tolerations of their environment."""

NEVER_PUSHED: Final = ("www-ameide-platform", "workflows-runtime", "plausible-seed", "migrations", "backstage-seed")
"""The images that are never pushed with the tag of staging and production."""


def _services() -> list[Component]:
    return [
        Component(name=f"apps-{name}", tier="apps", values={"workload": "Deployment", "image": _image(name)})
        for name in EMPTY_OVERRIDES
    ]


def _image(name: str) -> dict[str, str]:
    return {"repository": f"{REGISTRY}/{name}"}


def _with_secrets() -> list[Component]:
    """Return components with a Secret from Vault; those of the first list create it before all else."""
    first = {
        "platform-grafana": "grafana-admin-credentials",
        "platform-loki": "loki-object-store",
        "platform-prometheus": "prometheus-remote-write",
        "platform-envoy-gateway": "envoy-rate-limit",
        "foundation-coredns-config": "coredns-zone-key",
        "foundation-cnpg-monitoring": "cnpg-monitoring",
        "foundation-vault-bootstrap": "vault-bootstrap-identity",
    }
    beside = {
        "data-minio": "minio-root-credentials",
        "data-pgadmin": "pgadmin-bootstrap-credentials",
        "platform-plausible": "plausible-secret",
        "apps-transformation": "transformation-database",
        "data-redis": "redis-auth",
        "data-temporal": "temporal-database",
        "platform-langfuse": "langfuse-secret",
        "platform-keycloak-realm": "keycloak-realm-clients",
        "platform-oauth2-proxy": "oauth2-proxy-cookie",
        "platform-mailer": "smtp-credentials",
        "data-clickhouse-backup": "clickhouse-backup",
    }
    made = []
    for waits, group in ((True, first), (False, beside)):
        for name, secret in group.items():
            values: dict[str, Any] = {"workload": "Deployment", "image": _image(name.partition("-")[2])}
            values |= {"secret": secret, "externalSecrets": [{"name": secret, "key": secret}]}
            if name == "data-minio":
                values["externalSecrets"].append({"name": "minio-replication", "key": "minio-replication"})
            made.append(
                Component(
                    name=name, tier=name.partition("-")[0], values=values | ({"secretsWave": "-1"} if waits else {})
                )
            )
    credentials = [{"name": name, "key": name} for name in ("database-owner", "stream-clients")]
    made.append(
        Component(name="foundation-database-credentials", tier="foundation", values={"externalSecrets": credentials})
    )
    return made


def _behind_databases() -> list[Component]:
    """Return what waits for Secrets that another component makes: nothing of their own is Degraded."""
    stored = {
        "data-clickhouse": ("database-owner", "managed-csi", EVERYWHERE),
        "data-kafka-cluster": ("stream-clients", "managed-csi-premium", EVERYWHERE),
        "platform-postgres-clusters": ("database-owner", "managed-csi-premium", EVERYWHERE),
        "platform-keycloak": ("database-owner", "managed-csi", ("dev", "staging")),
    }
    made = [
        Component(
            name=name,
            tier=name.partition("-")[0],
            environments=where,
            values={
                "workload": "StatefulSet",
                "image": _image(name.partition("-")[2]),
                "secret": secret,
                "storage": {"class": storage, "size": "8Gi"},
            },
        )
        for name, (secret, storage, where) in stored.items()
    ]
    bootstrap = {"workload": "Job", "image": _image("temporal-admin"), "secret": "database-owner"}
    made.append(
        Component(name="data-temporal-namespace-bootstrap", tier="data", environments=("dev",), values=bootstrap)
    )
    return made


def _vault() -> list[Component]:
    server = {
        "workload": "StatefulSet",
        "name": "vault",
        "port": 8200,
        "image": {"repository": "hashicorp/vault", "tag": "1.17.2"},
        "updateStrategy": "OnDelete",
        "storage": {"class": "default", "size": "4Gi"},
        "labels": {"component": "server"},
        "init": {"image": f"{REGISTRY}/vault-init:2.1"},
    }
    return [
        Component(name="foundation-vault-core", tier="foundation", values=server),
        Component(name="foundation-vault-secret-store", tier="foundation", values={"config": {"mount": "secret"}}),
    ]


def _seeded() -> list[Component]:
    """Return what begins with a Job of an image that only dev has."""
    images = {
        "platform-plausible-seed": "plausible-seed",
        "data-migrations": "migrations",
        "platform-backstage": "backstage-seed",
    }
    return [
        Component(
            name=name,
            tier=name.partition("-")[0],
            values={"seed": _image(image), "config": {"seeded": "yes"}},
        )
        for name, image in images.items()
    ]


def plain() -> list[Component]:
    """Return the components that nothing is wrong with."""
    names = (
        "foundation-network-policies", "foundation-quotas", "foundation-service-accounts", "platform-alertmanager",
        "platform-dashboards", "platform-tempo", "platform-otel-collector", "platform-status", "platform-docs",
        "data-exporters", "data-retention", "data-schemas", "apps-chat", "apps-search", "apps-billing", "apps-profiles",
        "apps-notifications",
    )  # fmt: skip
    made = []
    for name in names:
        tier, _, image = name.partition("-")
        runs = {"workload": "Deployment", "image": {"repository": f"{REGISTRY}/{image}", "tag": "2.0"}}
        made.append(
            Component(
                name=name, tier=tier, values=runs if tier in ("platform", "apps") else {"config": {"owner": tier}}
            )
        )
    protected = ("platform-waf", "data-replica")
    made += [
        Component(
            name=name,
            tier=name.partition("-")[0],
            environments=("staging", "production"),
            values={"config": {"mode": "on"}},
        )
        for name in protected
    ]
    return made


_WAITS: Final = {"repository": "quay.io/jetstack/cert-manager-startupapicheck", "command": ["sleep", "150"]}
"""A Job before each sync: so these write the roles after their rivals, whichever of them is rendered first."""


def _cert_manager(who: str, *roles: str) -> dict[str, Any]:
    return {
        "workload": "Deployment",
        "image": {"repository": "quay.io/jetstack/cert-manager-controller", "tag": "v1.16.1"},
        "command": ["/manager", f"--leader-election-namespace={who}"],
        "clusterRoles": [f"cert-manager-{role}" for role in roles],
    }
