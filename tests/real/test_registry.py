"""Charts that the real helm pushed to a real registry, and images there: found by version, digest and login."""

import base64
import json
import pathlib
from collections.abc import Iterator

import pytest

from syncline.adapters.charts.source import ChartSource
from syncline.adapters.images.lookup import RegistryImages
from syncline.cli.main import main
from syncline.model.errors import SourceError
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, Repository, Way
from syncline.ports.source import ChartRequest
from tests.real import registries
from tests.support import chart_server, git_http, this_machine

pytestmark = pytest.mark.timeout(900)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=[False, True], ids=["open", "private"])
def place(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Iterator[tuple[str, bool]]:
    folder = tmp_path / "registry"
    folder.mkdir()
    with registries.serve(folder, login=request.param) as running:
        yield running, request.param


def push(folder: pathlib.Path, place: str, version: str, *, login: bool) -> None:
    packed = chart_server.package(folder, "web", version, {"values.yaml": f"version: {version}\n"})
    config = folder / "registry.json"
    auths = {place: {"auth": base64.b64encode(b"ada:canary").decode()}} if login else {}
    config.write_text(json.dumps({"auths": auths}))
    chart_server.run("push", str(packed), f"oci://{place}/charts", "--plain-http", "--registry-config", str(config))


def access(place: str, *, login: bool) -> SourceAccess:
    credentials = Credentials(username="ada", password="canary") if login else Credentials()
    way = Way(oci=True, plain_http=True)
    return SourceAccess(repositories=(Repository(url=f"oci://{place}/charts", credentials=credentials, way=way),))


async def test_a_pushed_chart_is_found_by_constraint_and_read(place: tuple[str, bool], tmp_path: pathlib.Path) -> None:
    registry, login = place
    for version in ("1.0.0", "1.4.2", "2.0.0-rc.1", "1.4.2+build.7"):
        push(tmp_path, registry, version, login=login)
    charts = ChartSource(str(tmp_path / "cache"), reach=this_machine.REACH)
    url = f"oci://{registry}/charts"
    if login:
        charts.use(access(registry, login=False))
        with pytest.raises(SourceError, match="authentication required"):
            await charts.resolve(ChartRequest(url, "web", "1.x"))
    charts.use(access(registry, login=login))
    await charts.check(url)
    assert await charts.resolve(ChartRequest(url, "web", "~1.0")) == "1.0.0"
    assert await charts.resolve(ChartRequest(url, "web", ">=2.0.0-0")) == "2.0.0-rc.1"
    tree = await charts.tree(ChartRequest(url, "web", "1.4.2"))
    assert tree.read("values.yaml") == b"version: 1.4.2\n"
    build = await charts.tree(ChartRequest(url, "web", "1.4.2+build.7"))
    assert build.read("values.yaml") == b"version: 1.4.2+build.7\n"
    with pytest.raises(SourceError, match="not found: "):
        await charts.tree(ChartRequest(url, "web", "9.9.9"))


async def test_the_chart_as_an_artifact_is_known_by_its_digest(place: tuple[str, bool], tmp_path: pathlib.Path) -> None:
    registry, login = place
    push(tmp_path, registry, "1.0.0", login=login)
    charts = ChartSource(str(tmp_path / "cache"), reach=this_machine.REACH)
    url = f"oci://{registry}/charts/web"
    known = access(registry, login=login)
    charts.use(
        SourceAccess(
            repositories=(Repository(url=url, way=Way(plain_http=True), credentials=known.repositories[0].credentials),)
        )
    )
    digest = await charts.resolve(ChartRequest(url, "", "1.0.0"))
    assert digest.startswith("sha256:")
    assert (await charts.tree(ChartRequest(url, "", digest))).read("values.yaml") == b"version: 1.0.0\n"


async def test_an_image_is_there_or_not(place: tuple[str, bool], tmp_path: pathlib.Path) -> None:
    registry, login = place
    push(tmp_path, registry, "1.0.0", login=login)
    images = RegistryImages(on=True, plain_http=[registry], reach=this_machine.REACH)
    secret = f'{{"auths": {{"{registry}": {{"username": "ada", "password": "canary"}}}}}}'
    pull_secrets = [secret] if login else []
    assert (await images.look_up(f"{registry}/charts/web:1.0.0", pull_secrets)).exists is True
    assert (await images.look_up(f"{registry}/charts/web:2.0.0", pull_secrets)).exists is False
    if login:
        assert (await images.look_up(f"{registry}/charts/web:1.0.0")).exists is None


def test_the_images_of_an_application_are_checked_against_a_real_registry(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "registry").mkdir()
    monkeypatch.setenv("SYNCLINE_CACHE", str(tmp_path / "cache"))
    shop = git_http.Repository(tmp_path / "shop")
    with registries.serve(tmp_path / "registry") as running:
        push(tmp_path, running, "1.0.0", login=False)
        pod = "apiVersion: v1\nkind: Pod\nmetadata: {{name: p{0}}}\nspec: {{containers: [{{name: a, image: '{1}'}}]}}\n"
        shop.commit({f"app/{v}.yaml": pod.format(v, f"{running}/charts/web:{v}") for v in ("1.0.0", "2.0.0")})
        source = {"repoURL": "https://git.example/shop", "path": "app"}
        spec = {"project": "default", "source": source, "destination": {"namespace": "web"}}
        app = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "shop"}, "spec": spec}
        (tmp_path / "app.json").write_text(json.dumps(app))
        copy = f"https://git.example/shop={shop.folder}"
        with pytest.raises(SystemExit) as ended:
            main(["app", "manifests", str(tmp_path / "app.json"), "--check-images", "--repo", copy])
        assert ended.value.code == 1
        assert capsys.readouterr().err == f"app/2.0.0.yaml:1: {running} has no charts/web:2.0.0\n"


async def test_the_tags_of_a_real_registry_are_listed_and_a_missing_repository_is_told_apart(
    place: tuple[str, bool], tmp_path: pathlib.Path
) -> None:
    registry, login = place
    for version in ("1.4.1", "1.4.2"):
        push(tmp_path, registry, version, login=login)
    secrets = [(tmp_path / "registry.json").read_text()]
    images = RegistryImages(on=True, reach=this_machine.REACH)
    assert await images.tags(f"{registry}/charts/web:1.4.22", secrets) == ("1.4.1", "1.4.2")
    assert await images.tags(f"{registry}/charts/wbe:1.4.2", secrets) == ()
    if login:
        assert await images.tags(f"{registry}/charts/web:1.4.2") is None
