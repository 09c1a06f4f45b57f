"""The controller and the server work under exactly the roles that are generated for them, and use all of those.

A real kube-apiserver judges: its audit log names every request, whether it was refused, and the binding that permitted
it. Delivery has a Role of its own, so that no right to deliver stands in for one that is missing.
"""

import re
from collections.abc import Iterator

import pytest

from tests.real.api import Api, Json
from tests.real.rights_story import Played, played

COMPONENTS = ("controller", "server")
# A server-side apply that creates needs the right to create too, and the log calls it a patch.
CREATED = 201


@pytest.fixture(scope="module")
def day(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    with played(api, tmp_path_factory.mktemp("rights")) as found:
        yield found


@pytest.mark.parametrize("component", COMPONENTS)
def test_nothing_is_refused_under_the_generated_roles(day: Played, component: str) -> None:
    refused = {
        (entry["verb"], entry["requestURI"].partition("?")[0])
        for entry in day.requests[component]
        if entry["responseStatus"]["code"] in (401, 403)
    }
    assert refused == set()
    assert len(day.requests[component]) > 50, "the story was played"


@pytest.mark.parametrize("component", COMPONENTS)
def test_every_right_that_is_granted_is_used(day: Played, component: str) -> None:
    granted = {right for obj in day.roles[component] for right in rights_of(obj)}
    assert granted - used(day.requests[component]) == set()


@pytest.mark.parametrize("component", COMPONENTS)
def test_objects_are_delivered_by_the_rights_to_deliver_alone(day: Played, component: str) -> None:
    bindings = {
        binding(entry)
        for entry in day.requests[component]
        if (entry.get("objectRef") or {}).get("namespace") == day.place.target
    }
    assert bindings == {f"delivery/{day.place.target}"}
    own = {
        (entry.get("objectRef") or {}).get("namespace")
        for entry in day.requests[component]
        if binding(entry).startswith("syncline-")
    }
    assert own == {day.place.control, day.place.teams}


Right = tuple[str, str, str, str, str]


def rights_of(obj: Json) -> set[Right]:
    """Return namespace, group, resource, verb and name of what a role permits."""
    return {
        (obj["metadata"]["namespace"], group, resource, verb, name)
        for rule in obj.get("rules", ())
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
        for name in rule.get("resourceNames", ("",))
    }


def used(requests: list[Json]) -> set[Right]:
    found: set[Right] = set()
    for entry in requests:
        ref = entry.get("objectRef")
        if ref is None or entry["responseStatus"]["code"] == 403:
            continue
        resource = "/".join(filter(None, (ref["resource"], ref.get("subresource", ""))))
        place = (ref.get("namespace", ""), ref.get("apiGroup", ""), resource)
        verbs = [entry["verb"], *(["create"] if entry["responseStatus"]["code"] == CREATED else [])]
        found |= {(*place, verb, name) for verb in verbs for name in ("", ref.get("name", ""))}
    return found


def binding(entry: Json) -> str:
    """Return name and namespace of the RoleBinding that permitted a request."""
    reason = (entry.get("annotations") or {}).get("authorization.k8s.io/reason", "")
    found = re.search(r'RoleBinding "([^"/]+)(?:/([^"]+))?"', reason)
    return "/".join(filter(None, found.groups())) if found else reason
