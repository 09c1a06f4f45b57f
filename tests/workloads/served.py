"""Plays workload stories on a real control plane."""

from __future__ import annotations

import asyncio
import http.client
import json
import ssl
import uuid
from typing import Any

from tests.real.api import Api
from tests.workloads.playing import Played
from tests.workloads.steps import Json, Story

# How long nothing may change before a look counts: longer than any controller needs between two steps.
QUIET = 2.5


def seen(story: Story, api: Api) -> Json:
    """Return what is seen on the control plane."""

    async def ask(method: str, path: str, body: Any, content_type: str) -> tuple[int, Any]:
        if "watch=true" in path:
            return 200, await asyncio.to_thread(_watched, api, path)
        return await asyncio.to_thread(api.request, method, path, body, content_type)

    return asyncio.run(Played(story, ask, namespace=f"trial-{uuid.uuid4().hex[:8]}", quiet=QUIET).run())


def _watched(api: Api, path: str) -> list[Json]:
    host, port = api.cluster.address.removeprefix("https://").split(":")
    context = ssl.create_default_context(cafile=api.cluster.ca_path)
    connection = http.client.HTTPSConnection(host, int(port), context=context, timeout=120)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {api.cluster.tokens['admin']}"})
        response = connection.getresponse()
        found = [json.loads(line) for line in response.read().splitlines()]
    finally:
        connection.close()
    assert response.status == 200, found
    assert not any(one["type"] == "ERROR" for one in found), found
    return found
