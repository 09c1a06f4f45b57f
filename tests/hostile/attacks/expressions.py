"""N1: jq of ignoreDifferences that never ends, eats memory or looks around; and expressions in settings of an app."""

from __future__ import annotations

from tests.hostile.attack import Attack
from tests.hostile.installation import config


def _jq(name: str, expression: str) -> Attack:
    """Return an Application with a live object for the expression to run on; it is delivered, the rule is not kept."""
    rule = {"group": "", "kind": "ConfigMap", "jqPathExpressions": [expression]}
    return Attack(
        f"n1-{name}", "", {"good.yaml": config("good", a="b")}, spec={"ignoreDifferences": [rule]}, written=True
    )


def _pointer(name: str, pointer: str) -> Attack:
    rule = {"group": "", "kind": "ConfigMap", "jsonPointers": [pointer]}
    return Attack(
        f"n1-{name}", "", {"good.yaml": config("good", a="b")}, spec={"ignoreDifferences": [rule]}, written=True
    )


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
