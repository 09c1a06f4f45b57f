"""Live objects to compare renders with: whole, only of the kinds that are wanted, and never Secrets."""

from collections.abc import AsyncIterator

import pytest

from syncline.adapters.kube.client import KubeCluster
from syncline.apimachinery import yaml
from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.compare.schemas import SchemaCache
from syncline.core.preview.applied import against_live
from syncline.model import names
from syncline.sandbox.server import Sandbox
from syncline.verbs.live_objects import SECRET, read_live
from tests.support.clocks import LoopClock, SeededIds

MAP, WIDGET = GroupKind("", "ConfigMap"), GroupKind("example.com", "Widget")
KEY = ObjectKey("", "ConfigMap", "default", "settings")
TEXT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings, namespace: default}}\ndata: {{colour: {}}}\n"
NODE_FOR = SchemaCache().of([]).node_for


@pytest.fixture
async def kube() -> AsyncIterator[KubeCluster]:
    sandbox = Sandbox(LoopClock(), SeededIds())
    await sandbox.start()
    cluster = KubeCluster(sandbox.transport())
    maps = (await cluster.discover()).find(MAP)
    assert maps is not None
    await cluster.apply(maps, yaml.load(TEXT.format("blue").encode()), manager=names.FIELD_MANAGER, force=True)
    yield cluster
    await sandbox.stop()


async def test_only_wanted_kinds_are_read_and_secrets_never(kube: KubeCluster) -> None:
    live = await read_live(kube, [MAP, SECRET, WIDGET], "context test", "https://x", "2026-01-01T00:00:00Z")
    assert live.objects[KEY]["data"] == {"colour": "blue"}
    assert {key.group_kind for key in live.objects} == {MAP}
    # A kind that is not served has no objects; of Secrets nothing is known.
    assert (live.knows(MAP), live.knows(WIDGET), live.knows(SECRET)) == (True, True, False)


@pytest.mark.parametrize(("colour", "wanted"), [("blue", []), ("red", [("data.colour", "red", "blue")])])
async def test_a_render_is_compared_with_what_was_applied(
    colour: str, wanted: list[tuple[str, str, str]], kube: KubeCluster
) -> None:
    live = await read_live(kube, [MAP], "context test", "", "")
    ours = [yaml.load(TEXT.format(colour).encode())]
    unequal, count, unknown = against_live(ours, live.objects, frozenset({KEY}), "default", NODE_FOR)
    assert [(one.path, one.ours, one.theirs) for one in unequal] == wanted
    assert (count, unknown) == (1, 0)


async def test_an_object_that_nobody_applied_tells_nothing(kube: KubeCluster) -> None:
    live = await read_live(kube, [MAP], "context test", "", "")
    bare = {key: {**obj, "metadata": {**obj["metadata"], "managedFields": []}} for key, obj in live.objects.items()}
    ours = [yaml.load(TEXT.format("red").encode())]
    assert against_live(ours, bare, frozenset({KEY}), "default", NODE_FOR) == ((), 0, 1)
