"""Every answer is of the type that its endpoint declares, with all members named and none left over.

Answers of a site with two Applications, one of them delivered, a set, repositories, clusters and a branch; what
generated requests get is held to the same types in `test_generated_requests.py`.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from syncline.server.answers.kinds import OneOf, Redirect, Stream, Text, types_of
from syncline.server.answers.objects import Application, ObjectRef
from syncline.server.table import ENDPOINTS
from tests.component.server.test_rights import VALUES, label
from tests.component.server.test_rights_matrix import SET
from tests.support import manifests
from tests.support.answer_types import problem_of
from tests.support.web import Site, on_site


def test_every_endpoint_declares_a_type_that_can_be_described() -> None:
    json = [one for one in ENDPOINTS if not isinstance(one.answer, Redirect | Text)]
    assert [label(one) for one in json if isinstance(one.answer, Stream) != one.stream] == []
    kinds = [kind for one in json for kind in types_of(one.answer)]
    assert [kind for kind in kinds if not issubclass(kind, msgspec.Struct) or not msgspec.json.schema(kind)] == []
    assert len(kinds) > len(json) > 90


METADATA = {"name": "shop", "namespace": "argocd"}


def test_an_answer_with_another_member_or_without_one_is_a_problem() -> None:
    assert problem_of(ObjectRef, {"kind": "Pod", "name": "web"}) == ""
    assert "missing required field `name`" in problem_of(ObjectRef, {"kind": "Pod"})
    assert "unknown field `secret`" in problem_of(ObjectRef, {"kind": "Pod", "name": "web", "secret": "x"})
    assert problem_of(Application, {"metadata": METADATA, "spec": {}, "other": 1}) == ""
    assert "Expected `str`" in problem_of(Application, {"metadata": {"name": 7}, "spec": {}})
    assert problem_of(OneOf("Any", (ObjectRef, Application)), {"kind": "Pod", "name": "web"}) == ""
    assert problem_of(OneOf("Any", (ObjectRef, Application)), {"neither": 1}) != ""


PATHS = [one for one in ENDPOINTS if one.method == "GET" and not one.stream and types_of(one.answer)]
QUERIES = {
    "/api/v1/applications/{name}/blame": ["object=Deployment/web", "object=Deployment/web&path=spec.replicas"],
    "/api/v1/applications/{name}/resource": ["kind=Deployment&group=apps&namespace=shop&resourceName=web"],
    "/api/v1/applications/{name}/resource/actions": ["kind=Deployment&group=apps&namespace=shop&resourceName=web"],
    "/api/v1/applications/{name}/resource/links": ["kind=Deployment&group=apps&namespace=shop&resourceName=web"],
    "/api/v1/applications/{name}/diff": ["", "ignoreRules=true&blame=true"],
    "/api/v1/syncline/diagnosis": ["refresh=true"],
    "/api/v1/syncline/objects": ["search=web"],
    "/api/v1/applications": ["", "fields=items.metadata.name", "limit=1"],
    "/api/v1/projects": ["", "fields=items.metadata.name"],
}


# What this site has not, and other tests answer: a stored repository, a chart repository, a look at a branch.
UNSEEN = {
    "GET /api/v1/repositories/{repo:path}",
    "GET /api/v1/repositories/{repo:path}/helmcharts",
    "GET /api/v1/syncline/check",
}
OF_DELIVERED = {
    "GET /api/v1/applications/{name}/resource",
    "GET /api/v1/applications/{name}/resource/actions",
}


@pytest.mark.parametrize("name", ["shop", "vault"])
def test_answers_are_of_their_types(name: str) -> None:
    bad: list[str] = []
    good: set[str] = set()

    async def story(site: Site) -> None:
        site.backend.live.note_write(SET)
        admin = await site.as_("admin")
        first = manifests.hook("first", "PreSync")
        site.bed.source.commit(manifests.files(web=manifests.deployment(), first=first))
        assert (await admin.post("/api/v1/applications/shop/sync", {})).status == 200
        await site.bed.until_delivered("shop")
        # From here on the Application differs from Git, and the diagnosis has something to say.
        site.bed.source.commit(manifests.files(web=manifests.deployment().replace("replicas: 1", "replicas: many")))
        await site.bed.clock.sleep(60)
        for one in PATHS:
            values = {**VALUES, "id": "1", "name": "admin" if "/account/" in one.path else name}
            if "/projects/" in one.path:
                values["name"] = "team"
            if "/applicationsets/" in one.path:
                values["name"] = "vault"
            path = one.path
            for key, value in values.items():
                path = path.replace(f"{{{key}}}", value).replace(f"{{{key}:path}}", value)
            for query in QUERIES.get(one.path, [""]):
                got = await admin.get(f"{path}?{query}")
                if got.status != 200:
                    continue
                good.add(label(one))
                if problem := problem_of(one.answer, got.json):
                    bad.append(f"{path}?{query}: {problem}")

    on_site(story, delivered=True)
    assert bad == [], "\n".join(bad)
    unseen = {label(one) for one in PATHS} - good
    assert unseen <= UNSEEN | (OF_DELIVERED if name == "vault" else set()), sorted(unseen)


def test_lines_of_streams_are_of_their_types() -> None:
    async def story(site: Site) -> None:
        site.backend.live.note_write(SET)
        admin = await site.as_("admin")
        for one in [one for one in ENDPOINTS if isinstance(one.answer, Stream) and "logs" not in one.path]:
            lines = admin.lines(one.path.replace("{name}", "shop") + "?resourceVersion=1")
            line: Any = await asyncio.wait_for(anext(lines), 60)
            assert problem_of(one.answer.of, line["result"]) == "", label(one)
            await lines.aclose()

    on_site(story, delivered=True)
