"""What mended the first deployment: commits, and what was done outside Git."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from syncline.apimachinery import yaml
from syncline.scenarios import files
from syncline.scenarios.story import Commit, Deed, Rules, Verb

HERE: Final = "syncline.scenarios.self_healing"
GITOPS: Final = "openshift-gitops"
PLATFORM: Final = "self-healing-platform"
_FALLBACK: Final = (
    "{{ .Values.imageBuilds.gitRepository | default .Values.git.repoURL | default .Values.global.git.repoURL "
    '| required "git.repoURL is required" }}'
)


def role() -> str:
    """Return the role of the hook's account with what it needs."""
    look = ["get", "list", "watch"]
    found = yaml.load(files.tree(HERE)["validation/role.yaml"].encode())
    found["rules"] += [
        {"apiGroups": ["image.openshift.io"], "resources": ["imagestreams", "imagestreamtags"], "verbs": look},
        {"apiGroups": ["build.openshift.io"], "resources": ["builds"], "verbs": look},
    ]
    return yaml.dump(found)


def _claim() -> dict[str, Any]:
    commit = _replaced("The claim comes with its first pod", "workbench/storage.yaml", '"-2"', '"0"')
    return {"commits": (commit,), "deeds": (_app(Verb.TERMINATE, "workbench"),)}


def _uri() -> dict[str, Any]:
    template = "charts/image-builds/templates/buildconfig.yaml"
    before = "{{ .Values.imageBuilds.gitRepository }}"
    return {"commits": (_replaced("Fall back to the repository of the pattern", template, before, _FALLBACK),)}


def _credential() -> dict[str, Any]:
    name = "gitea-credentials-source"
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": PLATFORM},
        "stringData": {"username": "gitea", "password": "gitea-admin"},
    }
    return {
        "outside": "make load-env-secrets, which now reads the password from the status of the Gitea resource",
        "deeds": (Deed(verb=Verb.APPLY, resource="secrets", name=name, namespace=PLATFORM, content=secret),),
    }


def _account() -> dict[str, Any]:
    return {"commits": (Commit(message="The hook may see images", files={"validation/role.yaml": role()}),)}


def _runs() -> dict[str, Any]:
    return {"commits": (Commit(message="No runs in Git", files={"pipelines/run.yaml": None}),)}


def _model() -> dict[str, Any]:
    trained = Deed(
        verb=Verb.ANNOTATE,
        resource="inferenceservices.serving.kserve.io",
        name="anomaly-detector",
        namespace=PLATFORM,
        content={"sandbox.syncline.io/mode": "trained"},
    )
    return {
        "outside": "the training pipeline writes the model to the claim",
        "deeds": (trained, _app(Verb.SYNC, "models")),
    }


def _app(verb: Verb, name: str) -> Deed:
    """Return what only Argo CD needs to be told: to let go of an old revision, or to try one again."""
    return Deed(verb=verb, resource="applications.argoproj.io", name=name, namespace=GITOPS, by=Rules.ARGOCD)


def _replaced(message: str, path: str, before: str, after: str) -> Commit:
    return Commit(message=message, files={path: files.tree(HERE)[path].replace(before, after)})


REPAIRS: Final[Mapping[str, Callable[[], dict[str, Any]]]] = {
    "claim": _claim,
    "uri": _uri,
    "credential": _credential,
    "account": _account,
    "runs": _runs,
    "model": _model,
}
