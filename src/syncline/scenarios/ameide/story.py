"""Three environments, 200 apps, 117 of them not OK: the inventory of a platform team, as a story that runs."""

from __future__ import annotations

from importlib import resources
from typing import Any

from syncline.scenarios.ameide import files
from syncline.scenarios.ameide.catalogue import ENVIRONMENTS, EVERYWHERE, NEVER_PUSHED, REGISTRY
from syncline.scenarios.story import REPOSITORY, Commit, Deed, Seen, Step, Story, Verb

_MODE = "sandbox.syncline.io/mode"


def story() -> Story:
    """Return the story."""
    return Story(
        name="ameide",
        title="200 apps in three environments, 117 of them not OK",
        about=(
            "Secrets come from Vault through one store with a wrong address; Vault's pods wait without a toleration; "
            "eleven services hide the tolerations of their environment; images were never pushed; three apps are left "
            "over that nobody generates any more."
        ),
        cluster=(resources.files("syncline.scenarios.ameide") / "cluster.yaml").read_text(encoding="utf-8"),
        history=(
            Commit(message="The platform in three environments", files=files.first()),
            Commit(message="Let Vault inherit the tolerations of its environment", files=files.vault_inherits()),
            Commit(message="cert-manager is for the whole cluster", files=files.without_cert_manager()),
        ),
        root=_root(),
        seen=Seen(good=83, others={"Degraded": 97, "Progressing": 12, "Missing": 6, "Healthy": 2}, out_of_sync=20),
        ours=Seen(good=85, others={"Degraded": 97, "Progressing": 12, "Missing": 6}, out_of_sync=20),
        causes={
            "store-not-ready": "ClusterSecretStore/ameide-vault",
            "unschedulable": "Deployment/apps-agents in ameide-dev",
            "image-not-found": "ghcr.io/ameideio/*:main",
        },
        steps=_steps(),
    )


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


def _steps() -> tuple[Step, ...]:
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
            good=85,
            deeds=(*old_pods, *failed),
        ),
        Step(
            title="Give each environment a SecretStore of its own",
            good=108,
            commits=(Commit(message="A SecretStore for each environment", files=files.own_stores()),),
        ),
        Step(
            title="Unseal Vault in staging",
            good=126,
            outside="vault operator unseal, in the pod",
            deeds=(_mode("pods", "foundation-vault-core-0", "ameide-staging", "unsealed"),),
        ),
        Step(
            title="Let Vault accept logins in production",
            good=142,
            outside="vault write auth/kubernetes/config disable_iss_validation=true",
            deeds=(_mode("secretstores.external-secrets.io", "ameide-vault", "ameide-prod", "granted"),),
        ),
        Step(
            title="Remove the empty overrides",
            good=185,
            commits=(Commit(message="Inherit the tolerations of the environment", files=files.without_overrides()),),
        ),
        Step(title="Push the images", good=195, outside="the pipelines of five repositories", deeds=(_pushed(),)),
        Step(title="Delete the apps that nobody generates", good=197, deeds=(*orphans, *healed)),
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
