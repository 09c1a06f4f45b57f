"""Looks at branches through the server: who may have one, how far it is, how many run, and what is left of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from syncline.model.errors import Place, SourceError
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity
from syncline.model.preview import Preview
from syncline.server.insight import branches
from syncline.server.insight.branches import Revisions, Wish
from tests.support import manifests
from tests.support.web import POLICY, Site, on_site

REPO = "https://git.example/repo.git"
CHECK = f"/api/v1/syncline/check?repo={REPO}&head="
ALL_OF_TEAM = "p, role:team, repositories, get, *, allow\n"
ALL = ALL_OF_TEAM + "p, role:team, applications, get, other/*, allow\n"


def preview(**more: Any) -> Preview:
    empty: dict[str, Any] = dict.fromkeys(("unknown", "apps", "effects", "timelines", "new", "fixed", "kept"), ())
    return Preview(**{"base": "b", "head": "h", "total": 2, "equal": 2, "objects": 4, **empty, **more})


class Looks:
    """Stands where `syncline.api.branches` does: each look waits until it is let go."""

    def __init__(self, found: Preview | Exception | None = None) -> None:
        self.wishes: list[Wish] = []
        self.go = asyncio.Event()
        self.found = found or preview()

    async def __call__(self, _world: object, wish: Wish, _revisions: Revisions, told: Callable[..., None]) -> Preview:
        self.wishes.append(wish)
        told(1, 2, "argocd/shop")
        await self.go.wait()
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


def with_looks(site: Site, found: Preview | Exception | None = None) -> Looks:
    looks = Looks(found)
    site.backend.branches._look = looks
    site.bed.source.commit(manifests.files(web=manifests.deployment()))
    return looks


def test_a_look_tells_how_far_it_is_and_then_what_it_found_and_is_made_once() -> None:
    async def story(site: Site) -> None:
        looks, ben = with_looks(site), await site.as_("ben")
        assert (await ben.get(f"{CHECK}main")).json["state"] == "running"
        await site.settle()
        running = (await ben.get(f"{CHECK}main")).json
        assert running["progress"] == {"done": 1, "known": 2, "last": "argocd/shop"}
        looks.go.set()
        await site.settle()
        ready = (await ben.get(f"{CHECK}main")).json
        assert (ready["state"], ready["preview"]["equal"], len(looks.wishes)) == ("ready", 2, 1)
        await site.bed.clock.sleep(60)
        assert (await ben.get(f"{CHECK}main")).json["state"] == "ready"
        assert len(looks.wishes) == 1, "the branch has not moved"
        site.bed.source.commit(manifests.files(web=manifests.deployment(replicas=3)))
        await site.bed.clock.sleep(60)
        assert (await ben.get(f"{CHECK}main")).json["state"] == "running"

    on_site(story)


@pytest.mark.parametrize(("more", "status"), [("", 403), (ALL_OF_TEAM, 403), (ALL, 200)])
def test_it_takes_a_right_to_the_repository_and_to_every_app_of_it(more: str, status: int) -> None:
    async def story(site: Site) -> None:
        looks, ann = with_looks(site), await site.as_("ann")
        assert (await ann.get(f"{CHECK}main")).status == status
        listed = (await ann.get("/api/v1/syncline/check/repositories")).json["repositories"]
        assert [one["url"] for one in listed] == ([REPO] if status == 200 else [])
        assert len(looks.wishes) == 0 or looks.wishes[0].permitted == (REPO,)

    on_site(story, policy=POLICY + more)


def test_few_looks_wait_and_one_that_fails_says_why_and_is_tried_again() -> None:
    async def story(site: Site) -> None:
        looks, ben = with_looks(site, SourceError("the branch is broken", hint="repair it")), await site.as_("ben")
        for number in range(1 + branches._WAITING):
            site.bed.source.commit({}, f"b{number}")
            assert (await ben.get(f"{CHECK}b{number}")).status == 200
        site.bed.source.commit({}, "more")
        assert (await ben.get(f"{CHECK}more")).status == 429
        assert len(looks.wishes) <= 1, "one at a time"
        looks.go.set()
        await site.settle()
        failed = await ben.get(f"{CHECK}b0")
        assert (failed.status, failed.json["message"], failed.json["hint"]) == (
            400,
            "the branch is broken",
            "repair it",
        )
        await site.bed.clock.sleep(60)
        assert (await ben.get(f"{CHECK}b0")).json["state"] == "running"

    on_site(story)


def test_a_branch_that_is_not_there_is_one_sentence() -> None:
    async def story(site: Site) -> None:
        with_looks(site)
        ben = await site.as_("ben")
        got = await ben.get(f"{CHECK}nowhere")
        assert (got.status, "nowhere" in got.json["message"]) == (400, True)
        assert (await ben.get("/api/v1/syncline/check?repo=https://git.example/x&head=main")).status == 404

    on_site(story)


def finding(file: str, line: int) -> Finding:
    evidence = Evidence(kind=EvidenceKind.FILE, text="x", place=Place(file, line))
    return Finding(
        code="SRC-004",
        name="n",
        severity=Severity.ERROR,
        subject="s",
        message="password: hunter2",
        evidence=(evidence,),
    )


def test_frames_show_the_lines_around_and_nothing_of_a_secret() -> None:
    files = {
        "values.yaml": b"a: 1\nb: 2\nc: 3\npassword: hunter2\ne: 5\nf: 6\n",
        "secret.yaml": b"kind: Secret\ndata:\n  user: aHVudGVyMg==\n",
    }
    found = preview(new=(finding("values.yaml", 4), finding("secret.yaml", 3)), files=files)

    async def story(site: Site) -> None:
        looks, ben = with_looks(site, found), await site.as_("ben")
        looks.go.set()
        await ben.get(f"{CHECK}main")
        await site.settle()
        got = await ben.get(f"{CHECK}main")
        first, second = got.json["preview"]["frames"]
        assert (first["place"], first["line"]) == ("values.yaml:4", 4)
        assert [one["line"] for one in first["lines"]] == [2, 3, 4, 5, 6]
        assert first["lines"][0]["text"] == "b: 2"
        assert second["lines"] == []
        for secret in (b"hunter2", b"aHVudGVyMg"):
            assert secret not in got.body

    on_site(story)
