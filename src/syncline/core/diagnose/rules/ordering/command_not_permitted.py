"""Jobs whose account may not do what their command does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.live.pods import containers, template
from syncline.core.diagnose.repository.pointing import at, dig, entries, words
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="ORD-009",
    name="command-not-permitted",
    severity=Severity.ERROR,
    summary="A Job calls kubectl or oc for a kind that its ServiceAccount may not read or change.",
    fix="add the resource and verb to the ServiceAccount's Role",
    looks_at=(LooksAt.RENDERED,),
    why="The command is refused: the Job fails, or loops until its deadline, and the sync with it.",
    bad="""\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {argocd.argoproj.io/hook: Sync}
spec:
  activeDeadlineSeconds: 600
  template:
    spec:
      restartPolicy: Never
      serviceAccountName: waiter
      containers:
        - name: migrate
          image: example/migrate:1
          command: [kubectl, wait, --for=condition=Ready, pod/web, --timeout=5m]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: waiter}
rules:
  - {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: waiter}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: waiter}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: waiter}
subjects: [{kind: ServiceAccount, name: waiter}]
""",
    good="""\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {argocd.argoproj.io/hook: Sync}
spec:
  activeDeadlineSeconds: 600
  template:
    spec:
      restartPolicy: Never
      serviceAccountName: waiter
      containers:
        - name: migrate
          image: example/migrate:1
          command: [kubectl, wait, --for=condition=Ready, pod/web, --timeout=5m]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: waiter}
rules:
  - {apiGroups: [""], resources: [pods], verbs: [get, list, watch]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: waiter}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: waiter}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: waiter}
subjects: [{kind: ServiceAccount, name: waiter}]
""",
)
_RBAC = "rbac.authorization.k8s.io"
_CALL = re.compile(
    r"(?<![\w/-])(?P<tool>kubectl|oc)\s+(?P<verb>get|wait|delete|create|patch|annotate|label|scale)"
    r"\s+(?:(?:--for|-n|--namespace|-l|--selector|--timeout|-o|-f|--filename|--context)\s+\S+\s+|-\S+\s+)*"
    r"(?P<resource>[A-Za-z][\w.]*(?:/[\w.:-]+)?)"
)
_VERBS = {"wait": "get", "annotate": "patch", "label": "patch", "scale": "patch"}
_SHORT = {
    "po": "pods",
    "svc": "services",
    "deploy": "deployments",
    "cm": "configmaps",
    "ns": "namespaces",
    "sts": "statefulsets",
    "pvc": "persistentvolumeclaims",
    "crd": "customresourcedefinitions",
    "sa": "serviceaccounts",
}
_NOT_RESOURCES = ("secret", "secrets", "all", "for")


@RULE.on_each(Repo, delivered)
def check(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield one finding per resource that a command needs and no role of its account has."""
    delivery, item = one
    if item.key.kind not in ("Job", "CronJob"):
        return
    path, spec = template(item.obj)
    account = str(spec.get("serviceAccountName") or "")
    rules = _rules(repo, item.key.namespace, account) if account else []
    if not rules:
        return
    for place, entry in containers(spec):
        script = " ".join([*words(entry, "command"), *words(entry, "args")])
        for found in _CALL.finditer(script):
            resource, verb = _plural(found["resource"]), _VERBS.get(found["verb"], found["verb"])
            if resource and not any(_permits(rule, resource, verb) for rule in rules):
                message = (
                    f"{item.key.short} of {delivery} calls {found['tool']} {found['verb']} {found['resource']}, and "
                    f"{account} may not {verb} {resource}"
                )
                evidence = [
                    at(item, f"{path}.{place}.command", found[0]),
                    at(item, f"{path}.serviceAccountName", account),
                ]
                fix = Fix(text=f"permit {account} to {verb} {resource}, in its Role")
                yield RULE.finding(item.key.short, message, evidence=evidence, fix=fix)


def _rules(repo: Repo, namespace: str, account: str) -> list[Mapping[str, Any]]:
    """Return the rules of an account, as far as the repository binds any: also of a role that has its name."""
    found: list[Mapping[str, Any]] = []
    bound = {("Role", account)}
    for kind in ("RoleBinding", "ClusterRoleBinding"):
        for _, item in repo.world.by_kind.get(GroupKind(_RBAC, kind), ()):
            subjects = entries(item.obj, "subjects")
            if any(
                one.get("name") == account and (one.get("namespace") or item.key.namespace) == namespace
                for one in subjects
            ):
                bound.add((str(dig(item.obj, "roleRef", "kind")), str(dig(item.obj, "roleRef", "name"))))
    known = True
    for kind, name in bound:
        key = ObjectKey(_RBAC, kind, namespace if kind == "Role" else "", name)
        made = repo.world.objects.get(key, ())
        known = known and (bool(made) or (kind, name) == ("Role", account))
        found += [rule for _, item in made for rule in entries(item.obj, "rules")]
    return found if known else []


def _plural(resource: str) -> str:
    """Return the plural of a resource as people type it; empty for what cannot be told."""
    name = resource.partition("/")[0].partition(".")[0].lower()
    name = _SHORT.get(name, name)
    if not re.fullmatch(r"[a-z]{2,}", name) or name in _NOT_RESOURCES:
        return ""
    return name if name.endswith("s") else f"{name}s"


def _permits(rule: Mapping[str, Any], resource: str, verb: str) -> bool:
    named = words(rule, "resources")
    return ("*" in named or resource in named) and ("*" in words(rule, "verbs") or verb in words(rule, "verbs"))
