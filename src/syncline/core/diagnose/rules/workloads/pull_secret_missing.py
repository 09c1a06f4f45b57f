"""Images that cannot be pulled because the pull secret that the pod names is not there."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.live import around
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.live.pods import IMAGE_REASONS, FailingContainer, failing_containers, template
from syncline.core.diagnose.live.written import item, line
from syncline.core.diagnose.messages.missing_pull_secrets import missing_pull_secret
from syncline.core.diagnose.repository.dangling import Dangling, dangling
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Repo
from syncline.core.references.pods import SECRET
from syncline.model.finding import Confidence, Finding, Fix, Severity

RULE = Rule(
    code="WKL-003",
    name="pull-secret-missing",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.INFO}),
    summary="A pod names a pull secret that does not exist, and its image cannot be pulled.",
    fix="create the pull secret in the pod's namespace, or correct its name",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE, LooksAt.EVENTS),
    why="Without the login the registry refuses the image, with a message that does not mention the Secret. Pull "
    "secrets must be in the pod's namespace.",
    bad="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      imagePullSecrets: [{name: registry-login}]
      containers:
        - name: web
          image: example/web:1
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: pull}
spec:
  secretStoreRef: {name: vault, kind: ClusterSecretStore}
  target: {name: registry-logins}
---
apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata: {name: vault}
spec: {provider: {fake: {data: []}}}
""",
    good="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      imagePullSecrets: [{name: registry-login}]
      containers:
        - name: web
          image: example/web:1
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: pull}
spec:
  secretStoreRef: {name: vault, kind: ClusterSecretStore}
  target: {name: registry-login}
---
apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata: {name: vault}
spec: {provider: {fake: {data: []}}}
""",
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
    said = f"; {maker[0].short} should create it" if maker else ""
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


@RULE.on(Repo)
def check_repo(repo: Repo) -> Iterator[Finding]:
    """Yield a finding per pull secret that is misspelled, and one remark for those that only a cluster can tell of."""
    unknown: list[Dangling] = []
    for one in dangling(repo, (SECRET,)):
        if "imagePullSecrets" not in one.reference.path:
            continue
        if not one.near:
            unknown.append(one)
            continue
        message = (
            f"{one.item.key.short} of {one.delivery} names the pull secret {one.key.name}; did you mean {one.near}?"
        )
        evidence = [at(one.item, one.reference.path, one.key.name)]
        yield RULE.finding(one.item.key.short, message, evidence=evidence, fix=Fix(text=f"write {one.near}"))
    if unknown:
        shown = listed(sorted({f"{one.key.namespace}/{one.key.name}" for one in unknown}))
        message = f"cannot tell whether the pull secrets {shown} will exist: not created in this repository"
        evidence = [at(one.item, one.reference.path, one.item.key.short) for one in unknown]
        yield RULE.finding("pull secrets", message, evidence=evidence, fix=RULE.usual_fix, severity=Severity.INFO)
