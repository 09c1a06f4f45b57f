"""The web page and its JSON, fetched over HTTP."""

import json
import pathlib
import re
import shutil
import urllib.request

import pytest

from tests.e2e.demo import Demo
from tests.e2e.program import WEB, until


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/", "text/html"), ("/page.js", "text/javascript"), ("/page.css", "text/css"), ("/healthz", "text/plain")],
)
def test_the_page_and_its_parts_answer(demo: Demo, path: str, kind: str) -> None:
    status, headers, body = demo.fetch(path)
    assert (status, headers["content-type"].partition(";")[0], bool(body)) == (200, kind, True)


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


def test_the_page_in_a_real_browser_says_how_things_are(demo: Demo, tmp_path: pathlib.Path) -> None:
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("there is no Chromium or Chrome on PATH")
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000", "--dump-dom"]

    def look() -> str | None:
        shown = demo.machine.run(browser, *options, f"--user-data-dir={tmp_path}", demo.page).out
        return shown if "Deployment" in shown else None

    shown = until(look, lambda: "the page stays empty")
    assert re.findall(r"<h1[^>]*>(.*?)</h1>", shown) == ["All 4 apps are Synced and Healthy."]
    names = re.findall(r'<td class="kind">(.*?)</td><td class="name">(.*?)</td>', shown)
    # Kustomize appends a hash of the contents to the names of generated ConfigMaps.
    assert sorted((kind, re.sub(r"^demo-gateway-\w{10}$", "demo-gateway-*", name)) for kind, name in names) == [
        ("Application", "hello"),
        ("Application", "platform"),
        ("Application", "shop"),
        ("ConfigMap", "demo-gateway-*"),
        ("ConfigMap", "settings"),
        ("Deployment", "demo-gateway"),
        ("Deployment", "shop"),
        ("Deployment", "web"),
        ("Deployment", "worker"),
        ("Service", "web"),
    ]


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
