"""Requests that a page elsewhere made a browser send are refused (security row K1), and host names not ours."""

from __future__ import annotations

import pytest

from tests.support.web import HOST, Site, on_site

SYNC = "/api/v1/applications/shop/sync"
JSON = "application/json"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"content-type": JSON, "origin": f"http://{HOST}"}, 200),
        ({"content-type": f"{JSON}; charset=utf-8", "origin": f"http://{HOST}"}, 200),
        ({"content-type": JSON, "x-syncline-request": "1"}, 200),
        ({"content-type": JSON}, 403),
        ({"content-type": JSON, "origin": "null"}, 403),
        ({"content-type": JSON, "origin": "http://evil.example"}, 403),
        ({"content-type": JSON, "origin": f"http://{HOST}.evil.example"}, 403),
        ({"content-type": JSON, "origin": f"http://{HOST}", "sec-fetch-site": "cross-site"}, 403),
        ({"content-type": "text/plain", "origin": f"http://{HOST}"}, 415),
        ({"content-type": "application/x-www-form-urlencoded", "origin": f"http://{HOST}"}, 415),
        ({"content-type": "multipart/form-data"}, 415),
        ({"content-type": ""}, 415),
        ({"content-type": "text/plain", "x-syncline-request": "1"}, 415),
    ],
)
def test_with_the_cookie_only_our_own_page_may_change_something(headers: dict[str, str], status: int) -> None:
    async def story(site: Site) -> None:
        code = site.backend.links.new()
        cookie = (await site.nobody.get(f"/login/once?code={code}")).cookie
        sent = site.nobody.using(cookie=cookie).using(**headers)
        assert (await sent.ask("POST", SYNC, body=b'{"dryRun": true}')).status == status
        is_started = "operation" in await site.bed.app("shop")
        assert is_started is (status == 200)

    on_site(story)


def test_a_token_that_no_browser_adds_needs_no_origin_but_json_all_the_same() -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        assert (await admin.using(content_type="text/plain").ask("POST", SYNC, body=b"{}")).status == 415
        assert (await admin.using(origin="http://evil.example").post(SYNC, {})).status == 200

    on_site(story)


def test_nobody_is_signed_in_by_another_site() -> None:
    async def story(site: Site) -> None:
        evil = site.nobody.using(origin="http://evil.example")
        answer = await evil.post("/api/v1/session", {"username": "admin", "password": "correct horse"})
        assert answer.status == 403
        assert "set-cookie" not in answer.headers

    on_site(story)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8080", 401),
        ("127.0.0.1", 401),
        ("[::1]:8080", 401),
        ("evil.example", 400),
        ("127.0.0.1.evil.example", 400),
        ("", 400),
    ],
)
def test_another_host_name_is_refused(host: str, status: int) -> None:
    async def story(site: Site) -> None:
        assert (await site.nobody.using(host=host).get("/api/v1/applications")).status == status

    on_site(story)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[" * 100_000, 400),
        (b"\xff\xfe", 400),
        (b'{"prune": "perhaps"}', 400),
        (b" " * (3 * 1024 * 1024), 413),
    ],
)
def test_a_body_that_cannot_be_read_is_refused_in_one_sentence(body: bytes, status: int) -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        answer = await admin.using(content_type=JSON).ask("POST", SYNC, body=body)
        assert (answer.status, "operation" in await site.bed.app("shop")) == (status, False)
        assert answer.json["message"]

    on_site(story)


def test_every_answer_tells_browsers_to_run_and_frame_nothing() -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        for path in ("/", "/api/v1/applications", "/api/v1/nothing", "/openapi.json", "/healthz"):
            headers = (await admin.get(path)).headers
            assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';"), path
            assert "unsafe" not in headers["content-security-policy"]
            assert (headers["x-frame-options"], headers["x-content-type-options"]) == ("DENY", "nosniff")
            assert "access-control-allow-origin" not in headers

    on_site(story)


def test_a_slash_too_many_leads_nobody_to_the_host_that_a_request_names() -> None:
    async def story(site: Site) -> None:
        for path in ("/api/v1/applications/", "/api/v1/applications/shop/sync/", "//evil.example/api/v1/applications/"):
            answer = await site.nobody.using(host="evil.example").get(path)
            assert (answer.status, answer.headers.get("location")) == (404, None), path
            assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]

    on_site(story)
