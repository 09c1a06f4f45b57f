"""Repositories, credential templates and clusters: added, changed and removed over the API, credentials never told."""

from __future__ import annotations

import base64
from typing import Any

import orjson
import pytest

from syncline.controller.clusters.access import SECRETS
from syncline.model.errors import SourceError
from syncline.ports.source import ChartRequest, Tree
from syncline.server.table import ENDPOINTS
from syncline.verbs.sources import Checker
from tests.support.fake_source import Open
from tests.support.web import Site, on_site

URL = "https://git.example/team/shop.git"
QUOTED = URL.replace("/", "%2F").replace(":", "%3A")
FAR = "https://far.example:6443"
FAR_QUOTED = FAR.replace("/", "%2F").replace(":", "%3A")
PASSWORD = "nobody may see this"
MANAGER = (
    "p, ann, repositories, *, team/*, allow\np, ann, repositories, get, *, allow\np, ann, clusters, *, team/*, allow\n"
)


def decoded(secret: Any) -> dict[str, str]:
    return {name: base64.b64decode(text).decode() for name, text in secret["data"].items()}


async def secrets(site: Site, kind: str) -> list[dict[str, str]]:
    listed = await site.backend.home.list(
        SECRETS, namespace=site.bed.control, label_selector=f"argocd.argoproj.io/secret-type={kind}"
    )
    return [decoded(one) for one in listed.items]


def test_a_repository_is_added_listed_changed_and_removed() -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        body = {"repo": URL, "username": "robot", "password": PASSWORD, "enableLfs": True}
        added = await admin.post("/api/v1/repositories", body)
        assert (added.status, added.json["repo"], added.json["type"]) == (200, URL, "git")
        assert await secrets(site, "repository") == [
            {"url": URL, "type": "git", "username": "robot", "password": PASSWORD, "enableLfs": "true"}
        ]
        again = await admin.post("/api/v1/repositories", body)
        assert (again.status, again.json["message"]) == (400, f"repository '{URL}' already exists")
        assert (await admin.post("/api/v1/repositories?upsert=true", {**body, "username": "other"})).status == 200
        assert [one["username"] for one in await secrets(site, "repository")] == ["other"]
        changed = await admin.put(f"/api/v1/repositories/{QUOTED}", {"repo": URL, "insecure": True})
        assert changed.status == 200
        assert await secrets(site, "repository") == [{"url": URL, "type": "git", "insecure": "true"}]
        listed = await admin.get("/api/v1/repositories")
        assert [one["repo"] for one in listed.json["items"]] == [URL]
        assert (await admin.delete(f"/api/v1/repositories/{QUOTED}")).status == 200
        assert await secrets(site, "repository") == []
        gone = await admin.delete(f"/api/v1/repositories/{QUOTED}")
        assert (gone.status, gone.json["code"]) == (404, 5)
        for answer in (added, again, changed, listed):
            assert PASSWORD.encode() not in answer.body

    on_site(story)


def test_a_template_is_added_changed_and_removed() -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        body = {"url": "https://git.example", "username": "robot", "password": PASSWORD}
        added = await admin.post("/api/v1/repocreds", body)
        assert added.json == {"url": "https://git.example", "type": "git", "username": "robot"}
        assert (await admin.post("/api/v1/repocreds", body)).status == 400
        changed = await admin.put("/api/v1/repocreds/https%3A%2F%2Fgit.example", {"username": "other"})
        assert changed.json["username"] == "other"
        assert await secrets(site, "repo-creds") == [{"url": "https://git.example", "type": "git", "username": "other"}]
        assert (await admin.delete("/api/v1/repocreds/https%3A%2F%2Fgit.example")).status == 200
        assert await secrets(site, "repo-creds") == []

    on_site(story)


def test_a_project_adds_repositories_of_its_own_and_no_others() -> None:
    async def story(site: Site) -> None:
        ann = await site.as_("ann")
        assert (await ann.post("/api/v1/repositories", {"repo": URL})).status == 403
        assert (await ann.post("/api/v1/repositories", {"repo": URL, "project": "other"})).status == 403
        assert (await ann.post("/api/v1/repositories", {"repo": URL, "project": "team"})).status == 200
        assert (await ann.put(f"/api/v1/repositories/{QUOTED}", {"repo": URL, "project": "other"})).status == 403
        assert (await ann.delete(f"/api/v1/repositories/{QUOTED}")).status == 403
        assert (await ann.delete(f"/api/v1/repositories/{QUOTED}?appProject=team")).status == 200
        cluster = {"server": FAR, "name": "far", "config": {"bearerToken": PASSWORD}}
        assert (await ann.post("/api/v1/clusters", cluster)).status == 403
        assert (await ann.post("/api/v1/clusters", {**cluster, "project": "team"})).status == 200
        # Not handed over to anybody else.
        moved = await ann.put(f"/api/v1/clusters/{FAR_QUOTED}?updatedFields=project", {"project": "other"})
        assert moved.status == 403

    on_site(story, policy=MANAGER)


@pytest.mark.parametrize(
    "body",
    [
        {"repo": "http://127.0.0.1:9999/x.git"},
        {"repo": "http://localhost:9999/x.git"},
        {"repo": "http://0x7f.1/x.git"},
        {"repo": "http://2130706433/x.git"},
        {"repo": "http://[::ffff:127.0.0.1]:9999/x.git"},
        {"repo": "http://[64:ff9b::7f00:1]/x.git"},
        {"repo": "git@127.0.0.1:x.git"},
        {"repo": "oci://127.0.0.1:5000/charts", "type": "helm"},
        {"repo": "http://169.254.169.254/latest"},
        {"repo": "http://[fd00:ec2::254]/latest"},
        {"repo": "http://100.100.100.200/latest"},
        {"repo": "http://168.63.129.16/metadata"},
        {"repo": "http://metadata.google.internal/x"},
        {"repo": URL, "proxy": "http://169.254.169.254:80"},
        {"repo": URL, "proxy": "http://127.0.0.1:6379"},
        {"repo": URL, "githubAppID": 1, "githubAppEnterpriseBaseUrl": "http://127.0.0.1:8080"},
    ],
)
def test_only_an_admin_writes_down_an_address_of_the_servers_own_machine(body: dict[str, Any]) -> None:
    async def story(site: Site) -> None:
        ann = await site.as_("ann")
        quoted = body["repo"].replace("/", "%2F").replace(":", "%3A")
        for answer in (
            await ann.post("/api/v1/repositories", {**body, "project": "team"}),
            await ann.put(f"/api/v1/repositories/{quoted}", {**body, "project": "team"}),
            await ann.post(f"/api/v1/repositories/{quoted}/validate", {**body, "project": "team"}),
        ):
            assert (answer.status, answer.json["code"]) == (403, 7)
            assert "only an admin may name it" in answer.json["message"]
        assert await secrets(site, "repository") == []
        admin = await site.as_("admin")
        assert (await admin.post("/api/v1/repositories", {**body, "project": "team"})).status == 200

    on_site(story, policy=MANAGER)


@pytest.mark.parametrize(
    "body",
    [{}, [], {"repo": ""}, {"repo": 5}, {"repo": URL, "password": {"a": 1}}, {"repo": URL, "githubAppID": "many"}],
)
def test_a_repository_that_cannot_be_read_from_the_body_is_refused_in_one_sentence(body: Any) -> None:
    async def story(site: Site) -> None:
        answer = await (await site.as_("admin")).post("/api/v1/repositories", body)
        assert (answer.status, answer.json["code"]) == (400, 3)
        assert await secrets(site, "repository") == []

    on_site(story)


class Refusing:
    async def check(self, repo_url: str, project: str = "") -> None:
        raise SourceError(f"{repo_url} does not answer")


class Reading:
    async def check(self, repo_url: str, project: str = "") -> None:
        assert repo_url == URL


@pytest.mark.parametrize(("check", "status"), [(Refusing(), 400), (Reading(), 200)])
def test_a_repository_is_tried_before_it_is_kept_and_when_somebody_asks(check: Any, status: int) -> None:
    async def story(site: Site) -> None:
        checker: Checker = lambda _repository, _access: check  # noqa: E731 - a port of one word
        site.backend.checker = checker
        admin = await site.as_("admin")
        assert (await admin.post(f"/api/v1/repositories/{QUOTED}/validate", {})).status == status
        assert await secrets(site, "repository") == []
        assert (await admin.post("/api/v1/repositories", {"repo": URL})).status == status
        assert len(await secrets(site, "repository")) == (status == 200)
        # One of a project is not tried, as with Argo CD.
        assert (await admin.post("/api/v1/repositories", {"repo": URL, "project": "team"})).status == 200

    on_site(story)


def test_a_cluster_is_added_changed_and_removed() -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        config = {"bearerToken": PASSWORD, "tlsClientConfig": {"insecure": True}}
        body = {
            "server": f"{FAR}/",
            "name": "far",
            "config": config,
            "namespaces": ["web"],
            "labels": {"stage": "test"},
        }
        added = await admin.post("/api/v1/clusters", body)
        assert (added.status, added.json["server"], added.json["name"]) == (200, FAR, "far")
        assert added.json["config"] == {"tlsClientConfig": {"insecure": True}}
        (stored,) = await secrets(site, "cluster")
        assert {**stored, "config": orjson.loads(stored["config"])} == {
            "server": FAR,
            "name": "far",
            "namespaces": "web",
            "config": config,
        }
        assert (await admin.post("/api/v1/clusters", body)).status == 400
        renamed = await admin.put(f"/api/v1/clusters/{FAR_QUOTED}?updatedFields=name", {"name": "farther"})
        assert renamed.json["name"] == "farther"
        (stored,) = await secrets(site, "cluster")
        assert (stored["name"], orjson.loads(stored["config"]), stored["namespaces"]) == ("farther", config, "web")
        assert (await admin.post(f"/api/v1/clusters/{FAR_QUOTED}/invalidate-cache", None)).json["name"] == "farther"
        refused = await admin.post(f"/api/v1/clusters/{FAR_QUOTED}/rotate-auth", None)
        assert (refused.status, refused.json["code"], "updatedFields=config" in refused.json["hint"]) == (400, 9, True)
        assert (await admin.delete(f"/api/v1/clusters/{FAR_QUOTED}")).status == 200
        assert await secrets(site, "cluster") == []
        home = await admin.delete("/api/v1/clusters/https%3A%2F%2Fkubernetes.default.svc")
        assert (home.status, home.json["code"]) == (400, 9)
        for answer in (added, renamed, refused):
            assert PASSWORD.encode() not in answer.body

    on_site(story)


def test_branches_folders_and_kinds_of_a_repository() -> None:
    async def story(site: Site) -> None:
        admin, ben, ann = await site.as_("admin"), await site.as_("ben"), await site.as_("ann")
        repo = "/api/v1/repositories/https%3A%2F%2Fgit.example%2Frepo.git"
        site.bed.source.commit(
            {"chart/Chart.yaml": "name: c\n", "chart/values.yaml": "colour: blue\n", "apps/web/a.yaml": ""}
        )
        assert (await ben.get(f"{repo}/refs")).json == {"branches": ["main"], "tags": []}
        # Nobody has the server call on an address that nobody has told it of.
        strange = await ben.get("/api/v1/repositories/https%3A%2F%2Felsewhere.example%2Fx.git/refs")
        assert (strange.status, strange.json["code"]) == (404, 5)
        assert (await ann.get(f"{repo}/refs")).status == 403
        folders = await admin.get(f"{repo}/apps?revision=main&appName=new&appProject=team")
        assert folders.json == {"items": [{"type": "Helm", "path": "chart"}]}
        # A reader may not create Applications, so not look for folders of new ones; of those there are they may.
        assert (await ben.get(f"{repo}/apps?revision=main&appName=new&appProject=team")).status == 403
        assert (await ben.get(f"{repo}/apps?revision=main&appName=shop&appProject=team")).status == 200
        source = {"path": "chart", "targetRevision": "main"}
        details = {"source": source, "appName": "shop", "appProject": "team"}
        helm = {"valueFiles": ["values.yaml"], "values": "colour: blue\n", "parameters": []}
        assert (await admin.post(f"{repo}/appdetails", details)).json == {"type": "Helm", "helm": helm}
        plain = {**details, "source": {**source, "path": "apps/web"}}
        assert (await admin.post(f"{repo}/appdetails", plain)).json["type"] == "Directory"

    on_site(story)


def test_every_route_that_changes_something_has_a_body_or_names_its_object() -> None:
    written = [one for one in ENDPOINTS if one.method in ("POST", "PUT") and "/repo" in one.path]
    assert all(one.body is not None for one in written)
    assert len(written) == 6


class PlayedCharts(Open):
    """A Helm repository with one chart."""

    async def resolve(self, request: ChartRequest) -> str:
        raise AssertionError(request)

    async def tree(self, request: ChartRequest) -> Tree:
        raise AssertionError(request)

    async def charts(self, repo_url: str, _project: str = "") -> dict[str, list[str]]:
        return {"web": ["1.1.0", "1.0.0"]} if repo_url == URL else {}


def test_the_charts_of_a_repository_are_listed_where_it_is_known_and_may_be_seen() -> None:
    async def story(site: Site) -> None:
        site.backend.world.charts = PlayedCharts()
        admin, eve = await site.as_("admin"), await site.as_("eve")
        path = f"/api/v1/repositories/{QUOTED}/helmcharts"
        assert (await admin.get(path)).status == 404
        assert (await admin.post("/api/v1/repositories", {"repo": URL, "type": "helm", "name": "shop"})).status == 200
        assert (await admin.get(path)).json == {"items": [{"name": "web", "versions": ["1.1.0", "1.0.0"]}]}
        assert (await eve.get(path)).status == 403

    on_site(story)
