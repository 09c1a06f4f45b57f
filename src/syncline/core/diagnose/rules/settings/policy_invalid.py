"""Policies that cannot be read, or that allow nothing."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind
from syncline.core.diagnose.repository.pointing import at
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.policy import project_form
from syncline.core.policy.rbac import check as policies
from syncline.core.policy.rbac.lines import PolicyText
from syncline.core.policy.rbac.rights import PolicySource
from syncline.model import project
from syncline.model.desired import DesiredObject
from syncline.model.errors import InvalidSpec, Place
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.settings.parts import MatchMode

RULE = Rule(
    code="SET-102",
    name="policy-invalid",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.WARNING}),
    summary="A line of policy cannot be read, or names a resource, an action or a role that does not exist.",
    fix="write p, SUBJECT, RESOURCE, ACTION, OBJECT, allow|deny or g, USER-OR-GROUP, ROLE",
    looks_at=(LooksAt.FILES, LooksAt.SETTINGS),
    why="With a line in argocd-rbac-cm that cannot be read, Argo CD denies everybody everything; one in a project "
    "makes none of its roles count. A line about an unknown resource is taken, and allows nothing.",
    bad="""\
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: shop, namespace: argocd}
spec:
  sourceRepos: ["https://git.example.com/*"]
  destinations: [{server: "https://kubernetes.default.svc", namespace: shop}]
  roles:
    - name: deployer
      policies:
        - p, proj:shop:deploy, applications, sync, shop/*, allow
""",
    good="""\
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: shop, namespace: argocd}
spec:
  sourceRepos: ["https://git.example.com/*"]
  destinations: [{server: "https://kubernetes.default.svc", namespace: shop}]
  roles:
    - name: deployer
      policies:
        - p, proj:shop:deployer, applications, sync, shop/*, allow
""",
)
_CONFIG_MAP = GroupKind("", "ConfigMap")
_NAME = "argocd-rbac-cm"


def _projects(repo: Repo) -> Iterator[tuple[str, DesiredObject]]:
    for item in repo.projects:
        yield item.key.short, item


@RULE.on_each(Repo, _projects)
def check(_repo: Repo, item: DesiredObject) -> Iterator[Finding]:
    """Yield one finding per policy of a role that Argo CD's server would refuse."""
    try:
        read = project.parse(item.obj)
    except InvalidSpec:
        return
    for number, role in enumerate(read.spec.roles):
        for index, policy in enumerate(role.policies):
            if problem := project_form.policy_problem(item.key.name, role.name, policy):
                evidence = [at(item, f"spec.roles[{number}].policies[{index}]", policy)]
                message = f"{item.key.short}: policy '{policy}' of role {role.name}: {problem}"
                yield RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)


@RULE.on(Repo)
def check_settings(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per line of the policies of an installation."""
    for made in repo.world.by_kind.get(_CONFIG_MAP, ()):
        if made[1].key.name == _NAME:
            yield from _of_settings(repo, made)


def _of_settings(repo: Repo, made: Made) -> Iterator[Finding]:
    item = made[1]
    data = item.obj.get("data")
    if not isinstance(data, dict) or str(data.get("policy.matchMode") or "glob") not in ("glob", "regex"):
        return
    named = [name for name in data if str(name).startswith("policy.") and str(name).endswith(".csv")]
    texts = tuple(PolicyText(str(data[name]), name=str(name)) for name in sorted(named))
    mode = MatchMode.REGEX if data.get("policy.matchMode") == "regex" else MatchMode.GLOB
    for problem in policies.problems(PolicySource(texts, str(data.get("policy.default") or ""), mode)):
        place = _line(repo, item.origin.place().file, str(problem.place), texts) or item.origin.place()
        evidence = [Evidence(kind=EvidenceKind.FILE, text=problem.place, place=place)]
        fix = Fix(text=problem.hint) if problem.hint else RULE.usual_fix
        severity = Severity.ERROR if problem.fatal else Severity.WARNING
        message = f"{_NAME}: {problem.message}"
        yield RULE.finding(_NAME, message, evidence=evidence, fix=fix, severity=severity)


def _line(repo: Repo, file: str, told: str, texts: tuple[PolicyText, ...]) -> Place | None:
    """Return where a line of policy stands: by its text, since what is inside of a value has no place of its own."""
    name, _, number = told.rpartition(":")
    text = next((one.text for one in texts if one.name == name), "")
    lines = text.split("\n")
    wanted = lines[int(number) - 1].strip() if number.isdigit() and 0 < int(number) <= len(lines) else ""
    written = repo.files.get(file, b"").decode(errors="replace").splitlines()
    at_line = next((count for count, line in enumerate(written, start=1) if wanted and wanted in line), 0)
    return Place(file, at_line) if at_line else None
