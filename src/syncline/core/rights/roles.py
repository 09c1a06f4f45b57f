"""Makes ServiceAccounts, Roles and their bindings of the table of requests: what a component needs, and nothing else.

Called by `syncline admin rbac` and by tests, with the namespaces of an installation. Rights to deliver are no part of
it. The odd fact: Applications in namespaces that a pattern names can be anywhere, so that takes a ClusterRole; named
ones take a Role each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from syncline.apimachinery.keys import Object
from syncline.core.rights.table import USES, Component, Use, Where

_API = "rbac.authorization.k8s.io"
_PATTERN = frozenset("*?[{/")


def manifests(
    component: str, namespace: str, *, application_namespaces: Iterable[str] = (), impersonated: Iterable[str] = ()
) -> list[Object]:
    """Return the account of a component with the roles for its own work, and their bindings.

    `application_namespaces` are those of the setting `application.namespaces`. `impersonated` are the accounts that
    projects name for syncs, each as NAMESPACE:NAME; without any nobody may be impersonated.
    """
    program = Component(component)
    owner = account_name(program)
    further = sorted(set(application_namespaces) - {namespace})
    anywhere = any(is_pattern(name) for name in further)
    made: list[Object] = [account(owner, namespace)]
    # Where Applications are read anywhere, the ClusterRole permits it here too.
    here = [Where.CONTROL_PLANE] if anywhere else [Where.CONTROL_PLANE, Where.APPLICATIONS]
    made += bound_role(owner, namespace, own_rules(program, *here))
    elsewhere = f"{owner}-{namespace}"
    if anywhere:
        made += bound_cluster_role(elsewhere, owner, namespace, own_rules(program, Where.APPLICATIONS))
    else:
        for name in further:
            made += bound_role(elsewhere, name, own_rules(program, Where.APPLICATIONS), owner, namespace)
    if program is Component.CONTROLLER:
        for place, accounts in sorted(_by_namespace(impersonated).items()):
            rule = _rule("", "serviceaccounts", ("impersonate",), () if "*" in accounts else sorted(accounts))
            made += bound_role(f"{elsewhere}-impersonates", place, [rule], owner, namespace)
    return made


def bound_everywhere(role: Object, namespace: str) -> list[Object]:
    """Return a ClusterRole with an account of the same name in a namespace, and what binds it."""
    name = str(role["metadata"]["name"])
    return [account(name, namespace), role, binding(name, name, name, namespace)]


def account_name(component: Component) -> str:
    """Return the name of the ServiceAccount of a component."""
    return f"syncline-{component}"


def is_pattern(namespace: str) -> bool:
    """Whether an entry of `application.namespaces` is a glob or an expression."""
    return bool(_PATTERN & set(namespace))


def own_rules(component: Component, *places: Where) -> list[Object]:
    """Return the rules for the requests that a component makes in namespaces of these sorts."""
    uses: list[Use] = [use for use in USES if use.component is component and use.where in places]
    return [_rule(use.group, use.resource, use.verbs, use.named) for use in uses]


def _rule(group: str, resource: str, verbs: Sequence[str], named: Sequence[str]) -> Object:
    rule: Object = {"apiGroups": [group], "resources": [resource], "verbs": list(verbs)}
    return {**rule, "resourceNames": list(named)} if named else rule


def bound_role(
    name: str, place: str, rules: list[Object], account: str = "", account_namespace: str = ""
) -> tuple[Object, Object]:
    """Return a Role in a namespace and what binds it to an account, by default one of its own name there."""
    role = {**_object(f"{_API}/v1", "Role", name, place), "rules": rules}
    bound = _object(f"{_API}/v1", "RoleBinding", name, place)
    return role, {**bound, **_bound("Role", name, account or name, account_namespace or place)}


def bound_cluster_role(name: str, account: str, account_namespace: str, rules: list[Object]) -> tuple[Object, Object]:
    """Return a ClusterRole and what binds it to an account."""
    role = {**_object(f"{_API}/v1", "ClusterRole", name), "rules": rules}
    return role, binding(name, name, account, account_namespace)


def account(name: str, namespace: str) -> Object:
    """Return a ServiceAccount."""
    return _object("v1", "ServiceAccount", name, namespace)


def binding(role: str, name: str, account: str, account_namespace: str) -> Object:
    """Return what binds a ClusterRole to an account, in all namespaces."""
    cluster_wide = _object(f"{_API}/v1", "ClusterRoleBinding", name)
    return {**cluster_wide, **_bound("ClusterRole", role, account, account_namespace)}


def _bound(kind: str, role: str, account: str, namespace: str) -> Object:
    return {
        "roleRef": {"apiGroup": _API, "kind": kind, "name": role},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
    }


def _object(api_version: str, kind: str, name: str, namespace: str = "") -> Object:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    labels = {"app.kubernetes.io/part-of": "syncline"}
    return {"apiVersion": api_version, "kind": kind, "metadata": {**metadata, "labels": labels}}


def _by_namespace(accounts: Iterable[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for account in accounts:
        place, _, name = account.partition(":")
        if not place or not name or is_pattern(place):
            raise ValueError(f"{account!r} does not name a service account: write NAMESPACE:NAME")
        found.setdefault(place, set()).add(name)
    return found
