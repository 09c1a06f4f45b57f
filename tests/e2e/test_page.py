"""The web page and its JSON, fetched over HTTP."""

import json
import re
import urllib.request

import pytest

from tests.e2e.demo import Demo
from tests.e2e.program import WEB


def test_the_page_and_its_parts_answer(demo: Demo) -> None:
    status, headers, body = demo.fetch("/")
    assert (status, headers["content-type"].partition(";")[0]) == (200, "text/html")
    parts = re.findall(r'(?:src|href)="(/?[\w./-]+\.(js|css))"', body.decode())
    assert {ending for _path, ending in parts} == {"js", "css"}
    for path, ending in parts:
        status, headers, body = demo.fetch(f"/{path.removeprefix('/')}")
        kind = {"js": "text/javascript", "css": "text/css"}[ending]
        assert (status, headers["content-type"].partition(";")[0], bool(body)) == (200, kind, True)


def test_health_is_told_to_everybody(demo: Demo) -> None:
    status, headers, body = demo.fetch("/healthz")
    assert (status, headers["content-type"].partition(";")[0], bool(body)) == (200, "text/plain", True)


def test_applications_are_served_as_kubernetes_has_them(demo: Demo) -> None:
    _, _, body = demo.fetch("/api/v1/applications")
    served = json.loads(body)
    names = [item["metadata"]["name"] for item in served["items"]]
    assert (served["kind"], names) == ("ApplicationList", ["demo", "hello", "platform", "shop"])
    there = demo.get("application", "hello", "-n", "argocd")
    assert served["items"][1]["metadata"]["uid"] == there["metadata"]["uid"]
    assert served["items"][1]["status"]["sync"] == there["status"]["sync"]


def test_the_stream_begins_with_what_is_there_and_goes_on_to_the_end_of_a_change(demo: Demo) -> None:
    asked = urllib.request.Request(f"{demo.page}/api/v1/stream/applications", headers={"Cookie": demo.session})
    with WEB.open(asked, timeout=40) as stream:
        first = [json.loads(stream.readline())["result"] for _ in range(4)]
        assert [(item["type"], item["application"]["metadata"]["name"]) for item in first] == [
            ("ADDED", "demo"),
            ("ADDED", "hello"),
            ("ADDED", "platform"),
            ("ADDED", "shop"),
        ]
        demo.edit("settings.yaml", "colour: blue", "colour: green")
        head = demo.git("rev-parse", "HEAD")
        while True:
            result = json.loads(stream.readline())["result"]
            status = result["application"]["status"]
            done = status["operationState"].get("phase") == "Succeeded" and status["sync"].get("revision") == head
            if result["application"]["metadata"]["name"] == "hello" and done and status["sync"]["status"] == "Synced":
                break
    assert (result["type"], status["sync"]["status"], status["health"]["status"]) == ("MODIFIED", "Synced", "Healthy")
    demo.revert()


@pytest.mark.parametrize("path", ["/api/v1/applications", "/api/v1/stream/applications"])
@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example"])
def test_another_host_name_is_refused(demo: Demo, path: str, host: str) -> None:
    status, _, body = demo.fetch(path, Host=host)
    assert status == 400
    assert b"hello" not in body


def test_nothing_from_elsewhere_may_run_in_the_page_or_frame_it(demo: Demo) -> None:
    _, headers, _ = demo.fetch("/")
    assert headers["content-security-policy"].startswith("default-src 'none';")
    assert (headers["x-frame-options"], headers["x-content-type-options"]) == ("DENY", "nosniff")
    assert "access-control-allow-origin" not in headers
