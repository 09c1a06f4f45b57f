"""Objects for a namespace that nobody has made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.apimachinery.nearest import nearest
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live import around
from syncline.core.diagnose.live.around import plural
from syncline.core.diagnose.live.delivered import by_application
from syncline.core.diagnose.live.written import item, line, rewrite, value
from syncline.core.diagnose.messages.refusals import NO_NAMESPACE, refusals, sync_again
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.world import Delivery, is_given
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App, Repo
from syncline.model.finding import Evidence, Finding, Fix, Severity

RULE = Rule(
    code="APP-008",
    name="namespace-absent",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.INFO}),
    summary="Objects belong in a namespace that does not exist, and nothing creates it.",
    fix="create the namespace, or name one that exists",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    tells=Tells.REFUSAL,
    why="CreateNamespace=true creates only the destination namespace. Any other namespace must come from a Namespace "
    "among the manifests, or be created elsewhere.",
    bad="""\
metadata: {name: web, namespace: shopp}
""",
    good="""\
metadata: {name: web, namespace: shop}
""",
)
_NAMESPACE = GroupKind("", "Namespace")


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per namespace that is not there, with the objects that are for it."""
    missing: dict[str, list[ObjectKey]] = {}
    for one in refusals(app):
        if one.by_sync and (found := NO_NAMESPACE.search(one.message)):
            missing.setdefault(found["name"], []).append(one.key)
    for name, keys in missing.items():
        subject = around.listed([key.short for key in keys])
        yield RULE.finding(
            subject,
            f"{subject}: namespace {name} does not exist",
            evidence=[found for key in keys for found in _line(app, key)],
            fix=_fix(app, name, keys),
            options=[Fix(command=_and_sync(app, f"kubectl create namespace {name}"))],
        )


def _line(app: App, key: ObjectKey) -> Iterator[Evidence]:
    yield from line(app, key, "metadata.namespace" if _names_it(app, key) else "", "")


def _names_it(app: App, key: ObjectKey) -> bool:
    found = item(app, key)
    return found is not None and "metadata.namespace" in found.origin.positions.paths


def _fix(app: App, name: str, keys: list[ObjectKey]) -> Fix:
    own = app.assessment.app.spec.destination.namespace
    if name == own:
        return by_application(app, "--sync-option", "CreateNamespace=true", "spec.syncPolicy.syncOptions", "")
    known = [key.name for key, _obj in around.of_kind(app, _NAMESPACE)]
    near = nearest(name, known)
    if near and len(keys) == 1 and value(app, keys[0], "metadata.namespace") == name:
        return rewrite(app, keys[0], "metadata.namespace", near[0])
    return Fix(text=f"decide: add Namespace {name} to the manifests, or write a namespace that exists")


def _and_sync(app: App, command: str) -> str:
    again = sync_again(app)
    return f"{command} && {again}" if again else command


@RULE.on(Repo)
def check_repo(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per namespace that a cluster does not have and nothing here makes, where facts tell."""
    wanted: dict[tuple[str, str], list[tuple[Delivery, Prepared]]] = defaultdict(list)
    for delivery in repo.world.deliveries:
        for found in delivery.items:
            if found.key.namespace and not is_given(found.key.namespace):
                wanted[delivery.cluster, found.key.namespace].append((delivery, found))
    made = sorted(key.name for key in repo.world.objects if key.group_kind == _NAMESPACE)
    known = repo.world.made_namespaces | {app.manifest.key.namespace for app in repo.apps}
    for (cluster, namespace), users in sorted(wanted.items()):
        facts = repo.world.facts(cluster)
        if facts is None:
            if len(made) >= _MANAGES and namespace not in known:
                yield _cannot_tell(made, namespace, users)
            continue
        if not facts.namespaces or namespace in facts.namespaces | repo.world.made_namespaces:
            continue
        near = nearest(namespace, sorted(facts.namespaces | repo.world.made_namespaces))
        meant = f"; {near[0]} is there" if near else ""
        message = (
            f"{plural(len(users), 'object')} for namespace {namespace}, which {facts.name} does not have and nothing "
            f"here creates{meant}"
        )
        evidence = [at(one, "metadata.namespace", f"{one.key.short} of {delivery}") for delivery, one in users]
        severity = Severity.INFO if facts.stale else Severity.ERROR
        yield RULE.finding(namespace, message, evidence=evidence, fix=RULE.usual_fix, severity=severity)


_MANAGES = 2
"""How many namespaces a repository makes that makes all it needs; one that makes none leaves them to others."""


def _cannot_tell(made: list[str], namespace: str, users: list[tuple[Delivery, Prepared]]) -> Finding:
    """Return a remark about a namespace that is not among those which the repository makes."""
    message = (
        f"cannot tell whether namespace {namespace} will exist, for {plural(len(users), 'object')}: this repository "
        f"creates {around.listed(made)}"
    )
    evidence = [
        at(one, "metadata.namespace", f"{one.key.short} of {delivery}")
        if "metadata.namespace" in one.origin.positions.paths
        else at(delivery.app.manifest, "spec.destination.namespace", str(delivery))
        for delivery, one in users
    ]
    fix = Fix(text=f"add Namespace {namespace}, or CreateNamespace=true to the Application")
    return RULE.finding(namespace, message, evidence=evidence, fix=fix, severity=Severity.INFO)
