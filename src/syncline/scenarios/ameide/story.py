"""Three environments, 200 apps, few causes: the inventory of a platform team, as a story that runs."""

from __future__ import annotations

from importlib import resources
from typing import Any, Final

import msgspec

from syncline.scenarios.ameide import catalogue, causes, files
from syncline.scenarios.ameide.catalogue import ENVIRONMENTS, EVERYWHERE, NEVER_PUSHED, REGISTRY
from syncline.scenarios.draw import Draw
from syncline.scenarios.renaming import renamed
from syncline.scenarios.story import REPOSITORY, Commit, Deed, Rules, Seen, Step, Story, Verb

_MODE = "sandbox.syncline.io/mode"


_NAMES = ("ameide-vault", "ameide-dev", "ameide-staging", "ameide-prod", "foundation-vault-core", "apps-agents")
_SEEDS = {"plausible-seed": 0, "migrations": 0, "backstage-seed": 0}


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """What one telling has: good apps and services that are left out, and a seed image that was pushed after all."""

    without: frozenset[str] = frozenset()
    fewer_good: int = 0
    fewer_hiding: int = 0
    pushed: str = ""

    @property
    def shift(self) -> int:
        """How many more or fewer apps are good than in the write-up, until the services recover."""
        return 2 * bool(self.pushed) - self.fewer_good


def story() -> Story:
    """Return the story as it was written up."""
    return _told(Shape())


def look_alike(draw: Draw) -> Story:
    """Return a smaller platform with other names, fewer services, and an image that was pushed after all."""
    plain = [one.name for one in catalogue.plain()]
    cluster = [one.name for one in catalogue.cluster_components() if not one.contested]
    left_out = draw.some_of(plain, draw.size(len(plain) - 4, len(plain) - 1))
    few = draw.some_of(cluster, draw.size(len(cluster) - 4, len(cluster) - 1))
    hiding = draw.some_of([f"apps-{one}" for one in catalogue.EMPTY_OVERRIDES[1:8]], draw.size(3, 6))
    found = {one.name: len(one.environments) for one in catalogue.plain()}
    shape = Shape(
        without=frozenset((*left_out, *few, *hiding)),
        fewer_good=sum(found[one] for one in left_out) + len(few),
        fewer_hiding=len(hiding),
        pushed=draw.in_turn(tuple(_SEEDS)),
    )
    return renamed(_told(shape), draw.names(_NAMES))


def _told(shape: Shape) -> Story:
    degraded = 97 - 3 * shape.fewer_hiding
    missing = 6 - 2 * bool(shape.pushed)
    return Story(
        name="ameide",
        title="200 apps in three environments, 117 of them not OK by Argo CD's rules, 115 by Syncline's",
        about=(
            "Secrets come from Vault through one store with a wrong address; Vault's pods wait without a toleration; "
            "eleven services hide the tolerations of their environment; images were never pushed; three apps are "
            "left over that are no longer generated."
        ),
        cluster=_cluster(shape),
        history=(
            Commit(message="The platform in three environments", files=files.first(shape.without)),
            Commit(message="Let Vault inherit the tolerations of its environment", files=files.vault_inherits()),
            Commit(message="cert-manager is for the whole cluster", files=files.without_cert_manager()),
        ),
        root=_root(),
        seen=Seen(
            good=83 + shape.shift,
            others={"Degraded": degraded, "Progressing": 12, "Missing": missing, "Healthy": 2},
            out_of_sync=20,
            apps={} if shape.without else TABLE,
        ),
        ours=Seen(
            good=85 + shape.shift,
            others={"Degraded": degraded, "Progressing": 12, "Missing": missing},
            out_of_sync=20,
        ),
        causes=causes.first(shape.fewer_hiding, missing),
        steps=_steps(shape),
        order=() if shape.without else ("revision", "store", "overrides", "images", "orphans"),
        ours_order=() if shape.without else ("revision", "store", "overrides", "images", "orphans"),
        errata=causes.ERRATA,
        by=Rules.SYNCLINE if shape.without else None,
    )


TABLE: Final = {
    "*-data-clickhouse": "Synced Progressing",
    "*-data-kafka-cluster": "Synced Progressing",
    "*-platform-postgres-clusters": "Synced Progressing",
    "dev-data-minio": "Synced Degraded",
    "dev-platform-grafana": "OutOfSync Degraded",
    "dev-data-pgadmin": "Synced Degraded",
    "dev-platform-plausible": "Synced Degraded",
    "dev-apps-transformation": "Synced Degraded",
    "*-foundation-coredns-config": "OutOfSync Degraded",
    "*-foundation-cnpg-monitoring": "OutOfSync Degraded",
    "*-foundation-vault-bootstrap": "OutOfSync Degraded",
    "*-platform-envoy-gateway": "OutOfSync Degraded",
    "*-platform-loki": "OutOfSync Degraded",
    "*-platform-prometheus": "OutOfSync Degraded",
    "argocd-cert-manager": "OutOfSync Healthy",
    "cluster-cert-manager": "OutOfSync Healthy",
}
"""Rows of the write-up's tables; where it says Syncing it means that nothing has been synced yet."""


def _cluster(shape: Shape) -> str:
    text = (resources.files("syncline.scenarios.ameide") / "cluster.yaml").read_text(encoding="utf-8")
    return text.replace(f'  - "{REGISTRY}/{shape.pushed}:main"\n', "") if shape.pushed else text


def _root() -> dict[str, Any]:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "cluster-root", "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {"repoURL": REPOSITORY, "path": files.APPLICATIONS, "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "argocd"},
            "syncPolicy": {"automated": {"prune": True, "selfHeal": True}},
        },
    }


def _steps(shape: Shape) -> tuple[Step, ...]:
    early, late = shape.shift, -shape.fewer_good - 3 * shape.fewer_hiding
    recovered = early - 3 * shape.fewer_hiding
    namespaces = [one.namespace for one in ENVIRONMENTS]
    old_pods = [_delete("pods", "foundation-vault-core-0", where) for where in namespaces]
    failed = [_delete("jobs.batch", "foundation-vault-core-init", where) for where in namespaces]
    orphans = [_delete("applications.argoproj.io", f"{one}-foundation-cert-manager", "argocd") for one in EVERYWHERE]
    healed = [
        Deed(verb=Verb.SYNC, resource="applications.argoproj.io", name=f"{who}-cert-manager", namespace="argocd")
        for who in ("argocd", "cluster")
    ]
    return (
        Step(
            title="Delete the Vault pods of the old revision, and the Jobs that failed",
            good=85 + early,
            ours=87 + early,
            promised=86 + early,
            ours_promised=88 + early,
            repairs=("revision",),
            shows=(causes.SEALED,),
            deeds=(*old_pods, *failed),
        ),
        Step(
            title="Give each environment a SecretStore of its own",
            good=108 + early,
            ours=110 + early,
            promised=132 + early,
            ours_promised=134 + early,
            repairs=("store",),
            shows=(causes.DENIED,),
            commits=(Commit(message="A SecretStore for each environment", files=files.own_stores()),),
        ),
        Step(
            title="Unseal Vault in staging",
            good=126 + early,
            ours=135 + early,
            promised=133 + early,
            ours_promised=135 + early,
            repairs=("sealed",),
            shows=(causes.given_up(7),),
            outside="vault operator unseal, in the pod",
            deeds=(_mode("pods", "foundation-vault-core-0", "ameide-staging", "unsealed"),),
        ),
        Step(
            title="Let Vault accept logins in production",
            good=142 + early,
            ours=158 + early,
            promised=149 + early,
            ours_promised=158 + early,
            repairs=("denied",),
            shows=(causes.given_up(14),),
            outside="vault write auth/kubernetes/config disable_iss_validation=true",
            deeds=(_mode("secretstores.external-secrets.io", "ameide-vault", "ameide-prod", "granted"),),
        ),
        Step(
            title="Remove the empty overrides",
            good=185 + recovered,
            ours=187 + recovered,
            promised=189 + recovered,
            ours_promised=191 + recovered,
            repairs=("overrides", "given-up"),
            shows=(causes.images(10 - 2 * bool(shape.pushed)),),
            commits=(Commit(message="Inherit the tolerations of the environment", files=files.without_overrides()),),
        ),
        Step(
            title="Push the images",
            good=195 + late,
            ours=197 + late,
            promised=195 + late,
            ours_promised=197 + late,
            repairs=("images",),
            outside="the pipelines of five repositories",
            deeds=(_pushed(),),
        ),
        Step(
            title="Delete the apps that are no longer generated",
            good=197 + late,
            ours=197 + late,
            promised=197 + late,
            ours_promised=197 + late,
            repairs=("orphans",),
            deeds=(*orphans, *healed),
        ),
    )


def _delete(resource: str, name: str, namespace: str) -> Deed:
    return Deed(verb=Verb.DELETE, resource=resource, name=name, namespace=namespace)


def _mode(resource: str, name: str, namespace: str, mode: str) -> Deed:
    return Deed(verb=Verb.ANNOTATE, resource=resource, name=name, namespace=namespace, content={_MODE: mode})


def _pushed() -> Deed:
    images = {f"image-{number}": f"{REGISTRY}/{name}:main" for number, name in enumerate(NEVER_PUSHED)}
    content = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "pushed-images", "namespace": "kube-system"},
        "data": images,
    }
    return Deed(verb=Verb.APPLY, resource="configmaps", name="pushed-images", namespace="kube-system", content=content)
