"""Objects that leave their name to the API server, and are applied."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="ORD-104",
    name="generated-name",
    severity=Severity.ERROR,
    summary="An object with generateName is not a hook.",
    fix="give it a name, or make it a hook with argocd.argoproj.io/hook",
    looks_at=(LooksAt.RENDERED,),
    why="Only hooks are created; everything else is applied, which needs a name, so the sync fails. Argo CD could not "
    "find such an object again either.",
    bad="""\
apiVersion: batch/v1
kind: Job
metadata:
  generateName: notify-
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: notify, image: "example/notify:1"}]
""",
    good="""\
apiVersion: batch/v1
kind: Job
metadata:
  generateName: notify-
  annotations: {argocd.argoproj.io/hook: PostSync}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: notify, image: "example/notify:1"}]
""",
)


@RULE.on_each(Repo, delivered)
def check(_repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding about an object without a name that is not a hook."""
    delivery, item = one
    written = meta.metadata(item.obj)
    if written.get("name") or not written.get("generateName") or item.hook_types:
        return
    message = f"a {item.key.kind} of {delivery} has generateName {written['generateName']} and is not a hook"
    evidence = [at(item, "metadata.generateName", str(written["generateName"]))]
    yield RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)
