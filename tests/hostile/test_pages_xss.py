"""J1: script in annotations, links, conditions, Events, commits and log lines runs in no page of a real browser.

Log lines come from a kubelet; the test plays one, since a bare API server has none.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.server
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.hostile import oracle
from tests.hostile.browser import Browser, browsing
from tests.hostile.installation import API, HOME, Installation, application, config_map
from tests.support.certificates import Authority
from tools import find_browser

Json = dict[str, Any]

SCRIPT = "<img src=x onerror=\"window.__taken='{}'\"><script>window.__taken='{}'</script>"
LINKS = {
    "plain": "javascript:window.__taken='link'",
    "case": "JaVaScRiPt:window.__taken='link'",
    "tab": "java\tscript:window.__taken='link'",
    "newline": "\njavascript:window.__taken='link'",
    "data": "data:text/html,<script>window.__taken='link'</script>",
    "label": "Label|javascript:window.__taken='link'",
    "vbscript": "vbscript:msgbox(1)",
    "entity": "&#106;avascript:alert(1)",
}
TABS = ("why", "diff", "waves", "timeline", "logs", "events", "manifest", "history")
PAGES = (
    "/fleet",
    *(f"/apps/xss-app/{tab}?ns=argocd" for tab in TABS),
    "/apps/xss-app/why?ns=argocd&show=sync",
    "/apps/xss-bad/why?ns=argocd",
    "/causes",
    "/projects/team-a",
    "/repositories",
    "/clusters",
    "/applicationsets",
    "/check",
    "/settings",
    "/<img src=x onerror=window.__taken=1>",
    "/fleet?search=<img src=x onerror=window.__taken=1>",
    "/login?sso_error=<img src=x onerror=window.__taken=1>",
    "/login?to=/%09/evil.example",
    "/login?to=javascript:window.__taken=1",
)


@contextlib.contextmanager
def kubelet(lines: bytes) -> Iterator[int]:
    """Answer as a kubelet does that is asked for the log of any container; yield its port."""

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(lines)))
            self.end_headers()
            self.wfile.write(lines)

        def log_message(self, *_arguments: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    context = Authority().server_context("127.0.0.1")
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _node(installation: Installation, port: int) -> None:
    """Create a node whose kubelet is this test."""
    installation.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "evil"}})
    status = {
        "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": port}},
    }
    path = "/api/v1/nodes/evil/status"
    installation.api.ok("PATCH", path, {"status": status}, content_type="application/merge-patch+json")


def _pod(namespace: str) -> Json:
    containers = [{"name": "main", "image": "x"}]
    about = {"name": "chatty", "namespace": namespace}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": about,
        "spec": {"nodeName": "evil", "containers": containers},
    }


def test_log_lines_are_texts(poisoned: Installation) -> None:
    """A pod of team-a prints script and escapes of terminals; the API sends both as a text, and the page draws it."""
    hostile = f"2030-01-01T00:00:00.000000000Z {text('log')}\x1b]0;taken\x07\x1b[31mred\n".encode()
    with kubelet(hostile) as port:
        _node(poisoned, port)
        pod = _pod("team-a-xss")
        pod["metadata"]["annotations"] = {"argocd.argoproj.io/tracking-id": "xss-app:/Pod:team-a-xss/chatty"}
        poisoned.repository("team-a/xss").commit({"xss/pod.json": json.dumps(_pod("team-a-xss"))})
        poisoned.create(pod)
        poisoned.as_("alice").send("GET", "/api/v1/applications/xss-app", query={"refresh": "hard"})
        path = "/api/v1/applications/xss-app/pods/chatty/logs?namespace=team-a-xss&container=main"
        answer = poisoned.as_("alice").send("GET", path)
        assert "window.__taken" in answer.text, f"no log line arrived, so this attacks nothing: {answer.text[:300]}"
        assert "text/html" not in answer.headers["content-type"]
        base = f"http://127.0.0.1:{poisoned.server_port}"

        async def main() -> None:
            async with browsing(find_browser.found(), (base, poisoned.as_("alice").token)) as browser:
                for page in (path, "/apps/xss-app/logs?ns=argocd"):
                    await browser.open(base + page, 5)
                    shown = await browser.value("document.body.innerText")
                    assert "onerror=" in shown, f"{page} does not show the line, so this attacks nothing: {shown[:500]}"
                    assert await browser.value("window.__taken") is None, page
                    assert not await browser.value("document.querySelectorAll('img[src=x]').length"), page

        asyncio.run(main())


def text(where: str) -> str:
    return SCRIPT.format(where, where)


@pytest.fixture(scope="module")
def poisoned(installation: Installation) -> Installation:
    """An Application, its objects, its project and its Events, with script wherever a text is free."""
    namespace = installation.target("team-a-xss")
    links = {f"link.argocd.argoproj.io/{name}": link for name, link in LINKS.items()}
    obj = config_map("poisoned", namespace, {text("key"): "x", "value": text("value")})
    obj["data"] = {"value": text("value")}
    obj["metadata"]["annotations"] = {**links, "note": text("object annotation")}
    installation.repository("team-a/xss").commit(
        {"xss/x.json": json.dumps(obj), f"xss/{text('file').replace('/', '_')}.yaml": "a: ["},
        message=text("commit"),
    )
    installation.repository("team-a/xss").commit({"xss/x.json": json.dumps(obj)}, message=text("commit"))
    from tests.hostile.installation import repository_secret

    installation.apply(repository_secret("team-a-xss", installation.url("team-a/xss"), project="team-a"))
    app = application("xss-app", "team-a", installation.url("team-a/xss"), "xss", namespace, auto=False)
    app["metadata"]["annotations"] = {**links, "note": text("annotation")}
    app["metadata"]["labels"] = {"tier": "x"}
    app["spec"]["info"] = [
        {"name": text("info name"), "value": text("info")},
        *({"name": name, "value": link} for name, link in LINKS.items()),
    ]
    installation.create(app)
    bad = application("xss-bad", "team-a", "javascript:window.__taken='repo'", text("path"), namespace)
    bad["spec"]["source"]["targetRevision"] = text("revision")
    installation.create(bad)
    installation.until(lambda: oracle.verdict(installation.application("xss-app") or {}) or None, "a verdict", 60)
    live: dict[str, Any] = {**obj, "data": {"value": text("live")}}
    installation.apply(live)
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "poisoned", "namespace": HOME},
        "involvedObject": {
            "apiVersion": API,
            "kind": "Application",
            "namespace": HOME,
            "name": "xss-app",
            "uid": (installation.application("xss-app") or {})["metadata"]["uid"],
        },
        "type": "Warning",
        "reason": text("reason")[:100],
        "message": text("event") + "\x1b]0;taken\x07\x1b[31mred",
        "lastTimestamp": "2030-01-01T00:00:00Z",
    }
    installation.create(event)
    return installation


def test_script_in_any_text_runs_in_no_page(poisoned: Installation) -> None:
    program = find_browser.found()
    assert program, "a browser is needed: install chromium, or name one with SYNCLINE_CHROMIUM"
    base = f"http://127.0.0.1:{poisoned.server_port}"

    async def walk(browser: Browser) -> None:
        for page in PAGES:
            await browser.open(base + page)
            assert await browser.value("window.__taken") is None, f"script ran on {page}"
            hrefs = await browser.value(
                "[...document.querySelectorAll('a[href],form[action],iframe')].map(e => e.href || e.action || e.src)"
            )
            wrong = [href for href in hrefs or () if not str(href).startswith(("http:", "https:", "mailto:"))]
            assert not wrong, f"{page}: {wrong}"
            at = await browser.value("location.origin")
            assert at == base, f"{page} leads to {at}"
            assert not await browser.value("document.querySelectorAll('img[src=x]').length"), page
        seen = await browser.value("document.body.innerText.length")
        assert seen is not None
        assert not browser.dialogs, browser.dialogs
        outside = [url for url in browser.requests if not url.startswith((base, "data:", "about:", "blob:", "chrome"))]
        assert not outside, outside

    async def main() -> None:
        token = poisoned.as_("alice").token
        async with browsing(program, (base, token)) as browser:
            await browser.open(f"{base}/apps/xss-app/events?ns=argocd", 4)
            shown = await browser.value("document.body.innerText")
            assert "onerror=" in shown, f"the page does not show the Event, so this attacks nothing: {shown[:500]}"
            await walk(browser)

    asyncio.run(main())


def test_links_of_an_application_are_web_addresses(poisoned: Installation) -> None:
    alice = poisoned.as_("alice")
    query = {"namespace": "team-a-xss", "resourceName": "poisoned", "version": "v1", "kind": "ConfigMap", "group": ""}
    for answer in (
        alice.get("/api/v1/applications/xss-app/links"),
        alice.send("GET", "/api/v1/applications/xss-app/resource/links", query=query),
    ):
        if answer.status == 200:
            for item in answer.json.get("items") or ():
                assert item["url"].startswith(("http://", "https://", "mailto:")), item
    urls = ((poisoned.application("xss-app") or {}).get("status") or {}).get("summary", {}).get("externalURLs") or []
    assert all(url.startswith(("http://", "https://", "mailto:")) for url in urls), urls


def test_badge_is_a_picture_without_script(poisoned: Installation) -> None:
    for name in ("xss-app", text("badge"), "<svg onload=alert(1)>"):
        answer = poisoned.as_("").send("GET", "/api/badge", query={"name": name, "revision": text("revision")})
        assert "<script" not in answer.text
        assert "onload=" not in answer.text
        assert "onerror=" not in answer.text


def test_terminal_gets_no_control_characters(poisoned: Installation) -> None:
    """Names, messages and Events on the command line: escapes of terminals are taken out."""
    import os
    import pathlib
    import subprocess
    import sys

    program = str(pathlib.Path(sys.executable).with_name("syncline"))
    kubeconfig = str(poisoned.folder / "server" / "kubeconfig")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(poisoned.folder),
        "SYNCLINE_CACHE": str(poisoned.folder / "cli"),
    }
    for words in (("app", "get", "xss-app"), ("app", "get", "xss-bad"), ("app", "list")):
        done = subprocess.run(
            [program, *words, "--kubeconfig", kubeconfig], env=environment, capture_output=True, timeout=90, check=False
        )
        printed = done.stdout + done.stderr
        assert b"\x1b]" not in printed, words
        assert b"\x07" not in printed, words
