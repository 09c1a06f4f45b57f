"""Plays stories against a real kube-apiserver, over one kept-alive connection."""

from __future__ import annotations

import asyncio
import http.client
import ssl
import uuid

from tests.contract.playing import Answer, Exchange, Reply, play
from tests.contract.steps import Story
from tests.real.cluster import Cluster


def answers(story: Story, cluster: Cluster, *, watch_seconds: int = 1) -> list[Answer]:
    """Return what the real server answers; every run has names of its own."""
    host, port = cluster.address.removeprefix("https://").split(":")
    context = ssl.create_default_context(cafile=cluster.ca_path)
    connection = http.client.HTTPSConnection(host, int(port), context=context, timeout=120)

    async def send(exchange: Exchange) -> Reply:
        headers = {**exchange.headers, "authorization": f"Bearer {cluster.tokens['admin']}"}
        if exchange.user:
            headers["impersonate-user"] = exchange.user
        path = exchange.path.replace("timeoutSeconds=1", f"timeoutSeconds={watch_seconds}")
        connection.request(exchange.method, path, exchange.body or None, headers)
        response = connection.getresponse()
        found = {name.lower(): value for name, value in response.getheaders() if name.lower() != "warning"}
        found["warning"] = ", ".join(response.headers.get_all("warning") or ())
        return Reply(status=response.status, headers=found, body=response.read())

    try:
        return asyncio.run(play(story, send, lambda: asyncio.sleep(0.05), suffix=uuid.uuid4().hex[:6]))
    finally:
        connection.close()
