"""Whole repositories with ApplicationSets on the sandbox: a root app with waves 0 to 6, and a set of environments."""

from typing import Any

import orjson

from syncline.apimachinery.keys import Object
from tests.support import manifests
from tests.support.played import config
from tests.support.sets import REPO, SERVER, Sets, play
from tests.support.world import API

ROOT = "infrastructure/controllers/argocd/apps"
WAVE = "argocd.argoproj.io/sync-wave"
OPTIONS = ["CreateNamespace=true", "ServerSideApply=true", "RespectIgnoreDifferences=true", "Replace=false"]
FOUNDATION = {"cilium": 0, "external-secrets": 0, "longhorn": 1, "pvc-plumber": 2}
INFRASTRUCTURE = ("cert-manager", "kyverno")
MONITORING = ("loki", "tempo")
USER_APPS = ("media/jellyfin", "home/mosquitto")


def spec_of(path: str, namespace: str) -> Object:
    return {
        "project": "default",
        "source": {"repoURL": REPO, "path": path, "targetRevision": "main"},
        "destination": {"server": SERVER, "namespace": namespace},
        "syncPolicy": {"automated": {"prune": True, "selfHeal": True}, "syncOptions": OPTIONS},
    }


def child(name: str, wave: int) -> Object:
    metadata = {"name": name, "namespace": "argocd", "annotations": {WAVE: str(wave)}}
    spec = spec_of(f"infrastructure/{name}", name)
    return {"apiVersion": API, "kind": "Application", "metadata": metadata, "spec": spec}


def set_of(name: str, wave: int, patterns: list[str], called: str) -> Object:
    generator = {"git": {"repoURL": REPO, "revision": "main", "directories": [{"path": one} for one in patterns]}}
    template = {
        "metadata": {"name": called, "annotations": {WAVE: str(wave)}},
        "spec": spec_of("{{.path.path}}", "{{.path.basename}}"),
    }
    return {
        "apiVersion": API,
        "kind": "ApplicationSet",
        "metadata": {"name": name, "namespace": "argocd", "annotations": {WAVE: str(wave)}},
        "spec": {
            "goTemplate": True,
            "goTemplateOptions": ["missingkey=error"],
            "generators": [generator],
            "template": template,
        },
    }


def waves(*, ready: bool) -> dict[str, str]:
    """Return a repository whose apps come in waves; longhorn, of wave 1, has an image that is there or not."""
    objects = [child(name, wave) for name, wave in FOUNDATION.items()]
    objects += [
        set_of("infrastructure", 4, [f"infrastructure/{one}" for one in INFRASTRUCTURE], "{{.path.basename}}"),
        set_of("monitoring", 5, ["monitoring/*"], "monitoring-{{.path.basename}}"),
        set_of("my-apps", 6, ["my-apps/*/*"], "{{index .path.segments 1}}-{{.path.basename}}"),
    ]
    files = {f"{ROOT}/{one['kind']}-{one['metadata']['name']}.json": orjson.dumps(one).decode() for one in objects}
    folders = [f"infrastructure/{one}" for one in (*FOUNDATION, *INFRASTRUCTURE)]
    folders += [*(f"monitoring/{one}" for one in MONITORING), *(f"my-apps/{one}" for one in USER_APPS)]
    files |= {f"{folder}/app.yaml": config(folder.rpartition("/")[2]) for folder in folders}
    image = f"example/longhorn:{'1' if ready else 'missing'}"
    return files | {"infrastructure/longhorn/app.yaml": manifests.deployment("longhorn", image=image)}


def test_a_root_app_brings_apps_and_sets_in_waves() -> None:
    async def story(sets: Sets) -> None:
        bed = sets.bed
        bed.source.commit(waves(ready=False))
        root = {"apiVersion": API, "kind": "Application", "metadata": {"name": "root", "namespace": "argocd"}}
        await bed.apply({**root, "spec": spec_of(ROOT, "argocd")})
        await sets.until_apps("root", "cilium", "external-secrets", "longhorn")
        # Wave 1 is not healthy: nothing of a later wave begins.
        await bed.clock.sleep(10)
        await sets.until_apps("root", "cilium", "external-secrets", "longhorn")
        bed.source.commit(waves(ready=True))
        everything = ["root", *FOUNDATION, *INFRASTRUCTURE, *(f"monitoring-{one}" for one in MONITORING)]
        everything += [one.replace("/", "-") for one in USER_APPS]
        await sets.until_apps(*everything)
        for name in everything:
            await bed.until_status("Synced", "Healthy", name)
        made = [
            await _created(sets, name)
            for name in ("longhorn", "pvc-plumber", "kyverno", "monitoring-loki", "media-jellyfin")
        ]
        assert made == sorted(made)
        for name in ("infrastructure", "monitoring", "my-apps"):
            assert (await sets.condition("ResourcesUpToDate", name))["status"] == "True"

    play(story)


async def _created(sets: Sets, name: str) -> str:
    return str((await sets.bed.app(name))["metadata"]["creationTimestamp"])


ENVIRONMENTS = ("dev", "staging", "production")
COMPONENTS = {"vault": 10, "secret-store": 20, "api": 30}


def environments() -> dict[str, str]:
    """Return a repository with components of waves, and for each environment a file that says which it has."""
    files = {
        f"components/{name}/component.yaml": f"name: {name}\nwave: '{wave}'\n" for name, wave in COMPONENTS.items()
    }
    for environment in ENVIRONMENTS:
        files[f"environments/{environment}/config.yaml"] = f"environment: {environment}\n"
        for name in COMPONENTS:
            files[f"rendered/{environment}/{name}/app.yaml"] = config(name)
    return files


def environment_set(*, go: bool) -> Object:
    """Return one set for all components of all environments; its two forms mean the same."""
    dot = "." if go else ""
    generators: list[Any] = [
        {
            "git": {
                "repoURL": REPO,
                "revision": "main",
                "files": [{"path": "environments/*/config.yaml"}],
                "pathParamPrefix": "env",
            }
        },
        {
            "git": {
                "repoURL": REPO,
                "revision": "main",
                "files": [{"path": "components/*/component.yaml"}],
                "pathParamPrefix": "component",
            }
        },
    ]
    name, environment, wave = (f"{{{{ {dot}{part} }}}}" for part in ("name", "environment", "wave"))
    template = {
        "metadata": {
            "name": f"{environment}-{name}",
            "labels": {"environment": environment, "tier": name},
            "annotations": {WAVE: wave},
        },
        "spec": spec_of(f"rendered/{environment}/{name}", f"acme-{environment}"),
    }
    return {
        "apiVersion": API,
        "kind": "ApplicationSet",
        "metadata": {"name": "environments", "namespace": "argocd"},
        "spec": {"goTemplate": go, "generators": [{"matrix": {"generators": generators}}], "template": template},
    }


def test_three_environments_get_their_components_each_in_its_namespace() -> None:
    async def story(sets: Sets) -> None:
        bed = sets.bed
        bed.source.commit(environments())
        await bed.apply(environment_set(go=False))
        names = [f"{environment}-{name}" for environment in ENVIRONMENTS for name in COMPONENTS]
        await sets.until_apps(*names)
        for name in names:
            await bed.until_status("Synced", "Healthy", name)
        for environment in ENVIRONMENTS:
            found = await bed.get("ConfigMap", "vault", "v1", f"acme-{environment}")
            assert found is not None
        before = {name: await bed.app(name) for name in names}
        # Its twin with Go templates wants the same, so that nothing is written to any Application.
        await bed.apply(environment_set(go=True))
        await sets.until_fine("environments")
        await bed.still()
        after = {name: await bed.app(name) for name in names}
        for part in ("generation", "labels", "annotations"):
            assert [app["metadata"][part] for app in after.values()] == [
                app["metadata"][part] for app in before.values()
            ]
        assert [app["metadata"]["annotations"][WAVE] for app in after.values()] == ["10", "20", "30"] * 3

    play(story)
