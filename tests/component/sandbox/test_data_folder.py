"""A sandbox with a data folder: what is acknowledged stays, versions go on, and the folder has one owner."""

from __future__ import annotations

import asyncio
import json
import pathlib
import signal
import sqlite3
import subprocess
import sys
from typing import Any

import pytest

from syncline.ports.transport import Request
from syncline.sandbox.cluster.settings import Container, SandboxSettings
from syncline.sandbox.server import Sandbox
from syncline.sandbox.store.journal import DataFolderError, open_folder
from tests.support.clocks import LoopClock, SeededIds
from tests.unit.sandbox.driving import (
    CONFIG_MAPS,
    DEFINITIONS,
    DEPLOYMENTS,
    PODS,
    WIDGETS,
    Kube,
    Refused,
    config_map,
    definition,
    play,
    pod_spec,
    widget,
    workload,
)

WRITER = """
import asyncio, json, sys
from syncline.ports.transport import Request
from syncline.sandbox.server import Sandbox
from syncline.sandbox.cluster.settings import SandboxSettings
from tests.support.clocks import LoopClock, SeededIds

async def main():
    sandbox = Sandbox(LoopClock(), SeededIds(1), settings=SandboxSettings(data=sys.argv[1], simulate=False))
    await sandbox.start()
    kube, number = sandbox.transport(), 0
    while True:
        number += 1
        body = json.dumps({"metadata": {"name": f"m{number}"}, "data": {"n": str(number)}}).encode()
        answer = await kube.send(Request(method="POST", path="/api/v1/namespaces/default/configmaps", body=body))
        made = json.loads(await answer.read())["metadata"]
        print(made["name"], made["resourceVersion"], flush=True)
        if number % 3 == 0:
            path = f"/api/v1/namespaces/default/configmaps/m{number - 1}"
            await kube.send(Request(method="DELETE", path=path))
            print("gone", f"m{number - 1}", flush=True)

asyncio.run(main())
"""


def test_nothing_acknowledged_is_lost_by_kill_9(tmp_path: pathlib.Path) -> None:
    root = pathlib.Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "data")], stdout=subprocess.PIPE, text=True, cwd=root
    ) as writer:
        assert writer.stdout is not None
        told = [writer.stdout.readline().split() for _ in range(300)]
        writer.send_signal(signal.SIGKILL)
        told += [line.split() for line in writer.stdout.read().splitlines() if line.endswith(tuple("0123456789"))]
    gone = {line[1] for line in told if line[0] == "gone"}
    made = {line[0]: line[1] for line in told if line[0] != "gone" and len(line) == 2}

    async def story(kube: Kube) -> Any:
        items = (await kube.get(CONFIG_MAPS))["items"]
        return {one["metadata"]["name"]: one["metadata"]["resourceVersion"] for one in items}, await kube.create(
            CONFIG_MAPS, config_map("next")
        )

    found, following = play(story, SandboxSettings(data=str(tmp_path / "data"), simulate=False))
    assert {name: found.get(name) for name in made if name not in gone} == {
        name: version for name, version in made.items() if name not in gone
    }
    assert gone & found.keys() == set()
    assert int(following["metadata"]["resourceVersion"]) > max(map(int, made.values()))


def test_a_restart_goes_on_where_it_was(tmp_path: pathlib.Path) -> None:
    settings = SandboxSettings(data=str(tmp_path))

    async def before(kube: Kube) -> Any:
        await kube.create(DEFINITIONS, definition())
        await kube.sandbox.settled()
        await kube.create(WIDGETS, widget())
        await kube.create(DEPLOYMENTS, workload(replicas=2))
        web = await kube.until(f"{DEPLOYMENTS}/web", lambda obj: obj["status"].get("readyReplicas") == 2)
        service = {"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}], "selector": {"app": "web"}}}
        made = await kube.create("/api/v1/namespaces/default/services", service)
        await kube.sandbox.settled()
        return web, await kube.names(PODS), made["spec"]["clusterIP"], made["metadata"]["resourceVersion"]

    async def after(kube: Kube) -> Any:
        size = (await kube.get(f"{WIDGETS}/one"))["spec"]["size"]
        await kube.clock.sleep(5)
        web = await kube.get(f"{DEPLOYMENTS}/web")
        pods = await kube.names(PODS)
        other = await kube.create("/api/v1/namespaces/default/services", {"metadata": {"name": "b"}, "spec": PORTS})
        await kube.merge(f"{DEPLOYMENTS}/web", {"spec": {"replicas": 3}})
        await kube.until(f"{DEPLOYMENTS}/web", lambda obj: obj["status"].get("readyReplicas") == 3)
        return size, web, pods, other["spec"]["clusterIP"], other["metadata"]["resourceVersion"]

    web, pods, address, version = play(before, settings)
    size, again, same_pods, other_address, later = play(after, settings, seed=1)
    assert size == 1
    assert same_pods == pods
    assert again["metadata"]["uid"] == web["metadata"]["uid"]
    assert again["status"]["readyReplicas"] == 2
    assert other_address != address
    assert int(later) > int(version)


def test_pods_run_on_after_a_restart_and_crashed_ones_keep_their_count(tmp_path: pathlib.Path) -> None:
    crash = Container(image="example/crash:1", exit_code=1, run_seconds=1)
    settings = SandboxSettings(data=str(tmp_path), containers=(crash,))
    steady = pod_spec(initContainers=[{"name": "first", "image": "example/first:1"}])

    async def before(kube: Kube) -> Any:
        await kube.create(PODS, {"metadata": {"name": "steady"}, "spec": steady})
        await kube.create(PODS, {"metadata": {"name": "crash"}, "spec": pod_spec("example/crash:1")})
        await kube.clock.sleep(30)
        return [await kube.get(f"{PODS}/{name}") for name in ("steady", "crash")]

    async def after(kube: Kube) -> Any:
        await kube.sandbox.settled()
        found = [await kube.get(f"{PODS}/{name}") for name in ("steady", "crash")]
        await kube.delete(f"{PODS}/steady")
        await kube.clock.sleep(40)
        return found, await kube.names(PODS)

    was, crashed = play(before, settings)
    (now, later), left = play(after, settings, seed=1)
    assert (was["status"]["phase"], now) == ("Running", was)
    counts = [pod["status"]["containerStatuses"][0]["restartCount"] for pod in (crashed, later)]
    assert counts[0] >= 2
    assert counts[1] >= counts[0]
    assert left == ["crash"]


PORTS = {"ports": [{"port": 80}]}


def test_a_watch_from_before_the_restart_has_to_list_again(tmp_path: pathlib.Path) -> None:
    settings = SandboxSettings(data=str(tmp_path), simulate=False)

    async def before(kube: Kube) -> Any:
        first = await kube.create(CONFIG_MAPS, config_map())
        await kube.create(CONFIG_MAPS, config_map("later"))
        return first["metadata"]["resourceVersion"]

    version = play(before, settings)

    async def after(kube: Kube) -> Any:
        request = Request(method="GET", path=f"{CONFIG_MAPS}?watch=true&timeoutSeconds=1&resourceVersion={version}")
        return json.loads(await (await kube.transport.send(request)).read())

    event = play(after, settings)
    assert (event["type"], event["object"]["code"], event["object"]["reason"]) == ("ERROR", 410, "Expired")


def test_a_second_process_is_told_that_the_folder_is_in_use(tmp_path: pathlib.Path) -> None:
    first = open_folder(str(tmp_path))
    script = (
        "import sys; from syncline.sandbox.store import journal\n"
        "try: journal.open_folder(sys.argv[1])\n"
        "except journal.DataFolderError as error: print(error)"
    )
    told = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    first.close()
    assert told.stdout == (
        f"The data folder {tmp_path} is in use by another process: stop that one or choose another folder.\n"
    )
    open_folder(str(tmp_path)).close()


def test_a_stopped_sandbox_gives_its_folder_free(tmp_path: pathlib.Path) -> None:
    async def twice() -> None:
        for seed in range(2):
            settings = SandboxSettings(data=str(tmp_path), simulate=False)
            sandbox = Sandbox(LoopClock(), SeededIds(seed), settings=settings)
            await sandbox.start()
            await sandbox.stop()

    asyncio.run(twice())


def test_a_file_that_is_no_database_is_told_in_a_sentence(tmp_path: pathlib.Path) -> None:
    (tmp_path / "objects.db").write_bytes(b"no database at all, and long enough to be sure of it" * 10)
    with pytest.raises(DataFolderError, match=r"cannot be read .* choose another folder"):
        open_folder(str(tmp_path))


def test_a_folder_of_a_newer_version_is_left_alone(tmp_path: pathlib.Path) -> None:
    open_folder(str(tmp_path)).close()
    with sqlite3.connect(tmp_path / "objects.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(DataFolderError, match="newer version"):
        open_folder(str(tmp_path))


def test_without_a_folder_nothing_is_kept() -> None:
    async def before(kube: Kube) -> Any:
        await kube.create(CONFIG_MAPS, config_map("gone"))

    async def after(kube: Kube) -> Any:
        with pytest.raises(Refused, match='configmaps "gone" not found'):
            await kube.get(f"{CONFIG_MAPS}/gone")

    play(before)
    play(after)


def test_a_full_disk_is_said_and_the_sandbox_goes_on_when_there_is_room(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "data"

    async def story(kube: Kube) -> Any:
        connection = kube.sandbox.backend.store._journal._connection  # type: ignore[union-attr]
        connection.execute("PRAGMA max_page_count = 1")
        big = config_map("big", data={"filling": "x" * 500_000})
        refused = await kube.refusal("POST", CONFIG_MAPS, big)
        there = await kube.names(CONFIG_MAPS)
        connection.execute("PRAGMA max_page_count = 1000000")
        await kube.create(CONFIG_MAPS, big)
        return refused, there, await kube.names(CONFIG_MAPS)

    settings = SandboxSettings(data=str(folder), simulate=False)
    (code, reason, message), before, after = play(story, settings)
    assert (code, reason) == (500, "InternalError")
    assert message == (
        f"the data folder {folder} cannot be written (database or disk is full): free space there, or start again with "
        "another folder"
    )
    assert "big" not in before
    assert "big" in after


def test_a_data_folder_that_cannot_be_made_is_said_in_one_sentence(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataFolderError) as caught:
        open_folder(str(tmp_path / "file" / "data"))
    assert str(caught.value) == (
        f"The data folder {tmp_path / 'file' / 'data'} cannot be written (File exists): free space there, make it "
        "writable or choose another folder."
    )
