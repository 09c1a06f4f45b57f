"""The examples of docs/internals/sandbox.md: they can be read, and they are played."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from syncline.sandbox.behaviours import rules, shipped, templates
from syncline.sandbox.cluster import file as cluster_file
from syncline.sandbox.cluster.settings import SandboxSettings
from tests.unit.sandbox.driving import DEFINITIONS, WIDGETS, Kube, play

PAGE = (Path(__file__).parents[3] / "docs" / "internals" / "sandbox.md").read_text()


def example(title: str) -> str:
    """Return the first YAML block of a section."""
    section = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return str(re.findall(r"```yaml\n(.*?)```", section, re.DOTALL)[0])


def test_the_example_of_a_cluster_file_can_be_read_and_played() -> None:
    settings = cluster_file.parse(example("The cluster file"), "the page").settings

    async def story(kube: Kube) -> Any:
        return await kube.names("/api/v1/nodes"), await kube.names("/apis/storage.k8s.io/v1/storageclasses")

    assert play(story, settings) == (["dev-1"], ["broken", "managed-csi"])


def test_the_example_of_rules_is_played() -> None:
    text = example("Operators as rules")
    operator = rules.load(text, "the page")

    async def story(kube: Kube) -> Any:
        await kube.create(DEFINITIONS, rules.definition(operator.definitions[0]))
        await kube.sandbox.settled()
        keys = [{"key": "password"}]
        spec = {"secretName": "made", "url": "http://web.default.svc:80", "keys": keys}
        await kube.create(
            WIDGETS, {"apiVersion": "example.io/v1", "kind": "Widget", "metadata": {"name": "one"}, "spec": spec}
        )
        await kube.clock.sleep(3)
        before = (await kube.get(f"{WIDGETS}/one"))["status"], await kube.events("Widget")
        service = {"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}}
        await kube.create("/api/v1/namespaces/default/services", service)
        await kube.clock.sleep(5)
        return before, await kube.get(f"{WIDGETS}/one"), await kube.get("/api/v1/namespaces/default/secrets/made")

    (status, events), done, secret = play(story, SandboxSettings(behaviours=(text,)))
    assert status == {"phase": "Pending", "message": "lookup web.default.svc: no such host"}
    assert events == [("NoHost", "lookup web.default.svc: no such host")]
    assert (done["status"]["replicas"], done["status"]["conditions"][0]["type"]) == (1, "Ready")
    assert list(secret["data"]) == ["password"]


@pytest.mark.parametrize("name", shipped.OPERATORS)
def test_every_operator_and_its_modes_are_in_the_table(name: str) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |"))
    modes = {rule.mode for rule in shipped.operator(name).rules if rule.mode}
    assert set(re.findall(r"`([a-z-]+)`", row.rpartition(" | ")[2])) == modes


def test_every_filter_is_named() -> None:
    assert f"{', '.join(templates.filters()[:-1])}".split(", ")[0] in PAGE
    section = PAGE.split("passes it through a filter: ")[1].split(". A text")[0]
    assert section.replace("\n", " ").split(", ") == templates.filters()
