"""Random policies, groups, denials and requests, each put to pycasbin with the model of Argo CD too."""

from __future__ import annotations

import fnmatch
import random
import re
from collections.abc import Callable
from typing import Any

import casbin
import pytest

from syncline.core.policy.rbac.enforcer import RbacRequest
from syncline.core.policy.rbac.lines import PolicyText
from syncline.core.policy.rbac.rights import PolicySource, Rights
from syncline.model.settings.parts import MatchMode

MODEL = """
[request_definition]
r = sub, res, act, obj
[policy_definition]
p = sub, res, act, obj, eft
[role_definition]
g = _, _
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = g(r.sub, p.sub) && match(r.res, p.res) && match(r.act, p.act) && match(r.obj, p.obj)
"""
SUBJECTS = ("alice", "bob", "role:a", "role:b", "role:c", "org:team")
RESOURCES = ("applications", "logs", "exec", "clusters", "projects")
ACTIONS = ("get", "sync", "update", "update/apps/Deployment/ns/web", "action/apps/Deployment/restart", "create")
OBJECTS = ("team/shop", "team/ns/shop", "team/vault", "other/shop", "team", "x")
GLOBS = {
    "resource": (*RESOURCES, "*", "app*", "?ogs"),
    "action": ("get", "sync", "update", "update/*", "*", "action/*/Deployment/*", "??t", "create"),
    "object": ("*", "*/*", "team/*", "team/shop", "*/shop", "t*p", "team/?ault", "other/*", "*/*/*"),
}
EXPRESSIONS = {
    "resource": ("applications", ".*", "^log", "exec|clusters", "s$"),
    "action": ("get", "^up", "sync|create", ".*", "action/[a-z]+/.*", "^get$"),
    "object": (".*", "team/.*", "^team/[a-z]+$", "shop$", "/", "x|vault"),
}


def drawn(random_: random.Random, words: dict[str, tuple[str, ...]]) -> list[list[str]]:
    lines = []
    for _ in range(random_.randint(1, 12)):
        if random_.random() < 0.35:
            lines.append(["g", random_.choice(SUBJECTS), random_.choice(SUBJECTS)])
        else:
            fields = [random_.choice(words[name]) for name in ("resource", "action", "object")]
            effect = random_.choice(("allow", "allow", "deny"))
            lines.append(["p", random_.choice(SUBJECTS), *fields, effect])
    return lines


def judge(lines: list[list[str]], match: Callable[[str, str], bool]) -> Any:
    model = casbin.Enforcer.new_model(text=MODEL)
    for kind, *fields in lines:
        model.add_policy(kind, kind, fields)
    enforcer = casbin.Enforcer(model)
    enforcer.build_role_links()
    enforcer.add_function("match", match)
    return enforcer


@pytest.mark.parametrize("mode", list(MatchMode))
def test_pycasbin_agrees_about_random_policies(mode: MatchMode) -> None:
    words = GLOBS if mode is MatchMode.GLOB else EXPRESSIONS
    match = fnmatch.fnmatchcase if mode is MatchMode.GLOB else (lambda value, pattern: bool(re.search(pattern, value)))
    answers = set()
    for seed in range(60):
        random_ = random.Random(f"{mode}{seed}")
        lines = drawn(random_, words)
        text = "\n".join(", ".join(line) for line in lines)
        ours = Rights(PolicySource((PolicyText(text),), mode=mode), with_builtin=False).of_project(None)
        theirs = judge(lines, match)
        for _ in range(12):
            asked = [random_.choice(values) for values in (SUBJECTS, RESOURCES, ACTIONS, OBJECTS)]
            expected = bool(theirs.enforce(*asked))
            assert ours.decide(RbacRequest(*asked)).allowed is expected, f"seed {seed}: {asked}\n{text}"
            answers.add(expected)
    assert answers == {True, False}
