"""Random policies and requests, with odd globs and expressions, put to Casbin and gobwas/glob as Argo CD uses them."""

from __future__ import annotations

import json
import os
import pathlib
import random
import shutil
import subprocess
from typing import Any

import pytest

from syncline.core.policy.rbac.enforcer import RbacRequest
from syncline.core.policy.rbac.lines import PolicyText
from syncline.core.policy.rbac.rights import PolicySource, Rights
from syncline.model.settings.parts import MatchMode

pytestmark = pytest.mark.argocd

SUBJECTS = ("alice", "role:a", "role:b")
RESOURCES = ("applications", "logs")
ACTIONS = ("get", "update/apps/Deployment/ns/web", "action/apps/Deployment/restart")
OBJECTS = ("team/shop", "team/ns/shop", "other/shop", "team", "a-b", "[x]", "a,b", "{a", "a^b", "t/é")
GLOB_PARTS = (
    *("*", "**", "?", "a", "t", "eam", "/", "shop", "[a-z]", "[!a-z]", "[abc-]", "[^a]", "{a,b}", "{team,x*}"),
    *("[a-z0-9]", "[", "{", "}", "]", ",", "\\*", "\\", "-", "x", "é"),
)
EXPRESSION_PARTS = (
    *(".*", ".", "a", "t", "eam", "/", "shop", "[a-z]+", "^", "$", "(a|t)", "(?:x)", "(", "+", "?", r"\w", r"\b"),
    *("{2}", "[^/]*", "(?i)T", r"\pL"),
)


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    if shutil.which("go") is None:
        pytest.fail("Go is missing: the judge is built with it; install Go and put `go` on PATH")
    program = tmp_path_factory.mktemp("judge") / "permissions"
    folder = pathlib.Path(__file__).parent / "permissions"
    environment = os.environ | {"GOFLAGS": "-mod=readonly", "GOWORK": "off"}
    subprocess.run(["go", "build", "-o", str(program), "."], cwd=folder, env=environment, check=True)
    return program


def jobs(seed: int, count: int) -> list[dict[str, Any]]:
    found, chance = [], random.Random(seed)
    for number in range(count):
        regex = number % 2 == 1
        anything = ".*" if regex else "*"
        parts = EXPRESSION_PARTS if regex else GLOB_PARTS
        policy = []
        for _ in range(chance.randint(1, 8)):
            if chance.random() < 0.3:
                policy.append(f"g, {chance.choice(SUBJECTS)}, {chance.choice(SUBJECTS)}")
                continue
            drawn = "".join(chance.choice(parts) for _ in range(chance.randint(1, 5)))
            fields = [
                chance.choice([chance.choice(RESOURCES), anything]),
                chance.choice([chance.choice(ACTIONS), anything, drawn]),
                chance.choice([drawn, drawn, chance.choice(OBJECTS), anything]),
            ]
            quoted = ", ".join(f'"{field}"' for field in fields)
            effect = chance.choice(("allow", "allow", "allow", "deny", "perhaps"))
            policy.append(f"p, {chance.choice(SUBJECTS)}, {quoted}, {effect}")
        asked = [[chance.choice(words) for words in (SUBJECTS, RESOURCES, ACTIONS, OBJECTS)] for _ in range(20)]
        found.append({"Policy": "\n".join(policy), "Regex": regex, "Requests": asked})
    return found


def test_casbin_and_its_globs_agree_about_random_policies(judge: pathlib.Path) -> None:
    given = jobs(seed=11, count=2000)
    lines = "\n".join(map(json.dumps, given))
    told = subprocess.run([str(judge)], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    different, allowed = [], 0
    for job, answers in zip(given, map(json.loads, told), strict=True):
        mode = MatchMode.REGEX if job["Regex"] else MatchMode.GLOB
        source = PolicySource((PolicyText(job["Policy"]),), mode=mode)
        ours = Rights(source, with_builtin=False).of_project(None)
        for asked, expected in zip(job["Requests"], answers, strict=True):
            allowed += expected
            if ours.decide(RbacRequest(*asked)).allowed is not expected:
                different.append(f"{asked} is {expected} by {mode}:\n{job['Policy']}")
    assert not different, "\n\n".join(different[:5])
    assert allowed > 2000
