"""Images that are built in the cluster itself, and pulled before anybody waits for the build."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery import meta
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.graph.workloads.builds import makes
from syncline.core.diagnose.live.pods import containers, template
from syncline.core.diagnose.repository.pointing import at, dig
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="ORD-015",
    name="image-before-build",
    severity=Severity.WARNING,
    summary="An image is built in the cluster, and its users do not wait for the build.",
    fix="put a Job that waits for the image between the build and its users, or start pods with an image trigger",
    looks_at=(LooksAt.RENDERED,),
    why="A build is Synced as soon as it is declared; the image comes later, or never. Until then pods are in "
    "ErrImagePull, Jobs use up their retries, and an app that waits for them is Degraded.",
    bad="""\
apiVersion: build.openshift.io/v1
kind: BuildConfig
metadata: {name: web, namespace: shop}
spec:
  output: {to: {kind: ImageStreamTag, name: "web:latest"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, annotations: {argocd.argoproj.io/sync-wave: "1"}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: image-registry.openshift-image-registry.svc:5000/shop/web:latest
""",
    good="""\
apiVersion: build.openshift.io/v1
kind: BuildConfig
metadata: {name: web, namespace: shop}
spec:
  output: {to: {kind: ImageStreamTag, name: "web:latest"}}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  annotations:
    image.openshift.io/triggers: '[{"from":{"kind":"ImageStreamTag","name":"web:latest"},"fieldPath":"…"}]'
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: image-registry.openshift-image-registry.svc:5000/shop/web:latest
""",
)
_BUILDS = ("build.openshift.io", "image.openshift.io", "shipwright.io", "kpack.io", "tekton.dev")
_TRIGGERS = "image.openshift.io/triggers"
_DESTINATION = "--destination"


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per object that uses an image which a build of the same root makes."""
    builders = [made for made in _all(repo) if _outputs(made[1].obj) or _is_config(made[1])]
    if not builders:
        return
    waiters = [made for made in _all(repo) if made[1].key.kind == "Job"]
    for user in _all(repo):
        if user[1].key.group in _BUILDS or _TRIGGERS in meta.annotations(user[1].obj):
            continue
        for path, image in _images(user[1].obj.get("spec"), "spec"):
            builder = next((one for one in builders if one[1] is not user[1] and _is_built(one, user, image)), None)
            if builder is not None and not _waited(builder, user, waiters, image):
                yield _finding(builder, user, path, image)
                break


def _finding(builder: Made, user: Made, path: str, image: str) -> Finding:
    what, by = user[1].key.short, builder[1].key.short
    return RULE.finding(
        what,
        f"{what} of {user[0]} uses {image}, which {by} of {builder[0]} builds in the cluster, and nothing waits for it",
        evidence=[at(user[1], path, image), at(builder[1], "spec.output", by)],
        fix=Fix(text=f"put a Job that waits for {image.rpartition('/')[2]} in a wave between {by} and {what}"),
    )


def _all(repo: Repo) -> Iterator[Made]:
    for delivery in repo.world.deliveries:
        for item in delivery.items:
            yield delivery, item


def _is_config(item: Prepared) -> bool:
    return (item.key.group, item.key.kind) == ("build.openshift.io", "BuildConfig")


def _outputs(obj: dict[str, Any]) -> list[str]:
    """Return the images that an object says it builds and pushes."""
    group = str(obj.get("apiVersion") or "").partition("/")[0]
    if group == "shipwright.io":
        return [str(found) for found in [dig(obj, "spec", "output", "image")] if found]
    if group == "kpack.io":
        return [str(found) for found in [dig(obj, "spec", "tag")] if found]
    _, spec = template(obj) if obj.get("kind") in ("Job", "Pod") else ("", {})
    words = [str(word) for _, entry in containers(spec) for word in entry.get("args") or () if isinstance(word, str)]
    pairs = zip(words, [*words[1:], ""], strict=False)
    return [
        following if word == _DESTINATION else word.partition("=")[2]
        for word, following in pairs
        if word == _DESTINATION or word.startswith(f"{_DESTINATION}=")
    ]


def _is_built(builder: Made, user: Made, image: str) -> bool:
    delivery, item = builder
    roots = delivery.app.roots or ("",)
    if delivery.cluster != user[0].cluster or not set(roots) & set(user[0].app.roots or ("",)):
        return False
    if _is_config(item):
        return makes(item.obj, item.key.namespace, image)
    return image in _outputs(item.obj)


def _waited(builder: Made, user: Made, waiters: list[Made], image: str) -> bool:
    """Whether something that ends only with the image stands between its build and its user."""
    if builder[0] is not user[0]:
        # Between apps the order is another's business: any Job that asks for the image is taken as the wait.
        return any(_asks(item, image) for _, item in waiters)
    first, last = builder[1].wave, user[1].wave
    if builder[1].key.kind in ("Job", "Pod"):
        return first < last
    jobs = [item for delivery, item in waiters if delivery is builder[0] and _asks(item, image)]
    return any(first <= item.wave < last for item in jobs)


def _asks(item: Prepared, image: str) -> bool:
    _, spec = template(item.obj)
    name = image.rpartition("/")[2].partition(":")[0]
    return any(name in f"{entry.get('command')} {entry.get('args')}" for _, entry in containers(spec))


def _images(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield the texts below a field that look like images, each with its path."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _images(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _images(inner, f"{path}[{index}]")
    elif isinstance(value, str) and "/" in value and " " not in value and path.lower().endswith("image"):
        yield path, value
