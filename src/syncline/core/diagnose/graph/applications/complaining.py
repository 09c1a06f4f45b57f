"""What an Application's conditions complain about, by Argo CD's words for it.

Shared by the checks on Applications that cannot be rendered or compared; each tells of one sort alone.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from enum import Enum, auto
from functools import partial

import msgspec

from syncline.apimachinery.keys import GroupKind
from syncline.core.diagnose.graph.applications import apps, refusing
from syncline.core.diagnose.graph.fault import Fault, Node
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.live import delivered
from syncline.core.diagnose.messages import source_fixes, spec_fixes
from syncline.core.diagnose.rule import Rule
from syncline.model import application, names
from syncline.model.diagnosis import Thing
from syncline.model.errors import InvalidSpec, Place
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix

_PROJECT = GroupKind(names.GROUP, "AppProject")


class About(Enum):
    """What a complaint is about."""

    REVISION = auto()
    PATH = auto()
    REPOSITORY = auto()
    PART = auto()
    CLUSTER = auto()
    CONVERSION = auto()
    PERMISSION = auto()
    NAMESPACE = auto()
    SPEC = auto()
    SOURCE = auto()
    COMPARISON = auto()


class Complaint(msgspec.Struct, frozen=True):
    """A condition: what it is about, its words, and since when."""

    about: About
    message: str
    since: str


_WORDS = (
    (About.CONVERSION, re.compile(r"conversion webhook for ")),
    (About.REVISION, re.compile(r"unable to resolve '.*' to a commit SHA|couldn't find remote ref|unknown revision")),
    (
        About.PATH,
        re.compile(r"app path does not exist|no such file or directory|chart .* not found in|file does not exist"),
    ),
    (
        About.PERMISSION,
        re.compile(
            r"is not permitted (in|to use) project|allowed destinations in project"
            r"|do(?:es)? not match any of the allowed"
            r"|referencing project .* which does not exist|not permitted in project"
        ),
    ),
    (About.NAMESPACE, re.compile(r"Namespace for .* is missing\.")),
    (
        About.CLUSTER,
        re.compile(
            r"error synchronizing cache state|failed to get cluster"
            r"|the server has asked for the client to provide credentials"
            r"|failed to sync cluster|cluster \"?[\w:/.-]+\"? (?:has not been configured|not found)"
            r"|there are no clusters with this name|unable to find destination server"
            r"|failed to get server version|Get \"https://[^\"]+/(?:version|api)"
        ),
    ),
    (
        About.PART,
        re.compile(
            r"repo-server|:8081|argocd-redis|redis:|:6379|code = Unavailable|failed to get redis|error dialing|"
            r"connection error: desc"
        ),
    ),
    (
        About.REPOSITORY,
        re.compile(
            r"failed to list refs|repository not (?:found|accessible)|authentication required|Authentication failed"
            r"|could not read Username|ssh: handshake failed|Permission denied \(publickey|could not resolve host"
            r"|no such host|i/o timeout|connection refused|TLS handshake|x509|401 Unauthorized|403 Forbidden"
            r"|https?://\S+ did not answer: "
            r"|failed to fetch .*index\.yaml|looks like .* is not a valid chart repository|error testing repository",
            re.IGNORECASE,
        ),
    ),
)


_FOLDER = re.compile(r"app path does not exist")
_PLACE = re.compile(r"(?:^|[\s(])(?P<file>[\w./-]+\.(?:ya?ml|json|tpl|env|jsonnet|libsonnet)):(?P<line>\d+)")
"""A file and line as Syncline's own conditions name them; Argo CD's have none."""


def complaints(node: Node) -> Iterator[Complaint]:
    """Yield what the conditions of an Application complain about."""
    for kind, message, since in apps.errors(node.obj):
        broad = About.SPEC if kind == "InvalidSpecError" else _broad(message)
        about = next((one for one, words in _WORDS if words.search(message)), broad)
        if kind == "InvalidSpecError" and about not in (About.PERMISSION, About.NAMESPACE, About.CLUSTER):
            about = About.SPEC
        yield Complaint(about, message, since)


def _broad(message: str) -> About:
    tools = (
        r"manifest generation|load target state|error (?:executing|rendering)|helm template|kustomize build|rpc error"
    )
    return About.SOURCE if re.search(tools, message, re.IGNORECASE) else About.COMPARISON


def of_app(rule: Rule, node: Node, about: About, fix: Fix | None = None) -> Iterator[Fault]:
    """Yield a fault of a rule for each complaint of one sort, of which the Application itself is the cause."""
    for one in complaints(node):
        if one.about is about:
            yield Fault(rule=rule, state="Unknown", tell=partial(_finding, rule, node, one, fix))


def _finding(rule: Rule, node: Node, one: Complaint, fix: Fix | None) -> Finding:
    return rule.finding(
        node.key.name,
        f"{node.key.name}: {words(one.message)}",
        evidence=[
            Evidence(kind=EvidenceKind.CONDITION, text=one.message, subject=node.key, path="status.conditions"),
            *_lines(node, one),
        ],
        confidence=Confidence.TEXT,
        fix=fix or told_fix(node, one) or Fix(text=f"decide: {rule.fix}"),
        since=one.since,
    )


def told_fix(node: Node, one: Complaint) -> Fix | None:
    """Return what to do about a source or a spec, as the words tell; None where they do not."""
    try:
        spec = application.parse(node.obj).spec
    except InvalidSpec:
        return None
    change, text = partial(_changed, node), source_fixes.shortened(one.message)[0]
    if one.about in (About.SOURCE, About.PATH, About.REVISION):
        return source_fixes.fix(spec, change, text)
    if one.about in (About.PERMISSION, About.SPEC, About.CLUSTER):
        projects = [key.name for key, _obj in node.fleet.home.of_kind(_PROJECT, node.key.namespace)]
        return spec_fixes.fix(spec, change, projects, text)
    return None


def _changed(node: Node, flag: str, value: str, field: str, remark: str, shown: str) -> Fix:
    """Return the fix that gives a field of an Application another value, where it lasts."""
    if appset := delivered.made_by(node.obj):
        return delivered.in_set(appset, node.key.name, shown or value, field, remark)
    if node.fleet.deliverers(node.thing):
        return rewrite(node.fleet, node.thing, field, shown or value, remark)
    return Fix(text=remark, command=f"syncline app set {node.key.name} {flag} {shlex.quote(value)}")


def _lines(node: Node, one: Complaint) -> Iterator[Evidence]:
    """Yield the line that the words name, and that of the Application which names a revision or path."""
    yield from named_line(node, one)
    if one.about is About.PATH and _FOLDER.search(one.message):
        yield from line(node.fleet, node.thing, "spec.source.path")
    elif one.about in (About.REVISION, About.PATH):
        yield from line(node.fleet, node.thing, "spec.source.targetRevision")


def named_line(node: Node, one: Complaint) -> Iterator[Evidence]:
    """Yield the line that the words of a complaint name."""
    named = _PLACE.search(one.message)
    if named is not None:
        place = Place(named["file"], int(named["line"]))
        yield Evidence(kind=EvidenceKind.FILE, text="", subject=node.key, place=place)


def words(message: str) -> str:
    """Return the words of a complaint without what every one of them begins with."""
    short = source_fixes.shortened(message)[0]
    short = re.sub(r"^Failed to load target state: (?:failed to generate manifest for source \d+ of \d+: )?", "", short)
    return re.sub(r"^rpc error: code = \w+ desc = ", "", short)


def repository(node: Node) -> str:
    """Return the repository of an Application, or the first that a set asks."""
    return next(_repositories(apps.spec(node.obj)), "")


def _repositories(value: object) -> Iterator[str]:
    """Yield the repositories that a spec names, in its order."""
    if isinstance(value, dict):
        if isinstance(url := value.get("repoURL"), str) and url:
            yield url
        for part in value.values():
            yield from _repositories(part)
    elif isinstance(value, list):
        for part in value:
            yield from _repositories(part)


def parts(node: Node, *names: str) -> tuple[Thing, ...]:
    """Return the workloads of Argo CD's own parts on the cluster of the Applications, by the ends of their names."""
    home = node.fleet.home
    found = []
    for kind in refusing.MAKERS[:2]:
        for key, _obj in home.of_kind(kind):
            if key.name.endswith(names) or any(f"{name}-ha" in key.name for name in names):
                found.append(Thing(cluster=home.name, key=key))
    return tuple(found)
