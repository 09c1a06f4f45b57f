"""What a server tells of a look to clients that run the engine themselves: enough, and no secret (rows E1, J1)."""

from __future__ import annotations

import base64

from syncline.core.assess import assess_app
from syncline.model import codec
from syncline.verbs.served.sight import ServedLook
from tests.support import manifests
from tests.support.stories import FILES
from tests.support.web import Site, on_site, project

CANARY = "c4n4ry-value-of-a-secret"
SECRET = f"""\
apiVersion: v1
kind: Secret
metadata: {{name: login}}
stringData: {{password: {CANARY}}}
"""
PATH = "/api/v1/applications/shop/look"


def test_a_look_travels_without_values_of_secrets_and_is_assessed_as_on_the_server() -> None:
    async def story(site: Site) -> None:
        site.bed.source.commit({**FILES, "apps/web/login.yaml": SECRET})
        ann = await site.as_("ann")
        answer = await ann.get(PATH)
        assert answer.status == 200, answer.body
        hidden = [CANARY, base64.b64encode(CANARY.encode()).decode()]
        assert not [text for text in hidden if text.encode() in answer.body]
        look = codec.decode(ServedLook, answer.body)
        told = {str(row.key): str(row.verdict) for row in assess_app(look.snapshot).comparison.rows}
        (app,) = (await ann.get("/api/v1/applications")).json["items"]
        own = (await site.backend.looks.see(app)).assessment
        assert told == {str(row.key): str(row.verdict) for row in own.comparison.rows}
        assert "Secret:shop/login" in " ".join(told)
        assert "roles" not in (look.snapshot.project or {}).get("spec", {})

    on_site(story)


def test_who_may_not_see_an_application_gets_no_look_at_it() -> None:
    async def story(site: Site) -> None:
        eve = await site.as_("eve")
        hidden, absent = await eve.get(PATH), await eve.get(PATH.replace("shop", "none"))
        assert (hidden.status, hidden.body) == (absent.status, absent.body) == (403, hidden.body)
        assert (await site.nobody.get(PATH)).status == 401

    on_site(story)


def test_another_revision_is_looked_at_and_one_for_each_source_is_needed() -> None:
    async def story(site: Site) -> None:
        site.bed.source.commit(FILES)
        site.bed.source.commit({**FILES, "apps/web/web.yaml": manifests.deployment(replicas=3)}, branch="next")
        ann = await site.as_("ann")
        answer = await ann.get(f"{PATH}?revision=next")
        assert answer.status == 200, answer.body
        desired = codec.decode(ServedLook, answer.body).snapshot.desired
        assert desired is not None
        assert [one.obj["spec"]["replicas"] for one in desired.objects if one.obj["kind"] == "Deployment"] == [3]
        assert (await ann.get(f"{PATH}?revisions=a&revisions=b")).status == 400

    on_site(story)


RULES = """\
p, role:team, applications, get, team/*, allow
p, role:others, applications, get, other/*, allow
p, ben, clusters, get, https://secret.example, allow
p, "a group, with a comma", repositories, get, https://hidden.example, allow
g, ann, role:team
g, eve, role:others
g, everybody-else, role:others
"""


def test_a_look_carries_only_the_policies_that_count_for_its_reader() -> None:
    async def story(site: Site) -> None:
        site.bed.source.commit(FILES)
        ann = await site.as_("ann")
        answer = await ann.get(PATH)
        assert answer.status == 200, answer.body
        told = codec.decode(ServedLook, answer.body).snapshot.settings.permissions.policy.splitlines()
        assert told == ["p, role:team, applications, get, team/*, allow", "g, ann, role:team"]
        for word in (b"role:others", b"secret.example", b"hidden.example", b"everybody-else", b"with a comma"):
            assert word not in answer.body

    on_site(story, policy=RULES)


def test_a_look_names_no_other_project_and_no_role_that_its_reader_does_not_have() -> None:
    async def story(site: Site) -> None:
        control = site.bed.control
        shared = project("team", control)
        shared["spec"]["roles"] = [
            {"name": "mine", "policies": ["p, proj:team:mine, applications, sync, team/*, allow"], "groups": ["ann"]},
            {"name": "theirs", "policies": ["p, proj:team:theirs, applications, *, team/*, allow"], "groups": ["eve"]},
        ]
        await site.bed.apply(shared)
        site.bed.source.commit(FILES)
        await site.settle()
        answer = await (await site.as_("ann")).get(PATH)
        look = codec.decode(ServedLook, answer.body)
        assert [role["name"] for role in (look.snapshot.project or {})["spec"]["roles"]] == ["mine"]
        assert b"theirs" not in answer.body
        assert b"global-rules" not in answer.body

    on_site(story, config={"globalProjects": "- projectName: global-rules\n  labelSelector: {}\n"})
