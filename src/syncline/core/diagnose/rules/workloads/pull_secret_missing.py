"""Images that cannot be pulled because the pull secret that the pod names is not there."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose import around
from syncline.core.diagnose.missing_pull_secrets import missing_pull_secret
from syncline.core.diagnose.pods import IMAGE_REASONS, FailingContainer, failing_containers, template
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.core.diagnose.written import item, line
from syncline.model.finding import Confidence, Finding, Fix, Severity

RULE = Rule(
    code="WKL-003",
    name="pull-secret-missing",
    severity=Severity.ERROR,
    summary="A pod names a pull secret that does not exist, and its image cannot be pulled.",
    fix="create the pull secret in the namespace of the pod, or correct its name",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE, LooksAt.EVENTS),
    why="Without the login the registry refuses the image, in words that say nothing of the Secret. Pull secrets have "
    "to be in the namespace of the pod.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per workload whose pull secret is missing."""
    told: set[tuple[ObjectKey, str]] = set()
    for one in failing_containers(app):
        name = missing_pull_secret(app, one) if one.trouble.reason in IMAGE_REASONS else ""
        if name and (one.of.root, name) not in told:
            told.add((one.of.root, name))
            yield _finding(app, one, name)


def _finding(app: App, one: FailingContainer, name: str) -> Finding:
    root, namespace = one.of.root, one.of.key.namespace
    registry = one.image.partition("/")[0]
    maker = next(around.makers(app, ObjectKey("", "Secret", namespace, name)), None)
    said = f"; {maker[0].short} should make it" if maker else ""
    command = (
        f"kubectl create secret docker-registry {name} -n {namespace} --docker-server={registry}"
        " --docker-username=USER --docker-password=PASSWORD"
    )
    return RULE.finding(
        root.short,
        f"{root.short}: pull secret {name} does not exist in namespace {namespace}, "
        f"so image {one.image} cannot be pulled{said}",
        evidence=[*line(app, root, _path(app, root, name), f"imagePullSecrets: {name}"), *one.evidence[:1]],
        confidence=Confidence.OWNED,
        fix=None if maker else Fix(text="with the login of the registry", command=command),
        effect_of=maker[0].short if maker else "",
    )


def _path(app: App, root: ObjectKey, name: str) -> str:
    found = item(app, root)
    base, spec = template(found.obj) if found is not None else ("spec", {})
    for index, entry in enumerate(spec.get("imagePullSecrets") or ()):
        if entry.get("name") == name:
            return f"{base}.imagePullSecrets[{index}].name"
    return base
