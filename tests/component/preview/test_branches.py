"""A branch looked at for a server: real Git, real renders, and nothing but what whoever asks knows already."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from syncline import wiring
from syncline.api.branches import look_at_branch
from syncline.model.preview import AppAction, Preview
from syncline.model.settings.settings import Settings
from syncline.server.insight.branches import Revisions, Wish
from tests.support.git_http import Repository

WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: api}
spec:
  replicas: 2
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec: {containers: [{name: api, image: "registry.example/api:1"}]}
"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def app(name: str, url: str | Path, path: str) -> str:
    return f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec:
  project: default
  source: {{repoURL: {url}, path: {path}}}
  destination: {{server: https://kubernetes.default.svc, namespace: web}}
"""


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "shop")
    here = repository.folder
    repository.commit({"apps/api.yaml": app("api", here, "api"), "api/web.yaml": WORKLOAD, "quiet/a.yaml": "{}"})
    return repository


async def looked(shop: Repository, base: str, head: str, *permitted: str) -> tuple[Preview, list[str]]:
    world = wiring.rendering_ports(Settings(), {})
    told: list[str] = []
    wish = Wish(repo_url=str(shop.folder), head=head, permitted=permitted)
    try:
        return await look_at_branch(world, wish, Revisions(base, head), lambda *one: told.append(one[2])), told
    finally:
        await world.evaluator.close()


async def test_a_branch_tells_apps_objects_fields_and_the_line(shop: Repository) -> None:
    base = shop.git("rev-parse", "HEAD")
    head = shop.commit({"api/web.yaml": WORKLOAD.replace("replicas: 2", "replicas: 5")})
    found, told = await looked(shop, base, head)
    (changed,) = found.apps
    assert (changed.name, changed.action) == ("argocd/api", AppAction.CHANGED)
    (field,) = changed.objects[0].fields
    assert (field.path, field.before, field.after, str(field.place)) == ("spec.replicas", 2, 5, "api/web.yaml:5")
    assert told == ["argocd/api", "argocd/api"]


async def test_a_repository_that_nobody_visible_uses_is_not_read_for_a_branch(shop: Repository, tmp_path: Path) -> None:
    other = Repository(tmp_path / "secrets")
    other.commit({"web/one.yaml": WORKLOAD.replace("api", "hidden")})
    base = shop.git("rev-parse", "HEAD")
    head = shop.commit({"apps/spy.yaml": app("spy", other.folder, "web")})
    denied, _ = await looked(shop, base, head)
    assert denied.objects == 1, "that of the other app"
    assert [one.what for one in denied.not_looked] == [f"repository {other.folder} is not fetched for a branch"]
    allowed, _ = await looked(shop, base, head, str(other.folder))
    assert (allowed.objects, allowed.not_looked) == (2, ())


async def test_links_and_settings_of_a_branch_lead_nowhere_on_this_machine(shop: Repository, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "web.yaml").write_text(WORKLOAD.replace("api", "canary"))
    base = shop.git("rev-parse", "HEAD")
    (shop.folder / "linked").symlink_to(tmp_path / "outside")
    (shop.folder / "api" / "link.yaml").symlink_to(tmp_path / "outside" / "web.yaml")
    head = shop.commit(
        {
            "apps/spy.yaml": app("spy", "https://git.example/elsewhere.git", "."),
            "apps/linked.yaml": app("linked", shop.folder, "linked"),
            "syncline.toml": f'[repositories]\n"https://git.example/elsewhere.git" = "{tmp_path}/outside"\n',
        }
    )
    found, _ = await looked(shop, base, head)
    assert {one.name for one in found.apps} == {"argocd/spy", "argocd/linked"}
    assert "canary" not in repr(found)


async def test_a_look_that_is_given_up_ends(shop: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    base = shop.git("rev-parse", "HEAD")
    begun = asyncio.Event()

    class Slow:
        fingerprint = "slow"

        async def render(self, *_: object) -> None:
            begun.set()
            await asyncio.Event().wait()

    world = wiring.rendering_ports(Settings(), {})
    monkeypatch.setattr(world, "renderer", Slow())
    wish = Wish(repo_url=str(shop.folder), head=base)
    task = asyncio.get_running_loop().create_task(
        look_at_branch(world, wish, Revisions(base, base), lambda *_: None), name="look"
    )
    async with asyncio.timeout(60):
        await begun.wait()
        task.cancel()
        await asyncio.wait({task})
    assert task.cancelled()
    await world.evaluator.close()
