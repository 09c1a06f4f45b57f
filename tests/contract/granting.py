"""Stories about who may grant what: roles and bindings beyond one's own rights, and the roles every cluster has."""

from __future__ import annotations

from typing import Any

from tests.contract.config import NAMESPACE
from tests.contract.steps import Step, Story, delete, get, merge, obj, post, put

RBAC = "/apis/rbac.authorization.k8s.io/v1"
ROLES = f"{RBAC}/clusterroles"
BINDINGS = f"{RBAC}/clusterrolebindings"
GROUP = "rbac.authorization.k8s.io"
EVE = "trial-eve"
ZOE = "trial-zoe"
ALL = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}


def rule(groups: list[str], resources: list[str], verbs: list[str], *names: str) -> dict[str, Any]:
    named = {"resourceNames": list(names)} if names else {}
    return {"apiGroups": groups, "resources": resources, "verbs": verbs, **named}


MADE = ('"creationTimestamp"',)
"""In the answer once a real server has taken notice of the rights that an earlier step gave."""


def role(name: str, *rules: dict[str, Any], user: str = EVE, until: tuple[str, ...] = (), **rest: Any) -> Step:
    return post(ROLES, obj(f"trial-{name}", rules=list(rules), **rest), user=user, until=until)


def reference(name: str) -> dict[str, str]:
    return {"apiGroup": GROUP, "kind": "ClusterRole", "name": name}


def binding(name: str, to: str, *, user: str = EVE, bound: str = "trial-bob", until: tuple[str, ...] = ()) -> Step:
    subject = {"kind": "User", "name": bound, "apiGroup": GROUP}
    return post(BINDINGS, obj(f"trial-{name}", roleRef=reference(to), subjects=[subject]), user=user, until=until)


HELD = (
    rule([""], ["pods"], ["get", "list"]),
    rule([GROUP], ["*"], ["get", "list", "create", "update", "patch"]),
    {"nonResourceURLs": ["/healthz", "/x/*"], "verbs": ["get"]},
    rule([""], ["configmaps"], ["get"], "a"),
)
ESCALATING = (
    rule([GROUP], ["clusterroles"], ["create", "escalate", "bind"]),
    rule([GROUP], ["clusterrolebindings"], ["create"]),
)
ESCALATION = Story(
    "escalation",
    (
        NAMESPACE,
        role("eve", *HELD, user=""),
        binding("eve", "trial-eve", user="", bound=EVE),
        role("own", rule([""], ["pods"], ["get"]), until=MADE),
        role("more", rule([""], ["pods", "secrets"], ["get", "watch"])),
        role("more", rule(["", "apps"], ["pods", "pods/log"], ["get"], "x", "y")),
        role("more", {"nonResourceURLs": ["/x/y", "/z", "/healthz"], "verbs": ["get", "post"]}),
        role("more", rule([""], ["configmaps"], ["get", "list"], "a")),
        role(
            "more", rule([""], ["secrets"], ["get"]), rule(["apps"], ["*"], ["get"]), rule([""], ["secrets"], ["get"])
        ),
        role("more", ALL),
        role("more", aggregationRule={"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}),
        role("more", rule([""], [], ["get"])),
        post(f"{RBAC}/namespaces/trial/roles", obj("r", rules=[rule([""], ["secrets"], ["get"])]), user=EVE),
        post(f"{RBAC}/namespaces/trial/roles", obj("r", rules=[rule([""], ["pods"], ["get"])]), user=EVE),
        put(f"{ROLES}/trial-own", obj("trial-own", rules=[ALL]), user=EVE),
        merge(f"{ROLES}/trial-own", {"rules": [rule(["apps"], ["deployments"], ["get"])]}, user=EVE),
        merge(f"{ROLES}/cluster-admin?dryRun=All", {"metadata": {"labels": {"q": "r"}}}, user=EVE),
        binding("bound", "trial-eve", until=MADE),
        binding("more", "cluster-admin"),
        binding("more", "system:aggregate-to-view"),
        binding("more", "trial-nobody"),
        merge(f"{BINDINGS}/cluster-admin?dryRun=All", {"subjects": []}, user=EVE),
        post(f"{RBAC}/namespaces/trial/rolebindings", obj("b", roleRef=reference("cluster-admin")), user=EVE),
        post(f"{RBAC}/namespaces/trial/rolebindings", obj("b", roleRef=reference("trial-own")), user=EVE, until=MADE),
        post(BINDINGS, obj("trial-odd", roleRef={"kind": "X", "name": ""}), user=EVE),
        role("zoe", *ESCALATING, user=""),
        binding("zoe", "trial-zoe", user="", bound=ZOE),
        role("of-zoe", ALL, user=ZOE, until=MADE),
        binding("by-zoe", "cluster-admin", user=ZOE, until=MADE),
        binding("nobody", "trial-nobody", user=ZOE, until=MADE),
        post(f"{RBAC}/namespaces/trial/roles", obj("z", rules=[ALL]), user=ZOE),
        *(delete(f"{BINDINGS}/trial-{name}") for name in ("eve", "zoe", "bound", "by-zoe", "nobody")),
        *(delete(f"{ROLES}/trial-{name}") for name in ("eve", "zoe", "own", "of-zoe")),
    ),
)
DEFAULTS = Story(
    "default-roles",
    (
        *(
            get(f"{ROLES}/{name}")
            for name in (
                *("cluster-admin", "admin", "edit", "view", "system:aggregate-to-admin", "system:aggregate-to-edit"),
                *("system:aggregate-to-view", "system:auth-delegator", "system:basic-user", "system:discovery"),
                *("system:public-info-viewer", "system:monitoring", "system:node", "system:kube-scheduler"),
            )
        ),
        *(
            get(f"{BINDINGS}/{name}")
            for name in (
                *("cluster-admin", "system:basic-user", "system:discovery", "system:public-info-viewer"),
                *("system:monitoring", "system:node"),
            )
        ),
        get(f"{RBAC}/namespaces/kube-system/roles/extension-apiserver-authentication-reader"),
    ),
)
STORIES = (ESCALATION, DEFAULTS)
