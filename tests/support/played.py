"""Short words for component tests of the controller: tell a story, ask for a sync, read what came of it."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import msgspec
import orjson

from syncline.apimachinery.keys import Object
from syncline.model import names
from syncline.model.settings.settings import Compat, Settings
from syncline.ports.evaluate import Evaluator
from syncline.ports.transport import Request, Response, Transport
from tests.support import manifests, stories
from tests.support.loops.simulated import run_simulated
from tests.support.simulation import faults
from tests.support.world import API, SETTINGS, Bed, SandboxBed

COMPATS = [Compat.SYNCLINE, Compat.ARGOCD]
AUTO = {"prune": True, "selfHeal": True}
FINALIZER = "resources-finalizer.argocd.argoproj.io"


class PickyBed(SandboxBed):
    """A sandbox that forbids controllers what is in `forbidden`: a method and a part of the path."""

    def __init__(
        self,
        settings: Settings = SETTINGS,
        forbidden: Iterable[tuple[str, str]] = (),
        evaluator: Evaluator | None = None,
    ) -> None:
        super().__init__(0, settings=settings, evaluator=evaluator)
        self.forbidden = set(forbidden)
        self.deletes: dict[str, Object] = {}
        """What controllers sent along with the last deletion of each object, by its name."""

    def transport(self) -> Transport:
        return Picky(super().transport(), self)


class Picky:
    """A transport on which some requests are forbidden."""

    def __init__(self, inner: Transport, bed: PickyBed) -> None:
        self._inner = inner
        self._bed = bed

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        if any(request.method == method and part in request.path for method, part in self._bed.forbidden):
            return faults.Refusal(403, "Forbidden")
        if request.method == "DELETE":
            name = request.path.partition("?")[0].rsplit("/", 1)[-1]
            self._bed.deletes[name] = orjson.loads(request.body or b"{}")
        return await self._inner.send(request, timeout=timeout)

    async def close(self) -> None:
        await self._inner.close()


def tell(
    story: Callable[[Any], Awaitable[None]],
    compat: Compat = Compat.SYNCLINE,
    *,
    forbidden: Iterable[tuple[str, str]] = (),
    **settings: Any,
) -> None:
    """Play a story on a sandbox of its own with one controller, in virtual time."""

    async def main() -> None:
        chosen = msgspec.structs.replace(SETTINGS, compat=compat, **settings)
        await stories.play(PickyBed(chosen, forbidden), story)

    run_simulated(main, seed=0)


def config(name: str, *, wave: int = 0, kind: str = "ConfigMap", colour: str = "blue", **annotations: str) -> str:
    """Return a manifest without health; annotations are given by their names with `_` for everything odd."""
    marks = {names.SYNC_WAVE: str(wave), **{_annotation(key): text for key, text in annotations.items()}}
    field = "data" if kind == "ConfigMap" else "stringData"
    return manifests.annotated(name, marks, kind=kind, data=f"{field}: {{colour: {colour}}}")


def _annotation(word: str) -> str:
    return {
        "options": names.SYNC_OPTIONS,
        "hook": names.HOOK,
        "policy": names.HOOK_DELETE_POLICY,
        "keep": names.HELM_RESOURCE_POLICY,
    }.get(word, word)


def app_with(bed: Bed, *options: str, automated: dict[str, Any] | None = None, **policy: Any) -> Object:
    """Return the app with sync options and parts of its sync policy; retries are off unless asked for."""
    app = bed.application(automated=automated)
    app["spec"]["syncPolicy"]["syncOptions"] += options
    app["spec"]["syncPolicy"] |= {"retry": {"limit": 0}, **policy}
    return app


async def namespace(bed: Bed) -> None:
    """Make the destination namespace."""
    await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": bed.target}})


async def state(bed: Bed, name: str = "web") -> dict[str, Any]:
    """Return the state of the app's last operation."""
    return (await bed.app_status(name)).get("operationState") or {}


async def ask(bed: Bed, **sync: Any) -> None:
    """Ask for a sync, as somebody."""
    operation = {"sync": sync, "initiatedBy": {"username": "ann"}}
    await bed.patch("Application", "web", {"operation": operation}, API, bed.control)


async def sync(bed: Bed, **rest: Any) -> dict[str, Any]:
    """Ask for a sync, wait for its end and return its state."""
    before = (await state(bed)).get("finishedAt")
    await bed.clock.sleep(2)
    await ask(bed, **rest)

    async def over() -> bool:
        found = await state(bed)
        return found.get("finishedAt") not in (None, before) and "operation" not in await bed.app()

    await bed.until(over, "the sync is over")
    return await state(bed)


async def until_phase(bed: Bed, phase: str) -> dict[str, Any]:
    """Wait until the last operation is in a phase; return its state."""

    async def reached() -> bool:
        return await bed.phase() == phase

    await bed.until(reached, phase)
    return await state(bed)


async def until_told(bed: Bed, words: str) -> dict[str, Any]:
    """Wait until the operation's message has these words; return its state."""

    async def told() -> bool:
        return words in str((await state(bed)).get("message"))

    await bed.until(told, words)
    return await state(bed)


async def conditions(bed: Bed, name: str = "web") -> list[tuple[str, str]]:
    """Return types and messages of the app's conditions."""
    return [(item["type"], item["message"]) for item in (await bed.app_status(name)).get("conditions") or ()]


async def until_condition(bed: Bed, kind: str) -> str:
    """Wait for a condition of a type; return its message."""

    async def told() -> bool:
        return any(found == kind for found, _ in await conditions(bed))

    await bed.until(told, kind)
    return next(message for found, message in await conditions(bed) if found == kind)


async def annotate(bed: Bed, **annotations: str | None) -> None:
    """Set annotations of the app."""
    await bed.patch("Application", "web", {"metadata": {"annotations": annotations}}, API, bed.control)


async def until_gone(bed: Bed, kind: str, name: str, api_version: str = "v1", namespace_: str = "") -> None:
    """Wait until an object is gone."""

    async def gone() -> bool:
        return await bed.get(kind, name, api_version, namespace_) is None

    await bed.until(gone, f"{kind}/{name} is gone")


async def delete_app(bed: Bed) -> None:
    """Delete the app and wait until it is gone."""
    await bed.delete("Application", "web", API, bed.control)
    await until_gone(bed, "Application", "web", API, bed.control)


def sent(bed: Bed, *wanted: str, since: int = 0) -> list[str]:
    """Return what was written of these objects, in order: the verb and the name."""
    found = []
    for line in bed.writes[since:]:
        verb, path = line.split(" ", 1)
        name = path.partition("?")[0].rsplit("/", 1)[-1]
        if name in wanted:
            found.append(f"{verb} {name}")
    return found


async def events(bed: Bed) -> list[tuple[str, str, str]]:
    """Return type, reason and message of all Events about Applications, in order."""
    listed = await bed.user.list(await bed.resource("v1", "Event"), namespace=bed.control)
    found = sorted(listed.items, key=lambda item: int(item["metadata"]["resourceVersion"]))
    return [
        (item["type"], item["reason"], item["message"])
        for item in found
        if item["involvedObject"]["kind"] == "Application"
    ]
