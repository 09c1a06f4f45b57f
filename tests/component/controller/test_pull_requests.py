"""Pull requests on the sandbox: a code host is asked with the token of a Secret, which no error tells."""

import msgspec
import orjson

from syncline.apimachinery.keys import Object
from syncline.ports.web import WebAnswer, WebError, WebRequest
from tests.support.loops.simulated import run_simulated
from tests.support.sets import Sets, app_spec, appset, start
from tests.support.world import SETTINGS, SandboxBed

TOKEN = "t0ken-of-nobody"


class Host:
    """A code host with one repository."""

    def __init__(self) -> None:
        self.status = 200
        self.down = False
        self.pulls: list[Object] = []
        self.asked: list[tuple[str, str]] = []

    async def ask(self, request: WebRequest) -> WebAnswer:
        self.asked.append((request.url, request.authorization))
        if self.down:
            raise WebError("connection refused")
        return WebAnswer(self.status, {}, orjson.dumps(self.pulls))


def pull(number: int) -> Object:
    return {"number": number, "title": "x", "head": {"ref": f"b{number}", "sha": "1" * 40}, "base": {"ref": "main"}}


def test_previews_come_and_go_with_pull_requests_and_stay_while_the_host_is_away() -> None:
    host = Host()

    async def main() -> None:
        bed = SandboxBed(settings=msgspec.structs.replace(SETTINGS))
        await start(bed)
        sets = Sets(bed)
        metadata = {"name": "github", "namespace": bed.control}
        await bed.apply({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"token": TOKEN}})
        world = bed.world()
        world.web = host
        controller = bed.controller_of(world)
        await controller.start()
        host.pulls = [pull(number) for number in range(7)]
        ref = {"tokenRef": {"secretName": "github", "key": "token"}}
        generator = {"pullRequest": {"github": {"owner": "acme", "repo": "shop", **ref}, "requeueAfterSeconds": 5}}
        template = {"metadata": {"name": "pr-{{number}}"}, "spec": app_spec("apps/web")}
        await bed.apply(appset(generator, template=template))
        await sets.until_apps(*(f"pr-{number}" for number in range(7)))
        assert {authorization for _, authorization in host.asked} == {f"Bearer {TOKEN}"}
        host.status = 401
        await sets.until_error("answers with status 401")
        assert TOKEN not in str(await sets.status())
        assert len(await sets.names()) == 7
        # Few are left: that is what happens to pull requests, so nobody is asked.
        host.status, host.pulls = 200, [pull(0)]
        await bed.clock.sleep(200)
        await sets.until_apps("pr-0")
        await controller.stop()
        await bed.stop()

    run_simulated(main)
