"""Projects that may deliver what decides about rights, so that a push to their repositories is as good as a login."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.policy.admin_projects import deciding_kinds, shown_kinds
from syncline.model import project
from syncline.model.desired import DesiredObject
from syncline.model.errors import InvalidSpec
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="SET-103",
    name="admin-equivalent-project",
    severity=Severity.INFO,
    summary="A project may deliver Applications, projects, Secrets or pods into the control-plane namespace.",
    fix="add a destination that denies the control-plane namespace, unless the project is the administrators' own",
    looks_at=(LooksAt.FILES,),
    why="Whoever may push to a repository of such a project can deliver an Application of any project, a policy, or a "
    "pod that reads argocd-secret, and so has all rights. The default project of a new installation is one.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: shop, namespace: argocd}
spec:
  sourceRepos: ["https://git.example.com/shop.git"]
  destinations:
    - {server: "https://kubernetes.default.svc", namespace: "*"}
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: shop, namespace: argocd}
spec:
  sourceRepos: ["https://git.example.com/shop.git"]
  destinations:
    - {server: "https://kubernetes.default.svc", namespace: "*"}
    - {server: "*", namespace: "!argocd"}
""",
)
_USUAL_NAMESPACE = "argocd"


def _projects(repo: Repo) -> Iterator[tuple[str, DesiredObject]]:
    for item in repo.projects:
        yield item.key.short, item


@RULE.on_each(Repo, _projects)
def check(repo: Repo, item: DesiredObject) -> Iterator[Finding]:
    """Yield a finding about a project through which one gets all rights."""
    try:
        read = project.parse(item.obj)
    except InvalidSpec:
        return
    # A project counts in the control-plane namespace only, so that is where it says it is.
    control = item.key.namespace or repo.installed_in or _USUAL_NAMESPACE
    kinds = deciding_kinds(read, control)
    if not kinds:
        return
    message = f"{item.key.short} is admin-equivalent: it may deliver {shown_kinds(kinds)} into namespace {control}"
    evidence = [at(item, "spec.destinations", "spec.destinations")]
    entry = f'{{server: "*", namespace: "!{control}"}}'
    fix = Fix(text=f"unless only administrators push to its repositories, add {entry} to spec.destinations")
    yield RULE.finding(item.key.short, message, evidence=evidence, fix=fix)
