"""A controller serves its figures, and the Grafana dashboard asks for none that are not there."""

from __future__ import annotations

import asyncio
import json
import re
import urllib.error
import urllib.request
from importlib import resources

from syncline.controller.controller import Controller
from syncline.model.published_crd import diagnosis_crd
from syncline.server.app import Listening
from syncline.server.lists.shelf import Shelf
from syncline.server.metering.counting import CountingSink
from syncline.server.metering.scraping import controller_metrics, scraped
from tests.component.controller.test_diagnosis import break_image, until_causes
from tests.component.controller.test_notifications import Receiver, configure, think
from tests.component.server.test_metrics import LINE
from tests.support.loops.simulated import run_simulated
from tests.support.web import Site, on_site
from tests.support.world import SandboxBed

METRIC = re.compile(r"\b((?:argocd|syncline|workqueue)_[a-z0-9_]+)(?:\{([^}]*)\})?")
GROUPED = re.compile(r"\bby \(([^)]*)\)")
EVERYBODY = "- recipients: [ops]\n  triggers: [on-cause, on-deployed]\n"


def of_a_controller() -> str:
    """Return the figures of a controller with a broken Application, a cause and a notification about it."""
    found: list[str] = []

    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        await bed.apply(diagnosis_crd())
        await bed.until(lambda: bed.served("diagnoses"), "diagnoses are served")
        world = bed.world()
        world.messenger = Receiver()
        counted = CountingSink(world.sink)
        world.sink = counted
        controller = Controller(world, on_failure=lambda what, error: bed.failures.append((what, error)), think=think)
        shelf = Shelf(controller.live)
        await controller.start()
        await configure(bed, subscriptions=EVERYBODY)
        await break_image(bed, "cart")
        await until_causes(bed, 1)
        await bed.still()
        found.append(controller_metrics(controller, shelf, counted, "1.2.3"))
        assert not bed.failures
        shelf.close()
        await controller.stop()
        await bed.stop()

    run_simulated(main)
    return found[0]


def of_a_server() -> str:
    found: list[str] = []

    async def story(site: Site) -> None:
        ben = await site.as_("ben")
        await ben.get("/api/v1/applications")
        found.append((await ben.get("/metrics")).body.decode())

    on_site(story)
    return found[0]


def labels(text: str) -> dict[str, set[str]]:
    """Return the labels of every metric, by the name of its samples."""
    found: dict[str, set[str]] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name = re.split(r"[{ ]", line, maxsplit=1)[0]
            found.setdefault(name, set()).update(re.findall(r'[{,]([a-z_0-9]+)="', line))
    return found


def test_every_metric_and_label_of_the_dashboard_is_served() -> None:
    text = of_a_controller()
    lines = text.splitlines()
    assert [line for line in lines if not line.startswith("#") and not LINE.fullmatch(line)] == []
    assert 'argocd_info{version="1.2.3"} 1' in lines
    assert 'argocd_notifications_deliveries_total{trigger="on-cause",service="ops",succeeded="true"} 1' in lines
    assert any(line.startswith('argocd_app_sync_total{namespace="argocd",name="cart",') for line in lines)
    assert sum(line.startswith("# TYPE") for line in lines) == len(
        {line for line in lines if line.startswith("# TYPE")}
    )
    served = labels(text)
    for name, some in labels(of_a_server()).items():
        served.setdefault(name, set()).update(some)
    dashboard = json.loads(resources.files("syncline.server").joinpath("grafana.json").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked += [one["query"] for one in dashboard["templating"]["list"] if one["type"] == "query"]
    assert len(asked) > 20
    for expression in asked:
        metrics = METRIC.findall(expression)
        assert metrics, expression
        for name, selected in metrics:
            assert name in served, expression
            wanted = set(re.findall(r"([a-z_]+)=~?\"", selected))
            for group in GROUPED.findall(expression):
                wanted |= {label.strip() for label in group.split(",")}
            assert wanted <= served[name], (expression, served[name])


def test_figures_and_health_are_served_on_a_port() -> None:
    def fetched(url: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        world = bed.world()
        counted = CountingSink(world.sink)
        controller = Controller(world, on_failure=lambda what, error: bed.failures.append((what, error)))
        async with scraped(controller, counted, "1.2.3", Listening()) as address:
            assert address.startswith("http://127.0.0.1:")
            assert await asyncio.to_thread(fetched, f"{address}/healthz") == (503, "the cluster is being read\n")
            await controller.start()
            await controller.live.ready()
            assert await asyncio.to_thread(fetched, f"{address}/healthz") == (200, "ok\n")
            status, text = await asyncio.to_thread(fetched, f"{address}/metrics")
            assert status == 200
            assert 'argocd_info{version="1.2.3"} 1' in text.splitlines()
            assert (await asyncio.to_thread(fetched, f"{address}/other"))[0] == 404
        await controller.stop()
        await bed.stop()
        assert not bed.failures

    asyncio.run(main())
