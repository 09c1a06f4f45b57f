"""The web page and its JSON, fetched over HTTP."""

import json

import pytest

from tests.e2e.demo import Demo


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
    there = demo.get("application", "hello", "-n", "argocd")
    assert (served["kind"], len(served["items"])) == ("ApplicationList", 1)
    assert served["items"][0]["metadata"]["uid"] == there["metadata"]["uid"]
    assert served["items"][0]["status"]["sync"] == there["status"]["sync"]


@pytest.mark.parametrize("path", ["/", "/api/v1/applications", "/api/v1/stream/applications"])
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
