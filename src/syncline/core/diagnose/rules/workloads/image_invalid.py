"""Names of images that nothing can be pulled by."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at, dig, entries
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import WORKLOADS, Made, pod_steps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="WKL-114",
    name="image-invalid",
    severity=Severity.ERROR,
    summary="A container has an image whose name is not valid.",
    fix="write registry/path:tag or registry/path@sha256:digest, in lower case apart from the tag",
    looks_at=(LooksAt.RENDERED,),
    why="The API server takes any text, so the sync succeeds; the pod then stays in InvalidImageName. Often a tag that "
    "was set twice, a scheme such as https://, or a value that is empty.",
    bad="""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: example/web:1.0:2
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
      containers:
        - name: web
          image: example/web:1.0
""",
)
_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_WORD = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_HOST = rf"(?:{_WORD}(?:\.{_WORD})*|\[[0-9a-fA-F:]+\])(?::\d+)?"
_NAME = re.compile(
    rf"(?:(?:{_HOST})/)?{_PART}(?:/{_PART})*(?::[\w][\w.-]{{0,127}})?(?:@[A-Za-z][\w+.-]*:[0-9a-fA-F]{{32,}})?"
)


@RULE.on_each(Repo, delivered)
def check(_repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding per container; names that something fills in later are passed over."""
    delivery, item = one
    if item.key.group_kind not in WORKLOADS:
        return
    steps = pod_steps(item.key.kind)
    for field in ("initContainers", "containers"):
        for number, container in enumerate(entries(item.obj, *steps, field)):
            image = dig(container, "image")
            if not isinstance(image, str) or not image or set("${<") & set(image) or _NAME.fullmatch(image):
                continue
            message = f"{item.key.short} of {delivery}: {image!r} is not the name of an image"
            evidence = [at(item, f"{'.'.join(steps)}.{field}[{number}].image", image)]
            yield RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)
