"""A sandbox with ApplicationSets, for the tests that play them."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from syncline.apimachinery.keys import Object
from syncline.model import crds
from syncline.model.settings.parts import ApplicationSets
from tests.support.loops.simulated import run_simulated
from tests.support.world import API, SETTINGS, SandboxBed

REPO = "https://git.example/repo.git"
SERVER = "https://kubernetes.default.svc"


def appset(*generators: Any, name: str = "set", template: Any = None, **spec: Any) -> Object:
    shown = template or {"metadata": {"name": "{{name}}"}, "spec": app_spec()}
    return {
        "apiVersion": API,
        "kind": "ApplicationSet",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {"generators": list(generators), "template": shown, **spec},
    }


def app_spec(path: str = "apps/{{name}}", **more: Any) -> Object:
    return {
        "project": "default",
        "source": {"repoURL": REPO, "path": path, "targetRevision": "main"},
        "destination": {"server": SERVER, "namespace": "web"},
        **more,
    }


def listed(*names: str, **more: str) -> Object:
    return {"list": {"elements": [{"name": name, **more} for name in names]}}


class Sets:
    """A sandbox with ApplicationSets, and what tests ask of it."""

    def __init__(self, bed: SandboxBed) -> None:
        self.bed = bed

    async def names(self) -> list[str]:
        resource = await self.bed.resource(API, "Application")
        found = await self.bed.user.list(resource, namespace=self.bed.control)
        return sorted(item["metadata"]["name"] for item in found.items)

    async def until_apps(self, *names: str) -> None:
        async def there() -> bool:
            return await self.names() == sorted(names)

        try:
            await self.bed.until(there, f"there are exactly {names}")
        except AssertionError as error:
            raise AssertionError(f"{error}: there are {await self.names()}; {await self.status()}") from None

    async def status(self, name: str = "set") -> Object:
        found = await self.bed.get("ApplicationSet", name, API, self.bed.control)
        return (found or {}).get("status") or {}

    async def condition(self, kind: str, name: str = "set") -> Object:
        conditions = (await self.status(name)).get("conditions") or ()
        return next((one for one in conditions if one["type"] == kind), {})

    async def until_error(self, words: str) -> None:
        async def told() -> bool:
            error = await self.condition("ErrorOccurred")
            return error.get("status") == "True" and words in error.get("message", "")

        try:
            await self.bed.until(told, f"an error with {words!r}")
        except AssertionError as error:
            raise AssertionError(f"{error}: {await self.status()}") from None

    async def until_fine(self, name: str = "set") -> None:
        async def fine() -> bool:
            return (await self.condition("ResourcesUpToDate", name)).get("status") == "True"

        await self.bed.until(fine, "the set is up to date")


async def start(bed: SandboxBed) -> None:
    """Install all kinds."""
    await bed.start()
    await bed.apply(crds.applicationset_crd())
    await bed.until(lambda: bed.served("applicationsets"), "sets are served")


def play(story: Callable[[Sets], Awaitable[None]], *, sets: ApplicationSets | None = None, **settings: Any) -> None:
    async def main() -> None:
        chosen = msgspec.structs.replace(SETTINGS, application_sets=sets or ApplicationSets(), **settings)
        bed = SandboxBed(settings=chosen)
        await start(bed)
        controller = bed.controller()
        await controller.start()
        await story(Sets(bed))
        assert not bed.failures
        assert not bed.violations
        await controller.stop()
        await bed.stop()

    run_simulated(main)
