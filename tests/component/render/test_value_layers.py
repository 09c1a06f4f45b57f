"""For every way to give a chart values: the merge is what the chart sees, and the layer that is named did set it."""

import random
from typing import Any

import pytest

from syncline.adapters.render.renderer import ToolRenderer
from syncline.apimachinery import yaml
from syncline.core.provenance import values
from tests.component.render.rendering import CHART
from tests.support.fake_source import MemoryTree
from tests.unit.render_directory.folders import SHA, request_for

pytestmark = pytest.mark.anyio

FILES = {
    "app/Chart.yaml": (
        CHART
        + "dependencies:\n- {name: db, version: 1.0.0, alias: store}\n- {name: db, version: 1.0.0, alias: spare}\n"
        "- {name: queue, version: 1.0.0, condition: queue.enabled}\n"
    ),
    "app/values.yaml": (
        "replicas: 1\nimage: {name: web, tag: '1'}\nlist: [a, b]\nmap: {x: {u: 1, w: 2}}\nempty: {}\n"
        "store: {size: 2}\nglobal: {zone: a, deep: {k: 1}}\nbig: 1000000\nratio: 0.5\noctal: '010'\ndrop: {me: 1}\n"
    ),
    "app/charts/db/Chart.yaml": "apiVersion: v2\nname: db\nversion: 1.0.0\n",
    "app/charts/db/values.yaml": "size: 1\nclass: slow\nglobal: {zone: b, own: 1}\n",
    "app/charts/queue/Chart.yaml": "apiVersion: v2\nname: queue\nversion: 1.0.0\n",
    "app/charts/queue/values.yaml": "enabled: true\nslots: 3\n",
    "app/one.yaml": "image: {tag: '2'}\nlist: [c]\n",
    "app/two.yaml": "image: {tag: '3'}\nmap: {x: null}\n",
    "app/env/a.yaml": "replicas: 10\n",
    "app/env/b.yaml": "replicas: 20\n",
    "app/back.yaml": "map: {x: {v: 3}}\ndrop: {again: 2}\n",
    "app/gone.yaml": "drop: null\nmap: flat\n",
    "app/braces.txt": "{a,b}",
    "app/note.txt": "three\nlines, and a comma\n",
    "root.yaml": "replicas: 30\n",
}
LENT = {"shared/lent.yaml": "replicas: 40\nstore: {class: lent}\n"}


def tree(files: dict[str, str]) -> MemoryTree:
    """Return the files of a commit."""
    return MemoryTree(SHA, files)


def parameters(*given: tuple[str, str] | tuple[str, str, bool]) -> dict[str, Any]:
    """Return parameters of a source: name, value, and whether it stays a text."""
    rows = [{"name": one[0], "value": one[1], "forceString": len(one) > 2} for one in given]
    return {"parameters": rows}


@pytest.mark.parametrize(
    ("helm", "expected", "place"),
    [
        ({}, {"replicas": 1}, "app/values.yaml:1"),
        ({}, {"store.size": 2}, "app/values.yaml:6"),
        ({}, {"store.class": "slow"}, "app/charts/db/values.yaml:2"),
        ({}, {"spare.size": 1}, "app/charts/db/values.yaml:1"),
        ({}, {"queue.slots": 3}, "app/charts/queue/values.yaml:2"),
        ({}, {"global.zone": "a"}, "app/values.yaml:7"),
        # files: the later one wins, lists replace, null takes away, a map over a scalar and the other way round
        ({"valueFiles": ["one.yaml", "two.yaml"]}, {"image.tag": "3"}, "app/two.yaml:1"),
        ({"valueFiles": ["two.yaml", "one.yaml"]}, {"image.tag": "2"}, "app/one.yaml:1"),
        ({"valueFiles": ["one.yaml"]}, {"list": ["c"]}, "app/one.yaml:2"),
        ({"valueFiles": ["one.yaml"]}, {"image.name": "web"}, "app/values.yaml:2"),
        ({"valueFiles": ["two.yaml"]}, {"map.x": None}, "app/two.yaml:2"),
        ({"valueFiles": ["/root.yaml"]}, {"replicas": 30}, "root.yaml:1"),
        ({"valueFiles": ["env/*.yaml"]}, {"replicas": 20}, "app/env/b.yaml:1"),
        ({"valueFiles": ["env/*.yaml", "env/a.yaml"]}, {"replicas": 10}, "app/env/a.yaml:1"),
        ({"valueFiles": ["env/b.yaml", "env/*.yaml"]}, {"replicas": 10}, "app/env/a.yaml:1"),
        ({"valueFiles": ["env/{b,a}.yaml"]}, {"replicas": 20}, "app/env/b.yaml:1"),
        ({"valueFiles": ["$lent/shared/lent.yaml"]}, {"replicas": 40}, "$lent/shared/lent.yaml:1"),
        ({"valueFiles": ["$lent/shared/lent.yaml"]}, {"store.class": "lent"}, "$lent/shared/lent.yaml:2"),
        ({"valueFiles": ["$lent/shared/*.yaml", "/root.yaml"]}, {"replicas": 30}, "root.yaml:1"),
        (
            {"valueFiles": ["missing.yaml", "one.yaml"], "ignoreMissingValueFiles": True},
            {"image.tag": "2"},
            "app/one.yaml:1",
        ),
        ({"valueFiles": ["$ARGOCD_APP_NAME.yaml", "one.yaml"], "ignoreMissingValueFiles": True}, {"list": ["c"]}, ""),
        # what one file takes away and a later one names again: the chart's own comes back
        ({"valueFiles": ["gone.yaml", "back.yaml"]}, {"drop.again": 2}, "app/back.yaml:2"),
        ({"valueFiles": ["gone.yaml", "back.yaml"]}, {"drop.me": 1}, "app/values.yaml:11"),
        ({"valueFiles": ["gone.yaml", "back.yaml"]}, {"map.x.u": 1}, "app/values.yaml:4"),
        ({"valueFiles": ["back.yaml", "gone.yaml"]}, {"map": "flat"}, "app/gone.yaml:2"),
        # in the Application
        ({"values": "replicas: 5\n", "valueFiles": ["/root.yaml"]}, {"replicas": 5}, "spec.source.helm.values:1"),
        ({"values": "drop: null\n"}, {"drop": None}, "spec.source.helm.values:1"),
        ({"values": "drop: {me: null, you: 2}\n"}, {"drop.you": 2}, "spec.source.helm.values:1"),
        ({"values": "image: plain\n"}, {"image": "plain"}, "spec.source.helm.values:1"),
        ({"values": "ratio: {now: {a: map}}\n"}, {"ratio.now.a": "map"}, "spec.source.helm.values:1"),
        ({"values": "empty: {a: 1}\nmap: {}\n"}, {"map.x.u": 1}, "app/values.yaml:4"),
        (
            {"values": "replicas: 5", "valuesObject": {"replicas": 6}},
            {"replicas": 6},
            "spec.source.helm.valuesObject:1",
        ),
        ({"values": "replicas: 5", "valuesObject": {"list": []}}, {"replicas": 1}, "app/values.yaml:1"),
        ({"values": "global: {zone: z}\nstore: {size: null}\n"}, {"store.size": None}, "spec.source.helm.values:2"),
        ({"values": "queue: {enabled: false, slots: 9}\n"}, {"queue.slots": 9}, "spec.source.helm.values:1"),
        ({"values": "store: {global: {zone: y}}\n"}, {"global.zone": "a"}, "app/values.yaml:7"),
        # a null at the name of a subchart takes away what the chart says of it, not its own values
        ({"values": "store: null\n"}, {"store.size": 1}, "app/charts/db/values.yaml:1"),
        # parameters
        (parameters(("replicas", "7")), {"replicas": 7}, "spec.source.helm.parameters[replicas]"),
        (parameters(("replicas", "7", True)), {"replicas": "7"}, "spec.source.helm.parameters[replicas]"),
        (parameters(("replicas", "007")), {"replicas": "007"}, "spec.source.helm.parameters[replicas]"),
        (parameters(("replicas", "1.50")), {"replicas": "1.50"}, "spec.source.helm.parameters[replicas]"),
        (parameters(("replicas", "1e3")), {"replicas": "1e3"}, "spec.source.helm.parameters[replicas]"),
        (parameters(("replicas", "-3")), {"replicas": -3}, "spec.source.helm.parameters[replicas]"),
        (parameters(("replicas", "0")), {"replicas": 0}, "spec.source.helm.parameters[replicas]"),
        (parameters(("replicas", "true")), {"replicas": True}, "spec.source.helm.parameters[replicas]"),
        (parameters(("replicas", "True")), {"replicas": True}, "spec.source.helm.parameters[replicas]"),
        (parameters(("replicas", "FALSE")), {"replicas": False}, "spec.source.helm.parameters[replicas]"),
        (parameters(("replicas", "")), {"replicas": ""}, "spec.source.helm.parameters[replicas]"),
        (parameters(("drop", "null")), {"drop": None}, "spec.source.helm.parameters[drop]"),
        (parameters(("drop.me", "null")), {"drop.me": None}, "spec.source.helm.parameters[drop.me]"),
        (parameters(("drop.me", "null", True)), {"drop.me": "null"}, "spec.source.helm.parameters[drop.me]"),
        (parameters(("list", "{x,y,3}")), {"list": ["x", "y", 3]}, "spec.source.helm.parameters[list]"),
        (parameters(("list", "{}")), {"list": [""]}, "spec.source.helm.parameters[list]"),
        (parameters(("list", "{1,2}", True)), {"list": ["1", "2"]}, "spec.source.helm.parameters[list]"),
        (parameters(("list[1]", "z")), {"list": [None, "z"]}, "spec.source.helm.parameters[list[1]]"),
        (parameters(("list[3]", "z")), {"list": [None, None, None, "z"]}, "spec.source.helm.parameters[list[3]]"),
        (parameters(("list[0].k", "v")), {"list": [{"k": "v"}]}, "spec.source.helm.parameters[list[0].k]"),
        (
            parameters(("fresh[0].a.b", "v")),
            {"fresh": [{"a": {"b": "v"}}]},
            "spec.source.helm.parameters[fresh[0].a.b]",
        ),
        (parameters(("replicas", "a,b=c")), {"replicas": "a,b=c"}, "spec.source.helm.parameters[replicas]"),
        (parameters(("replicas", r"a\,b")), {"replicas": "a,b"}, "spec.source.helm.parameters[replicas]"),
        (parameters((r"a\.b/c", "v")), {r"a\.b/c": "v"}, r"spec.source.helm.parameters[a\.b/c]"),
        (
            parameters(("image.tag", "$ARGOCD_APP_NAME")),
            {"image.tag": "shop"},
            "spec.source.helm.parameters[image.tag]",
        ),
        (parameters(("store.size", "9")), {"store.size": 9}, "spec.source.helm.parameters[store.size]"),
        (parameters(("global.zone", "p")), {"global.zone": "p"}, "spec.source.helm.parameters[global.zone]"),
        (
            {**parameters(("replicas", "7")), "values": "replicas: 5\n"},
            {"replicas": 7},
            "spec.source.helm.parameters[replicas]",
        ),
        (parameters(("map.x.u", "5"), ("map.x", "flat")), {"map.x": "flat"}, "spec.source.helm.parameters[map.x]"),
        (parameters(("replicas", "NULL")), {"replicas": None}, "spec.source.helm.parameters[replicas]"),
        (parameters(("replicas", "+3")), {"replicas": 3}, "spec.source.helm.parameters[replicas]"),
        (parameters(("replicas", "-07")), {"replicas": -7}, "spec.source.helm.parameters[replicas]"),
        (parameters(("replicas", "9" * 20)), {"replicas": "9" * 20}, "spec.source.helm.parameters[replicas]"),
        (parameters(("replicas", r"a\b\.c")), {"replicas": "ab.c"}, "spec.source.helm.parameters[replicas]"),
        (parameters(("list", r"{a\,b,TRUE,07}")), {"list": ["a,b", True, "07"]}, "spec.source.helm.parameters[list]"),
        (parameters(("image.tag=x", "y")), {"image.tag": "x=y"}, "spec.source.helm.parameters[image.tag=x]"),
        (
            {**parameters(("list[1]", "z")), "valueFiles": ["one.yaml"]},
            {"list": ["c", "z"]},
            "spec.source.helm.parameters[list[1]]",
        ),
        # texts are set after other parameters, files after both, whatever their order
        (parameters(("image.tag", "t", True), ("image.tag", "5")), {"image.tag": "t"}, ""),
        (
            {**parameters(("image.tag", "5", True)), "fileParameters": [{"name": "image.tag", "path": "note.txt"}]},
            {"image.tag": "three\nlines, and a comma\n"},
            "spec.source.helm.fileParameters[image.tag]",
        ),
        (
            {"fileParameters": [{"name": "list", "path": "braces.txt"}]},
            {"list": "{a,b}"},
            "spec.source.helm.fileParameters[list]",
        ),
        (
            {"fileParameters": [{"name": "map.x", "path": "/root.yaml"}]},
            {"map.x": "replicas: 30\n"},
            "spec.source.helm.fileParameters[map.x]",
        ),
    ],
)
async def test_the_named_layer_set_what_the_chart_sees(
    helm: dict[str, Any], expected: dict[str, Any], place: str
) -> None:
    chart = await ToolRenderer().chart_values(request_for(helm=helm), tree(FILES), {"lent": tree(LENT)})
    assert chart is not None
    merged = values.merge(chart.layers)
    assert merged.problems == ()
    assert merged.disagreements(chart.seen) == ()
    ((name, value),) = expected.items()
    path = tuple(step.replace("\0", ".") for step in name.replace("\\.", "\0").split("."))
    (leaf,) = merged.find(path)
    assert (leaf.setting.value, seen(chart.seen, path)) == (value, value)
    if place:
        assert str(leaf.setting.place) == place


def seen(whole: Any, path: tuple[str, ...]) -> Any:
    """Return what the chart sees at a path; None where there is nothing."""
    for step in path:
        whole = whole.get(step) if isinstance(whole, dict) else None
    return whole


def some(chance: random.Random, depth: int) -> Any:
    """Return a value as people write them, some of them odd."""
    if depth and chance.random() < 0.5:
        return {chance.choice("abcd"): some(chance, depth - 1) for _ in range(chance.randint(0, 3))}
    return chance.choice([None, 1, "x", "", [], ["q"], [{"a": 1}], True, False, {}])


@pytest.mark.parametrize("seed", range(12))
async def test_the_merge_is_what_the_chart_sees_whatever_stands_in_the_files(seed: int) -> None:
    chance = random.Random(seed)
    files = {
        **{
            f"app/{name}.yaml": {chance.choice("abcg"): some(chance, 3) for _ in range(4)}
            for name in ("values", "x", "y")
        },
        "app/charts/sub/values.yaml": {chance.choice("abc"): some(chance, 2) for _ in range(3)},
    }
    for name in ("values", "x", "y"):
        # What stands at the name of a subchart has to be a map, or null.
        files[f"app/{name}.yaml"]["sub"] = chance.choice([{chance.choice("abc"): some(chance, 2)}, None, {}])
    texts = {name: yaml.dump(content) for name, content in files.items()}
    texts["app/charts/sub/Chart.yaml"] = "apiVersion: v2\nname: sub\nversion: 1.0.0\n"
    texts["app/Chart.yaml"] = CHART
    chart = await ToolRenderer().chart_values(request_for(helm={"valueFiles": ["x.yaml", "y.yaml"]}), tree(texts))
    assert chart is not None
    merged = values.merge(chart.layers)
    assert merged.disagreements(chart.seen) == (), texts
