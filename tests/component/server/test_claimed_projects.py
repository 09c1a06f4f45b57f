"""What a request claims of a project, a cluster or a namespace gives nothing away: the stored objects decide."""

from __future__ import annotations

import base64
from typing import Any, cast
from urllib.parse import quote

import pytest

from syncline.ports.source import ChartRequest, RevisionRequest, Tree
from syncline.server.insight.branches import Revisions, Running, Wish
from tests.support.fake_source import Open
from tests.support.web import POLICY, Site, app, on_site, project

PRIVATE = "https://git.example/private.git"
FOREIGN = "https://git.example/foreign.git"
SHARED = "https://git.example/repo.git"
TEAM = f"{POLICY}p, ann, repositories, *, team/*, allow\np, ann, applications, *, team/*, allow\n"


def repository(name: str, url: str, owner: str, namespace: str) -> dict[str, Any]:
    texts = {"url": url, "type": "git", "password": "of the other team", **({"project": owner} if owner else {})}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {"argocd.argoproj.io/secret-type": "repository"},
        },
        "data": {key: base64.b64encode(text.encode()).decode() for key, text in texts.items()},
    }


class Untouched:
    """A source and charts that nobody may contact; notes who is asked about what."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.asked: list[tuple[str, str]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def references(self, repo_url: str, project: str = "") -> Any:
        self.asked.append((repo_url, project))
        return {"refs/heads/main": "0" * 40}

    async def resolve(self, request: RevisionRequest) -> str:
        self.asked.append((request.repo_url, request.project))
        return str(await self._inner.resolve(request))

    async def describe(self, repo_url: str, sha: str) -> Any:
        self.asked.append((repo_url, ""))
        return await self._inner.describe(repo_url, sha)


class Charts(Open):
    """A Helm repository that notes who asks."""

    def __init__(self, asked: list[tuple[str, str]]) -> None:
        self._asked = asked

    async def resolve(self, request: ChartRequest) -> str:
        raise AssertionError(request)

    async def tree(self, request: ChartRequest) -> Tree:
        raise AssertionError(request)

    async def charts(self, repo_url: str, project: str = "") -> dict[str, list[str]]:
        self._asked.append((repo_url, project))
        return {}


async def prepared(site: Site, owner: str) -> Untouched:
    """Store a repository of a project or of nobody, and let project team permit only the shared one."""
    narrow = project("team", site.bed.control)
    narrow["spec"]["sourceRepos"] = [SHARED]
    await site.bed.apply(narrow)
    await site.bed.apply(repository("private", PRIVATE, owner, site.bed.control))
    source = Untouched(site.backend.world.source)
    site.backend.world.source = source
    site.backend.world.charts = Charts(source.asked)
    await site.settle()
    return source


@pytest.mark.parametrize("listing", ["refs", "helmcharts"])
@pytest.mark.parametrize("owner", ["", "other"])
@pytest.mark.parametrize("claim", ["team", "other", "nowhere", ""])
def test_a_claimed_project_lists_no_repository_that_it_does_not_permit(listing: str, owner: str, claim: str) -> None:
    async def story(site: Site) -> None:
        source = await prepared(site, owner)
        ann = await site.as_("ann")
        answer = await ann.get(f"/api/v1/repositories/{quote(PRIVATE, safe='')}/{listing}?appProject={claim}")
        assert answer.status in (400, 403, 404)
        assert b"main" not in answer.body
        assert source.asked == []

    on_site(story, policy=TEAM)


def test_a_project_reads_a_repository_that_it_permits_and_owns() -> None:
    async def story(site: Site) -> None:
        await prepared(site, "")
        wide = project("team", site.bed.control)
        wide["spec"]["sourceRepos"] = [PRIVATE]
        await site.bed.apply(wide)
        await site.bed.apply(repository("own", PRIVATE, "team", site.bed.control))
        await site.settle()
        ann = await site.as_("ann")
        path = f"/api/v1/repositories/{quote(PRIVATE, safe='')}/refs?appProject="
        assert (await ann.get(f"{path}team")).json == {"branches": ["main"], "tags": []}
        # The same address without the claim is the repository of nobody, to which she has no right.
        assert (await ann.get(path)).status == 403

    on_site(story, policy=TEAM)


def test_a_project_that_does_not_exist_is_refused_in_the_words_of_one_that_denies() -> None:
    async def story(site: Site) -> None:
        source = await prepared(site, "")
        admin = await site.as_("admin")
        path = f"/api/v1/repositories/{quote(PRIVATE, safe='')}/refs?appProject="
        denied, missing = [await admin.get(f"{path}{name}") for name in ("team", "nowhere")]
        assert (denied.status, denied.json["message"]) == (400, "the project team does not permit that repository")
        assert (missing.status, missing.body) == (400, denied.body.replace(b"team", b"nowhere"))
        assert source.asked == []

    on_site(story)


@pytest.mark.parametrize("route", ["apps", "appdetails"])
def test_an_application_is_looked_up_with_its_own_project_and_no_other(route: str) -> None:
    async def story(site: Site) -> None:
        source = await prepared(site, "other")
        ann = await site.as_("ann")
        base = f"/api/v1/repositories/{quote(SHARED, safe='')}"
        if route == "apps":
            answer = await ann.get(f"{base}/apps?revision=main&appName=shop&appProject=other")
        else:
            body = {"source": {"path": "apps/web"}, "appName": "shop", "appProject": "other"}
            answer = await ann.post(f"{base}/appdetails", body)
        assert answer.status == 403
        assert source.asked == []

    on_site(story, policy=f"{TEAM}p, ann, repositories, get, *, allow\n")


def test_who_may_only_see_an_application_looks_at_its_own_sources() -> None:
    async def story(site: Site) -> None:
        ben, admin = await site.as_("ben"), await site.as_("admin")
        path = f"/api/v1/repositories/{quote(SHARED, safe='')}/appdetails"
        site.bed.source.commit({"apps/web/a.yaml": "", "elsewhere/a.yaml": ""})
        own = {"source": {"path": "apps/web"}, "appName": "shop", "appProject": "team"}
        strange = {**own, "source": {"path": "elsewhere"}}
        assert (await ben.post(path, own)).status == 200
        assert (await ben.post(path, strange)).status == 403
        assert (await admin.post(path, strange)).status == 200

    on_site(story)


def test_a_repository_is_tried_for_a_project_only_where_the_project_permits_it() -> None:
    async def story(site: Site) -> None:
        await prepared(site, "")
        tried: list[str] = []

        class Trying:
            async def check(self, repo_url: str, project: str = "") -> None:
                tried.append(repo_url)

        site.backend.checker = lambda _repository, _access: Trying()
        ann = await site.as_("ann")
        for url, status in ((PRIVATE, 400), (SHARED, 200)):
            path = f"/api/v1/repositories/{quote(url, safe='')}/validate"
            assert (await ann.post(path, {"project": "team"})).status == status
        assert tried == [SHARED]

    on_site(story, policy=TEAM)


def test_an_application_with_a_denied_source_tells_nothing_of_that_repository() -> None:
    async def story(site: Site) -> None:
        source = await prepared(site, "")
        stub = app("stub", "team", site.bed.control)
        stub["spec"]["source"]["repoURL"] = FOREIGN
        await site.bed.apply(stub)
        await site.settle()
        ann = await site.as_("ann")
        assert (await ann.get(f"/api/v1/applications/stub/revisions/{'0' * 40}/metadata")).status == 400
        assert (await ann.get(f"/api/v1/repositories/{quote(FOREIGN, safe='')}/refs")).status == 404
        assert (await ann.get(f"/api/v1/syncline/check/repositories?repo={quote(FOREIGN)}")).json["repositories"] == []
        timeline = await ann.get("/api/v1/applications/stub/timeline")
        assert [one for one in timeline.json.get("entries", ()) if one["kind"] == "commit"] == []
        assert source.asked == []

    on_site(story, policy=f"{TEAM}p, ann, repositories, get, https*, allow\n")


CLUSTER = {"server": "https://far.example:6443", "name": "far", "project": "team", "config": {"bearerToken": "t"}}
OF_CLUSTERS = f"{POLICY}p, ann, clusters, *, team/*, allow\n"


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 200),
        ({"name": "in-cluster"}, 400),
        ({"name": "shared"}, 400),
        ({"name": "https://shared.example"}, 400),
        ({"server": "https://SHARED.example:443"}, 400),
        ({"server": "https://shared.example"}, 400),
        ({"server": "https://kubernetes.default.svc"}, 403),
        ({"server": "https://kubernetes.default.svc:443", "name": "x"}, 403),
        ({"server": "https://kubernetes.default.svc.cluster.local/", "name": "x"}, 403),
        ({"server": "https://KUBERNETES.default"}, 403),
    ],
)
@pytest.mark.parametrize("upsert", ["false", "true"])
def test_a_project_registers_no_cluster_in_the_place_of_another(change: Any, status: int, upsert: str) -> None:
    async def story(site: Site) -> None:
        admin, ann = await site.as_("admin"), await site.as_("ann")
        shared = {"server": "https://shared.example", "name": "shared", "config": {"bearerToken": "operator's"}}
        assert (await admin.post("/api/v1/clusters", shared)).status == 200
        answer = await ann.post(f"/api/v1/clusters?upsert={upsert}", {**CLUSTER, **change})
        expected = 403 if upsert == "true" and change == {"server": "https://shared.example"} else status
        assert answer.status == expected, answer.body
        listed = (await admin.get("/api/v1/clusters")).json["items"]
        kept = {(one["name"], one["server"], one["project"]) for one in listed}
        assert {("in-cluster", "https://kubernetes.default.svc", ""), ("shared", "https://shared.example", "")} <= kept
        assert len(kept) == (3 if expected == 200 else 2)

    on_site(story, policy=OF_CLUSTERS)


def test_a_project_does_not_rename_its_cluster_to_another_ones_name() -> None:
    async def story(site: Site) -> None:
        admin, ann = await site.as_("admin"), await site.as_("ann")
        shared = {"server": "https://shared.example", "name": "shared"}
        assert (await admin.post("/api/v1/clusters", shared)).status == 200
        assert (await ann.post("/api/v1/clusters", CLUSTER)).status == 200
        path = f"/api/v1/clusters/{quote(str(CLUSTER['server']), safe='')}?updatedFields=name"
        for name, status in (("in-cluster", 400), ("shared", 400), ("farther", 200)):
            assert (await ann.put(path, {"name": name})).status == status

    on_site(story, policy=OF_CLUSTERS)


def test_files_of_a_branch_lead_only_to_repositories_that_a_project_permits() -> None:
    async def story(site: Site) -> None:
        await prepared(site, "")
        stub = app("stub", "team", site.bed.control)
        stub["spec"]["source"]["repoURL"] = FOREIGN
        await site.bed.apply(stub)
        await site.settle()
        wishes: list[Wish] = []

        class Noting:
            async def at(self, wish: Wish) -> Running:
                wishes.append(wish)
                return Running(wish, Revisions("a", "b"))

            async def stop(self) -> None:
                pass

        site.backend.branches = cast("Any", Noting())
        admin = await site.as_("admin")
        answer = await admin.get(f"/api/v1/syncline/check?repo={quote(SHARED, safe='')}&head=main")
        assert answer.status == 200, answer.body
        assert [one.permitted for one in wishes] == [(SHARED,)]

    on_site(story)


@pytest.mark.parametrize(
    "change",
    [
        {"server": "https://127.0.0.1:8443"},
        {"server": "https://[::1]:8443"},
        {"server": "https://localhost:8443"},
        {"server": "https://2130706433"},
        {"server": "https://169.254.169.254"},
        {"server": "http://100.100.100.200"},
        {"config": {"proxyUrl": "http://127.0.0.1:3128"}},
        {"config": {"awsAuthConfig": {"clusterName": "prod"}}},
        {"config": {"execProviderConfig": {"command": "aws", "args": ["eks", "get-token"]}}},
    ],
)
def test_only_an_admin_registers_inner_addresses_and_clusters_with_the_identity_of_the_installation(
    change: dict[str, Any],
) -> None:
    async def story(site: Site) -> None:
        admin, ann = await site.as_("admin"), await site.as_("ann")
        assert (await ann.post("/api/v1/clusters", {**CLUSTER, **change})).status == 403
        assert (await ann.post("/api/v1/clusters", CLUSTER)).status == 200
        if "config" in change:
            path = f"/api/v1/clusters/{quote(str(CLUSTER['server']), safe='')}?updatedFields=config"
            assert (await ann.put(path, change)).status == 403
            assert (await admin.put(path, change)).status == 200
            labels = path.replace("updatedFields=config", "updatedFields=labels")
            assert (await ann.put(labels, {"labels": {"tier": "web"}})).status == 200

    on_site(story, policy=OF_CLUSTERS)
