"""Charts that look something up in the cluster: there is none where they are rendered."""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncline.core.diagnose.repository.rendered import repo_apps
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.desired import DesiredObject
from syncline.model.errors import Place
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity
from syncline.model.sources import repository_urls

RULE = Rule(
    code="SRC-003",
    name="lookup-without-cluster",
    severity=Severity.WARNING,
    other_severities=frozenset({Severity.INFO}),
    summary="A template calls lookup, which finds nothing when Argo CD renders.",
    fix="set the value in the values, or name an existing object that the workload reads at run time",
    looks_at=(LooksAt.FILES, LooksAt.RENDERED),
    why="A helm install asks the cluster; a render from Git does not, so lookup returns nothing. Values that the "
    "template keeps from an existing object (a password, a certificate, an address) are generated again at every "
    "render, or left out. If the result really changes from render to render, unsteady-render finds the template too.",
    bad="""\
apiVersion: v1
kind: ConfigMap
metadata: {name: zone}
data:
  zone: '{{ (lookup "v1" "ConfigMap" "kube-system" "cluster-info").data.zone | default "none" }}'
""",
    good="""\
apiVersion: v1
kind: ConfigMap
metadata: {name: zone}
data:
  zone: '{{ required "zone" .Values.zone }}'
""",
)
_SAID = "finds nothing here, because no cluster is queried"
_PACKED = re.compile(r"\.tgz/|(?:^|/)charts/[^/]+/templates/")
_CALL = re.compile(r"lookup at (?P<file>\S+):(?P<line>\d+)")


@RULE.on_each(Repo, repo_apps)
def check(repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield one finding per call in a template of the repository; a remark where it is not known to have run.

    A template that made no object is switched off by its values, and charts of others are theirs to change.
    """
    objects = app.desired.objects if app.desired is not None else ()
    made = {item.origin.file for item in objects if _is_own(repo, item)}
    for warning in app.desired.warnings if app.desired is not None and made else ():
        for call in _CALL.finditer(warning) if _SAID in warning else ():
            file, helper = call["file"], call["file"].endswith(".tpl")
            if (file in made or helper) and not _PACKED.search(file):
                yield _finding(Place(file, int(call["line"])), helper=helper)


def _is_own(repo: Repo, item: DesiredObject) -> bool:
    url = item.origin.repo_url
    return not url or not repo.own_addresses or repository_urls.spelling(url) in repo.own_addresses


def _finding(place: Place, *, helper: bool) -> Finding:
    message = f"lookup at {place} finds nothing: rendering does not query a cluster"
    if helper:
        message += "; cannot tell which objects this helper is for"
    return RULE.finding(
        place.file or "",
        message,
        evidence=[Evidence(kind=EvidenceKind.FILE, text="lookup", place=place)],
        fix=RULE.usual_fix,
        severity=Severity.INFO if helper else Severity.WARNING,
    )
