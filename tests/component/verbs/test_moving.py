"""What a move from Argo CD would have refused, read from a cluster; `doctor` names admin-equivalent projects."""

from typing import Any

from syncline.apimachinery.keys import Object
from syncline.cli.doctor import project_checks
from syncline.verbs.moving import refused_after_move
from tests.support.loops.simulated import run_simulated
from tests.support.sets import app_spec, appset, listed, start
from tests.support.world import API, SETTINGS, SandboxBed


def project(name: str, *destinations: Object) -> Object:
    metadata = {"name": name, "namespace": "argocd"}
    spec: Any = {"sourceRepos": ["*"], "destinations": list(destinations)}
    return {"apiVersion": API, "kind": "AppProject", "metadata": metadata, "spec": spec}


def team_set(name: str, *generators: Any) -> Object:
    template = {"metadata": {"name": "{{name}}"}, "spec": app_spec(project="team-a")}
    return appset(*generators, name=name, template=template)


def test_sets_and_secrets_that_would_be_refused_are_read_and_nothing_is_written() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await start(bed)
        assert await refused_after_move(bed.user, SETTINGS) == ()
        await bed.apply(project("team-a", {"server": "*", "namespace": "a-*"}))
        over = {"project": "default", "destination": {}, "source": {"repoURL": ""}}
        escape = {"list": {"elements": [], "template": {"metadata": {}, "spec": over}}}
        token = {"github": {"organization": "o", "tokenRef": {"secretName": "token", "key": "t"}}}
        for one in (
            team_set("good", listed("x")),
            team_set("escape", escape),
            team_set("asking", {"scmProvider": {**token, "filters": []}}),
            {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "token", "namespace": "argocd"}},
        ):
            await bed.apply(one)
        refused = await refused_after_move(bed.world().home, SETTINGS)
        assert [(one.kind, one.name) for one in refused] == [
            ("ApplicationSet", "argocd/escape"),
            ("Secret", "argocd/token"),
        ]
        assert bed.writes == []
        await bed.stop()

    run_simulated(main)


def test_doctor_warns_of_projects_that_may_deliver_what_decides_about_rights() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        await bed.apply(project("team-a", {"server": "*", "namespace": "a-*"}))
        await bed.apply(project("team-b", {"name": "in-cluster", "namespace": "argo*"}))
        (check,) = [one async for one in project_checks(bed.user, await bed.user.discover(), SETTINGS)]
        assert check.status == "warning", "a stock installation has such a project, and works"
        assert "default may deliver Application, ApplicationSet, AppProject" in check.found
        assert "team-b" in check.found
        assert "team-a" not in check.found
        assert "'!argocd'" in check.fix
        denied = {"server": "*", "namespace": "!argocd"}
        await bed.apply(project("default", {"server": "*", "namespace": "*"}, denied))
        await bed.apply(project("team-b", {"server": "*", "namespace": "b-*"}))
        (check,) = [one async for one in project_checks(bed.user, await bed.user.discover(), SETTINGS)]
        assert (check.status, check.found) == ("ok", "none")
        await bed.stop()

    run_simulated(main)
