"""One check of a request by a policy of 300 lines, and the same by pycasbin."""

from __future__ import annotations

import fnmatch
import time

import casbin

from bench.rows import Row
from syncline.core.policy.rbac.enforcer import RbacRequest
from syncline.core.policy.rbac.lines import PolicyText
from syncline.core.policy.rbac.rights import PolicySource, Rights
from syncline.model.settings.parts import MatchMode

_TEAMS = 50
_MODEL = """
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


def _policy(regex: bool = False) -> list[str]:
    rest = ".*" if regex else "*"
    lines = []
    for team in range(_TEAMS):
        role = f"role:team-{team}"
        actions = ("get", "sync", "create", "delete")
        lines += [f"p, {role}, applications, {action}, team-{team}/{rest}, allow" for action in actions]
        lines.append(f"p, {role}, applications, sync, team-{team}/vault, deny")
        lines.append(f"g, group-{team}, {role}")
    return lines


def rows() -> list[Row]:
    """Measure a yes after one membership, in both ways to write patterns; processor time of one check."""
    request = RbacRequest("group-33", "applications", "sync", "team-33/shop")
    found = []
    raw = _casbin(request)
    for mode in MatchMode:
        text = "\n".join(_policy(regex=mode is MatchMode.REGEX))
        rights = Rights(PolicySource((PolicyText(text),), "role:readonly", mode)).of_project(None)
        assert rights.decide(request).allowed
        figure = _microseconds(lambda rights=rights: rights.decide(request), 50_000)
        name = f"RBAC check, {mode} (300 lines, default role)"
        found.append(Row(name=name, figure=figure, unit="µs", raw=raw, raw_is="pycasbin", at_most=5))
    return found


def _casbin(request: RbacRequest) -> float:
    model = casbin.Enforcer.new_model(text=_MODEL)
    for line in _policy():
        kind, *fields = line.split(", ")
        model.add_policy(kind, kind, fields)
    enforcer = casbin.Enforcer(model)
    enforcer.build_role_links()
    enforcer.add_function("match", fnmatch.fnmatchcase)
    asked = (request.subject, request.resource, request.action, request.object)
    assert enforcer.enforce(*asked)
    return _microseconds(lambda: enforcer.enforce(*asked), 200)


def _microseconds(call: object, times: int) -> float:
    assert callable(call)
    begin = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - begin) / times * 1e6
