"""A Git or chart repository does not answer, or refuses the login: one cause for all apps and sets that read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph.applications import complaining
from syncline.core.diagnose.graph.applications.complaining import About, Complaint
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION, APPLICATION_SET
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.logins import without_logins

RULE = Rule(
    code="SRC-201",
    name="repository-unreachable",
    severity=Severity.ERROR,
    summary="A repository does not answer, or refuses the login, so none of its Applications can be compared.",
    fix="make the repository reachable from the cluster, or renew its login",
    looks_at=(LooksAt.LIVE,),
    why="Applications keep what they have delivered, but new commits do not arrive. All Applications of the repository "
    "are affected; if several repositories of one host are, the host is the cause.",
)
_LOGIN = re.compile(
    r"authentication|Authentication|could not read Username|publickey|handshake failed|401|403|not found|not accessible"
)
_ASKED = re.compile(r"(?P<url>https?://\S+) did not answer: ")
"""What was asked, where the words name it: an app with several sources has several repositories."""
_HOST = re.compile(r"^(?:\w+://)?(?:[^@/]*@)?(?P<host>[^/:]+)")


@on_node(RULE, APPLICATION, APPLICATION_SET)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each complaint about the repository: of its host where nothing of that answers."""
    for one in complaining.complaints(node):
        if one.about is not About.REPOSITORY:
            continue
        asked = _ASKED.search(one.message)
        url = without_logins(asked["url"] if asked else complaining.repository(node))
        refused = bool(_LOGIN.search(one.message))
        host = _HOST.match(url)
        name = url if refused or host is None else host["host"]
        cause = Thing(cluster=node.fleet.home.name, outside="repository", name=name)
        tell = partial(_finding, node, one, name, refused=refused)
        yield Fault(rule=RULE, state="Unknown", because=complaining.parts(node, "repo-server"), cause=cause, tell=tell)


def _finding(node: Node, one: Complaint, name: str, *, refused: bool) -> Finding:
    problem = "refuses the login, or does not exist" if refused else "does not answer"
    advice = "renew its login in the repository's Secret" if refused else "repair the way from the cluster to it"
    return RULE.finding(
        name,
        f"{name} {problem}: {complaining.words(one.message)}",
        evidence=[Evidence(kind=EvidenceKind.CONDITION, text=one.message, subject=node.key, path="status.conditions")],
        confidence=Confidence.TEXT,
        fix=Fix(text=f"decide: {advice}; it was not checked from here"),
        since=one.since,
    )
