"""N1: jq of ignoreDifferences that never ends, eats memory or looks around; and expressions in settings of an app."""

from __future__ import annotations

from tests.hostile.attack import Attack
from tests.hostile.installation import config


def _rule(name: str, **rule: list[str]) -> Attack:
    """Return an Application with a live object for the rule to run on; it is delivered, the rule is not kept."""
    ignored = {"group": "", "kind": "ConfigMap", **rule}
    return Attack(
        f"n1-{name}",
        "",
        {"good.yaml": config(f"good-{name}", a="b")},
        spec={"ignoreDifferences": [ignored]},
        place="team-a-expressions",
        written=True,
    )


def _jq(name: str, expression: str) -> Attack:
    return _rule(name, jqPathExpressions=[expression])


def _pointer(name: str, pointer: str) -> Attack:
    return _rule(name, jsonPointers=[pointer])


ATTACKS = (
    _jq("endless", "def f: f|f; f"),
    _jq("range", "[range(1e9)]"),
    _jq("text", '"x" * 1e9'),
    _jq("input", "input"),
    _jq("env", ".data[env.CANARY]"),
    _jq("env-object", "$ENV | tostring"),
    _jq("file", 'import "/etc/passwd" as $x; $x'),
    _jq("include", 'include "/etc/passwd"; .'),
    _jq("recursion", "def f(x): f(f(x)); f(.)"),
    _jq("regex", '.data.a | test("(a*)*b")'),
    _pointer("deep", "/data" * 3000),
    _pointer("escape", "/data/~2/~"),
)
