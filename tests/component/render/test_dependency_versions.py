"""Dependencies of a chart without a lock file: a real Helm repository is asked for the newest version that fits."""

import pathlib
from collections.abc import Iterator

import pytest

from syncline.adapters.charts.source import ChartSource
from syncline.adapters.render.means import RenderMeans
from syncline.adapters.render.remote import RemoteSources
from syncline.model.errors import RenderError
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Repository, Way
from tests.component.render.rendering import CHART, Bench
from tests.support import chart_server, registry, this_machine

pytestmark = pytest.mark.anyio
TEMPLATE = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: redis}\n"
    "data: {version: '{{ .Chart.Version }}', size: '{{ .Values.size }}'}\n"
)
LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
VERSIONS = ("0.9.0", "1.2.0", "1.10.0", "2.0.0-rc.1")


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("charts")
    for version in VERSIONS:
        chart_server.package(folder, "redis", version, {"templates/config.yaml": TEMPLATE})
    chart_server.index(folder)
    return folder


@pytest.fixture
def server(packed: pathlib.Path) -> Iterator[chart_server.Server]:
    with chart_server.serve(packed) as running:
        yield running


@pytest.fixture
def charts(tmp_path_factory: pytest.TempPathFactory) -> ChartSource:
    return ChartSource(str(tmp_path_factory.mktemp("cache")), reach=this_machine.REACH)


def files(dependency: str, lock: str = "") -> dict[str, str]:
    found = {"app/Chart.yaml": f"{CHART}dependencies:\n- {{{dependency}}}\n", "app/values.yaml": "redis: {size: 5}\n"}
    return {**found, "app/Chart.lock": lock} if lock else found


async def rendered(bench: Bench, charts: ChartSource, content: dict[str, str]) -> dict[str, str]:
    """Return the data of the dependency's ConfigMap."""
    desired = await bench.render(
        content, means=RenderMeans(remote=RemoteSources(charts)), request={"source_repos": ("*",)}
    )
    (one,) = [item for item in desired.objects if item.key.name == "redis"]
    return dict(one.obj["data"])


@pytest.mark.parametrize(
    ("constraint", "version"),
    [
        ("1.2.0", "1.2.0"),
        ("^1.0.0", "1.10.0"),
        ("~1.2", "1.2.0"),
        ("1.x", "1.10.0"),
        (">=0.9.0 <1.0.0", "0.9.0"),
        ("*", "1.10.0"),
        (">=1.0.0-0", "2.0.0-rc.1"),
    ],
)
async def test_without_a_lock_the_newest_version_that_fits_is_rendered(
    bench: Bench, server: chart_server.Server, charts: ChartSource, constraint: str, version: str
) -> None:
    dependency = f"name: redis, version: '{constraint}', repository: '{server.url}'"
    data = await rendered(bench, charts, files(dependency))
    assert data == {"version": version, "size": "5"}


async def test_a_lock_wins_over_the_range(bench: Bench, server: chart_server.Server, charts: ChartSource) -> None:
    dependency = f"name: redis, version: '^1.0.0', repository: '{server.url}'"
    lock = f"dependencies: [{{name: redis, repository: '{server.url}', version: 1.2.0}}]\n"
    data = await rendered(bench, charts, files(dependency, lock))
    assert data["version"] == "1.2.0"


async def test_a_range_of_a_registry_is_matched_against_its_tags(
    bench: Bench, packed: pathlib.Path, charts: ChartSource
) -> None:
    with registry.serve() as running:
        for version in VERSIONS:
            running.put("charts/redis", version, [(LAYER, (packed / f"redis-{version}.tgz").read_bytes())])
        url = f"oci://{running.place}/charts"
        charts.use(SourceAccess(repositories=(Repository(url=url, kind="helm", way=Way(plain_http=True)),)))
        data = await rendered(bench, charts, files(f"name: redis, version: ^1.0.0, repository: '{url}'"))
        assert data["version"] == "1.10.0"


async def test_a_range_that_nothing_fits_names_the_newest_versions(
    bench: Bench, server: chart_server.Server, charts: ChartSource
) -> None:
    dependency = f"name: redis, version: '^7', repository: '{server.url}'"
    with pytest.raises(RenderError) as caught:
        await rendered(bench, charts, files(dependency))
    assert f"redis ^7 from {server.url}: chart 'redis' version '^7' not found in {server.url}" in str(caught.value)
