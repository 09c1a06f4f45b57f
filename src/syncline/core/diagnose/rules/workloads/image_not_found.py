"""Images that cannot be pulled: whether it is the tag, the name, the registry or the login, and the line of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.core.diagnose.live.pods import IMAGE_REASONS, FailingContainer, container_path, failing_containers
from syncline.core.diagnose.live.rollouts import Former, former
from syncline.core.diagnose.live.written import rewrite
from syncline.core.diagnose.messages.missing_pull_secrets import missing_pull_secret
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.core.health import events
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-002",
    name="image-not-found",
    severity=Severity.ERROR,
    summary="A container's image cannot be pulled.",
    fix="push the image, or name one that exists",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE, LooksAt.EVENTS),
    why="The container never starts. The kubelet's message distinguishes four cases: the tag does not exist, most "
    "often because it was never pushed or Git was merged before the build finished; the name is wrong; the registry "
    "does not answer; or it requires a login. The finding quotes the message and names the line of the image.",
)
_INVALID = re.compile(r"InvalidImageName|invalid reference format|couldn't parse image")
_LOGIN = re.compile(
    r"unauthorized|authentication required|denied|403 Forbidden|401 Unauthorized|no basic auth", re.IGNORECASE
)
_REGISTRY = re.compile(
    r"no such host|i/o timeout|refused|deadline exceeded|toomanyrequests|TLS|x509|50\d ", re.IGNORECASE
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per workload and container whose image cannot be pulled for another reason than its login."""
    for one in failing_containers(app):
        if one.trouble.reason in IMAGE_REASONS and not missing_pull_secret(app, one):
            yield _finding(app, one)


def _finding(app: App, one: FailingContainer) -> Finding:
    root, container = one.of.root, one.trouble.container
    said = _said(app, one)
    before = former(app, root, container)
    many = f" ({one.pods} pods)" if one.pods > 1 else ""
    return RULE.finding(
        root.short,
        f"{root.short}: image {one.image} of container {container} cannot be pulled: {_case(one.image, said)}{many}",
        evidence=[
            *one.image_line,
            Evidence(kind=EvidenceKind.FIELD, text=said, subject=one.of.key, path=one.trouble.path),
            *(before.evidence(root) if before else ()),
        ],
        confidence=Confidence.OWNED,
        fix=_fix(app, one, said, before),
        options=_options(one, said, before),
    )


def _said(app: App, one: FailingContainer) -> str:
    """Return the words of the container runtime: those of the Event where the state of the container is cut short."""
    state = one.trouble.message
    if ":" in state.replace(one.image, ""):
        return state
    for event in app.assessment.snapshot.events:
        if events.subject(event) == one.of.key and one.image in events.message(event):
            return events.message(event)
    return state or one.trouble.reason


def _case(image: str, said: str) -> str:
    registry, repository, tag = _parts(image)
    if _INVALID.search(said):
        return "it is not a valid image name"
    if _LOGIN.search(said):
        return f"registry {registry} refuses the login, or has no such image for it"
    if _REGISTRY.search(said):
        return f"registry {registry} does not answer"
    return f"tag {tag} is not in {registry}/{repository}"


def _parts(image: str) -> tuple[str, str, str]:
    name, at, digest = image.partition("@")
    first, slash, _rest = name.partition("/")
    has_registry = bool(slash) and ("." in first or ":" in first or first == "localhost")
    registry, path = (first, name[len(first) + 1 :]) if has_registry else ("docker.io", name)
    repository, _colon, tag = path.partition(":")
    return registry, repository, digest if at else tag or "latest"


def _fix(app: App, one: FailingContainer, said: str, before: Former | None) -> Fix:
    registry, _repository, tag = _parts(one.image)
    path = container_path(app, one.of.root, one.trouble.container)
    if _LOGIN.search(said) and not _INVALID.search(said):
        return Fix(text=f"decide: {_login_decision(one.of.pod, registry)}")
    if _REGISTRY.search(said) and not _INVALID.search(said):
        return Fix(text=f"decide: restore the way to {registry}; the image is then pulled automatically")
    if before is not None and path:
        return rewrite(app, one.of.root, f"{path}.image", before.image, remark="the image before")
    where = f" at {one.place}" if one.place else ""
    return Fix(text=f"decide: push tag {tag}, which is then pulled automatically, or name one that exists{where}")


def _options(one: FailingContainer, said: str, before: Former | None) -> list[Fix]:
    if before is None or _LOGIN.search(said) or _REGISTRY.search(said):
        return []
    return [Fix(text=f"push tag {_parts(one.image)[2]}: it is then pulled automatically")]


def _login_decision(pod: dict[str, object], registry: str) -> str:
    spec = pod.get("spec") or {}
    named = [str(entry.get("name")) for entry in (spec.get("imagePullSecrets") or ())] if isinstance(spec, dict) else []
    if not named:
        return f"give the pods an imagePullSecrets entry with a login for {registry}, or use an image that needs none"
    return f"correct the login for {registry} in Secret {', '.join(named)}, or name an image that it may pull"
