"""Hooks that wait for something without a limit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.core.diagnose.live.pods import containers, template
from syncline.core.diagnose.repository.pointing import at, dig, words
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="ORD-008",
    name="hook-without-end",
    severity=Severity.WARNING,
    summary="A hook loops until a condition is true and has no deadline.",
    fix="set spec.activeDeadlineSeconds on the Job, and limit the attempts",
    looks_at=(LooksAt.RENDERED,),
    why="The sync waits for the hook without a time limit: no newer commit is synced until someone terminates it.",
    bad="""\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {argocd.argoproj.io/hook: PreSync}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: example/migrate:1
          command: [sh, -c, "until curl -s http://api; do sleep 2; done"]
""",
    good="""\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {argocd.argoproj.io/hook: PreSync}
spec:
  activeDeadlineSeconds: 600
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: example/migrate:1
          command: [sh, -c, "until curl -s http://api; do sleep 2; done"]
""",
)
_LOOP = re.compile(r"\b(?:until|while)\b")
_BOUND = re.compile(r"timeout |-ge |-gt |-lt |-le |\(\(|exit 1|break")
_COUNTED = re.compile(r"\[\s*[\"']?\$\{?(\w+)\}?[\"']?\s+-(?:ge|gt|lt|le)")


@RULE.on_each(Repo, delivered)
def check(_repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding about a hook Job that may run for ever."""
    delivery, item = one
    if not item.is_hook or item.key.kind != "Job" or dig(item.obj, "spec", "activeDeadlineSeconds"):
        return
    path, spec = template(item.obj)
    if spec.get("activeDeadlineSeconds"):
        return
    for place, entry in containers(spec):
        script = " ".join([*words(entry, "command"), *words(entry, "args")])
        unset = _unset(script)
        if _LOOP.search(script) and (unset or not _BOUND.search(script)):
            because = f"${unset} is never set" if unset else "nothing ends it"
            message = f"{item.key.short} of {delivery} loops in {entry.get('name')} and has no deadline: {because}"
            field = "args" if entry.get("args") else "command"
            evidence = [at(item, f"{path}.{place}.{field}", str(entry.get("name")))]
            yield RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)


def _unset(script: str) -> str:
    """Return a variable that a bound is made of and that the script never sets."""
    for name in _COUNTED.findall(script):
        if not re.search(rf"(?:^|[\s;(]){name}=|for {name} in|read [^\n;]*{name}", script):
            return str(name)
    return ""
