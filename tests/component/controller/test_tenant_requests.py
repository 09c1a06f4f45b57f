"""What a project's ApplicationSet makes a running controller ask: nothing that its project does not permit.

Real servers of this machine record who asks them. Everything they could be asked for is permitted to the operator, so
that a request that does not come was refused by the project alone, before any contact.
"""

import asyncio
import base64
import pathlib
import socket
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import msgspec
import pytest

from syncline.adapters.git.source import GitSource
from syncline.adapters.web import WebReader
from syncline.apimachinery.keys import Object
from syncline.model.settings.parts import ApplicationSets
from syncline.net import urls
from tests.support import code_hosts, git_http, this_machine
from tests.support.loops.hybrid import run_hybrid
from tests.support.sets import SERVER, Sets, app_spec, appset, start
from tests.support.world import API, SETTINGS, SandboxBed

CANARY = "canary-of-team-b"
Story = Callable[[Sets], Awaitable[None]]


@pytest.fixture
def private(tmp_path: pathlib.Path) -> Iterator[git_http.Server]:
    """A repository with a canary, behind a login that only a Secret of team-b has."""
    made = git_http.Repository(tmp_path / "served" / "private")
    made.commit({"apps/one/config.yaml": f"name: {CANARY}"})
    with git_http.serve(tmp_path / "served", password="robot:s3cret") as running:
        yield running


@pytest.fixture
def hosts() -> Iterator[code_hosts.Hosts]:
    with code_hosts.serving() as running:
        yield running


def project(name: str, repos: list[str], destinations: list[dict[str, str]] | None = None) -> Object:
    spec: dict[str, Any] = {
        "sourceRepos": repos,
        "destinations": destinations or [{"server": SERVER, "namespace": "team-a"}],
    }
    return {"apiVersion": API, "kind": "AppProject", "metadata": {"name": name, "namespace": "argocd"}, "spec": spec}


def secret(name: str, kind: str, /, **data: str) -> Object:
    encoded = {key: base64.b64encode(text.encode()).decode() for key, text in data.items()}
    labels = {"argocd.argoproj.io/secret-type": kind} if kind else {}
    metadata = {"name": name, "namespace": "argocd", "labels": labels}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque", "data": encoded}


def of_team(generator: Any, *, owner: str = "team-a", name: str = "{{path.basename}}", server: str = SERVER) -> Object:
    spec = {**app_spec("apps"), "project": owner, "destination": {"server": server, "namespace": "team-a"}}
    return appset(generator, template={"metadata": {"name": name}, "spec": spec})


def files(url: str) -> dict[str, Any]:
    return {"git": {"repoURL": url, "revision": "main", "files": [{"path": "apps/*/config.yaml"}]}}


def play(
    tmp_path: pathlib.Path,
    story: Story,
    *,
    sets: ApplicationSets | None = None,
    reach: urls.Reach = this_machine.REACH,
) -> None:
    """Run a controller with real Git and real HTTP on a sandbox."""

    async def main() -> None:
        chosen = msgspec.structs.replace(SETTINGS, application_sets=sets or ApplicationSets())
        bed = SandboxBed(settings=chosen, source=GitSource(str(tmp_path / "cache"), reach=reach))
        bed.web = WebReader(reach)
        await start(bed)
        controller = bed.controller()
        await controller.start()
        await story(Sets(bed))
        assert not bed.failures
        await controller.stop()
        await bed.stop()

    run_hybrid(main())


@pytest.fixture
def looked_up(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names that somebody looks up."""
    found: list[str] = []
    real = socket.getaddrinfo

    def noted(host: Any, *arguments: Any, **options: Any) -> Any:
        found.append(str(host))
        return real(host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", noted)
    return found


async def refused(sets: Sets, obj: Object, words: str) -> str:
    await sets.bed.apply(obj)
    await sets.until_error(words)
    assert await sets.names() == []
    return str((await sets.condition("ErrorOccurred"))["message"])


def test_a_git_generator_reads_no_repository_that_its_project_does_not_permit(
    tmp_path: pathlib.Path, private: git_http.Server, looked_up: list[str]
) -> None:
    url = private.url("private")

    async def story(sets: Sets) -> None:
        bed = sets.bed
        await bed.apply(project("team-a", ["https://git.example/team-a/*"]))
        await bed.apply(secret("all", "repository", url=url, username="robot", password="s3cret"))
        words = "is not permitted in project 'team-a'"
        missing = url.replace("private", "missing")
        there = await refused(sets, of_team(files(url)), f"{url} {words}")
        gone = await refused(sets, of_team(files(missing)), f"{missing} {words}")
        assert there.replace("private", "missing") == gone
        await refused(sets, of_team(files("http://nowhere.invalid/x")), f"http://nowhere.invalid/x {words}")
        assert private.requests == []
        assert "nowhere.invalid" not in looked_up
        # The same set is the operator's where its project is, and reads.
        await bed.apply(of_team(files(url), owner="default"))
        await sets.until_apps("one")

    play(tmp_path, story)


def test_a_permitted_repository_is_not_read_with_the_credentials_of_another_project(
    tmp_path: pathlib.Path, private: git_http.Server
) -> None:
    url = private.url("private")

    async def story(sets: Sets) -> None:
        bed = sets.bed
        await bed.apply(project("team-a", ["*"]))
        await bed.apply(project("team-b", ["*"]))
        own = {"url": url, "username": "robot", "password": "s3cret", "project": "team-b"}
        await bed.apply(secret("of-b", "repository", **own))
        await bed.apply(of_team(files(url), owner="team-b"))
        await sets.until_apps("one")
        await bed.delete("ApplicationSet", "set", API, bed.control)
        await sets.until_apps()
        private.logins.clear()
        # What was read for the other project a moment ago is not handed on either.
        await refused(sets, of_team(files(url)), "authentication required")
        assert private.logins
        assert set(private.logins) == {""}

    play(tmp_path, story)


def test_a_submodule_that_the_project_does_not_permit_is_not_read_into_parameters(tmp_path: pathlib.Path) -> None:
    from tests.component.git.test_submodules import link

    inner = git_http.Repository(tmp_path / "served" / "inner")
    first = inner.commit({"config.yaml": f"name: {CANARY}"})
    outer = git_http.Repository(tmp_path / "served" / "outer")
    outer.commit({"apps/own/config.yaml": "name: own"})
    with git_http.serve(tmp_path / "served") as server:
        link(outer, "apps/foreign", server.url("inner"), first)

        async def story(sets: Sets) -> None:
            bed = sets.bed
            await bed.apply(project("team-a", [server.url("outer")]))
            words = "is not permitted in project 'team-a'"
            message = await refused(sets, of_team(files(server.url("outer"))), words)
            assert CANARY not in message
            assert not any(path.startswith("/inner") for path in server.requests)

        play(tmp_path, story)


@pytest.mark.parametrize(
    "key",
    ["server.secretkey", "admin.password", "plugin.token"],
)
@pytest.mark.parametrize("owner", ["team-a", "default"])
def test_a_key_of_the_installation_is_sent_to_nobody(
    tmp_path: pathlib.Path, hosts: code_hosts.Hosts, key: str, owner: str
) -> None:
    ref = {"secretName": "argocd-secret", "key": key}
    block = {"github": {"owner": "acme", "repo": "web", "api": hosts.address, "tokenRef": ref}}

    async def story(sets: Sets) -> None:
        bed = sets.bed
        await bed.apply(project("team-a", ["*"]))
        # The label does not help either.
        await bed.apply(secret("argocd-secret", "scm-creds", **{key: code_hosts.TOKEN}))
        message = await refused(sets, of_team({"pullRequest": block}, owner=owner), "Secret argocd/argocd-secret")
        assert code_hosts.TOKEN not in message
        assert hosts.asked == []

    play(tmp_path, story, sets=ApplicationSets(allowed_scm_providers=(hosts.address,)))


def test_a_token_goes_only_to_hosts_that_the_operator_lists(tmp_path: pathlib.Path, hosts: code_hosts.Hosts) -> None:
    ref = {"secretName": "token", "key": "token"}
    block = {"github": {"owner": "acme", "repo": "web", "api": hosts.address, "tokenRef": ref}}

    async def story(sets: Sets) -> None:
        bed = sets.bed
        await bed.apply(project("team-a", ["*"]))
        await bed.apply(secret("token", "scm-creds", token=code_hosts.TOKEN))
        wanted = of_team({"pullRequest": block}, name="pull-{{number}}")
        await refused(sets, wanted, "is not asked on behalf of project 'team-a'")
        assert hosts.asked == []
        # For the operator's sets an empty list permits every host, as with Argo CD.
        await bed.apply(of_team({"pullRequest": block}, owner="default", name="pull-{{number}}"))
        await sets.until_apps("pull-1", "pull-2", "pull-3")

    play(tmp_path, story)


def test_a_listed_host_is_asked_with_a_labelled_token_and_an_unlabelled_one_is_not_shown(
    tmp_path: pathlib.Path, hosts: code_hosts.Hosts
) -> None:
    ref = {"secretName": "token", "key": "token"}
    block = {"github": {"owner": "acme", "repo": "web", "api": hosts.address, "tokenRef": ref}}

    async def story(sets: Sets) -> None:
        bed = sets.bed
        await bed.apply(project("team-a", ["*"]))
        await bed.apply(secret("token", "", token=code_hosts.TOKEN))
        wanted = of_team({"pullRequest": block}, name="pull-{{number}}")
        await refused(sets, wanted, "needs the label argocd.argoproj.io/secret-type: scm-creds")
        assert hosts.asked == []
        await bed.apply(secret("token", "scm-creds", token=code_hosts.TOKEN))
        await sets.until_apps("pull-1", "pull-2", "pull-3")

    play(tmp_path, story, sets=ApplicationSets(project_hosts=(f"team-a={hosts.address}",)))


def test_a_redirect_of_a_listed_host_leads_nowhere_else(tmp_path: pathlib.Path, hosts: code_hosts.Hosts) -> None:
    ref = {"secretName": "token", "key": "token"}
    with code_hosts.serving() as elsewhere:
        hosts.refusal = (302, {"Location": f"{elsewhere.address}/api/v3/repos/acme/web/pulls"})
        block = {"github": {"owner": "acme", "repo": "web", "api": hosts.address, "tokenRef": ref}}

        async def story(sets: Sets) -> None:
            bed = sets.bed
            await bed.apply(project("team-a", ["*"]))
            await bed.apply(secret("token", "scm-creds", token=code_hosts.TOKEN))
            await refused(sets, of_team({"pullRequest": block}), "redirects to another host, which is not asked")
            assert elsewhere.asked == []

        play(tmp_path, story, sets=ApplicationSets(allowed_scm_providers=(hosts.address,)))


async def plugin_of(hosts: code_hosts.Hosts, sets: Sets) -> Object:
    """Describe a plugin, and return a set that asks it."""
    bed = sets.bed
    await bed.apply(project("team-a", ["*"]))
    await bed.apply(secret("argocd-secret", "", **{"plugin.token": code_hosts.TOKEN}))
    metadata = {"name": "maker", "namespace": "argocd"}
    data = {"baseUrl": hosts.address, "token": "$plugin.token"}
    await bed.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
    return of_team({"plugin": {"configMapRef": {"name": "maker"}}}, name="{{name}}")


def test_a_plugin_is_not_asked_for_a_project(tmp_path: pathlib.Path, hosts: code_hosts.Hosts) -> None:
    async def story(sets: Sets) -> None:
        wanted = await plugin_of(hosts, sets)
        await refused(sets, wanted, "plugin maker is not asked on behalf of project 'team-a'")

    play(tmp_path, story)
    assert hosts.asked == []


def test_a_plugin_is_asked_for_a_project_that_the_operator_names(
    tmp_path: pathlib.Path, hosts: code_hosts.Hosts
) -> None:
    async def story(sets: Sets) -> None:
        await sets.bed.apply(await plugin_of(hosts, sets))
        await sets.until_apps("one", "two")

    play(tmp_path, story, sets=ApplicationSets(project_plugins=("team-a=maker",)))
    assert hosts.asked == ["/api/v1/getparams.execute"]


def test_clusters_that_a_project_does_not_permit_give_no_parameters(tmp_path: pathlib.Path) -> None:
    async def story(sets: Sets) -> None:
        bed = sets.bed
        await bed.apply(project("team-a", ["*"], [{"server": "https://east.example", "namespace": "*"}]))
        for name in ("east", "west"):
            described = secret(name, "cluster", name=name, server=f"https://{name}.example", config="{}")
            described["metadata"]["annotations"] = {"note": CANARY if name == "west" else "plain"}
            await bed.apply(described)
        name = "{{name}}-{{metadata.annotations.note}}"
        await bed.apply(of_team({"clusters": {}}, name=name, server="{{server}}"))
        await sets.until_apps("east-plain")
        await bed.quiet()
        assert await sets.names() == ["east-plain"]

    play(tmp_path, story)


def test_answers_of_one_project_are_not_handed_to_another(tmp_path: pathlib.Path, hosts: code_hosts.Hosts) -> None:
    ref = {"secretName": "token", "key": "token"}
    block = {"github": {"owner": "acme", "repo": "web", "api": hosts.address, "tokenRef": ref}}

    async def story(sets: Sets) -> None:
        bed = sets.bed
        await bed.apply(project("team-a", ["*"]))
        await bed.apply(project("team-b", ["*"]))
        await bed.apply(secret("token", "scm-creds", token=code_hosts.TOKEN, project="team-b"))
        await bed.apply(of_team({"pullRequest": block}, owner="team-b", name="pull-{{number}}"))
        await sets.until_apps("pull-1", "pull-2", "pull-3")
        await bed.delete("ApplicationSet", "set", API, bed.control)
        await sets.until_apps()
        count = len(hosts.asked)
        await refused(sets, of_team({"pullRequest": block}), "Secret argocd/token is not available to the set")
        await asyncio.sleep(5)
        assert len(hosts.asked) == count

    play(tmp_path, story, sets=ApplicationSets(allowed_scm_providers=(hosts.address,)))
