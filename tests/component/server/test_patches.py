"""The patch of a cause, made from the commit of its Applications: exact, of one repository, and without secrets."""

from __future__ import annotations

import pathlib
import subprocess
from typing import Any

from syncline.model.errors import Place
from syncline.model.finding import Edit, Finding, Fix, Severity
from syncline.server.insight.patches import patch_of
from tests.support import manifests
from tests.support.web import Site, on_site

FILE = "apps/web/web.yaml"
SECRET = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {user: canary-77}\n"


def finding(line: int, before: str = "replicas: 1", after: str = "replicas: 3", file: str = FILE) -> Finding:
    edit = Edit(place=Place(file, line), before=before, after=after)
    return Finding(
        code="LIV-001",
        name="made-up",
        severity=Severity.ERROR,
        subject="web",
        message="too few",
        fix=Fix(edits=(edit,)),
    )


async def offered(site: Site, found: Finding) -> dict[str, Any]:
    apps = [await site.bed.app("shop")]
    return await patch_of(site.bed.world(), found, apps, lambda _project: ("*",))


def on_delivered(text: str, check: Any) -> None:
    async def story(site: Site) -> None:
        site.bed.source.commit(manifests.files(web=text))
        admin = await site.as_("admin")
        assert (await admin.post("/api/v1/applications/shop/sync", {})).status == 200
        await site.bed.until_delivered("shop")
        await check(site, admin)

    on_site(story, delivered=True)


def line_of(text: str, words: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if words in line)


def test_git_applies_the_patch_to_the_files_of_the_commit(tmp_path: pathlib.Path) -> None:
    text = manifests.deployment()
    made: list[dict[str, Any]] = []

    async def check(site: Site, _admin: Any) -> None:
        made.append(await offered(site, finding(line_of(text, "replicas:"))))

    on_delivered(text, check)
    (found,) = made
    assert (found["problems"], found["repository"]) == ([], "https://git.example/repo.git")
    (tmp_path / FILE).parent.mkdir(parents=True)
    (tmp_path / FILE).write_text(text)
    subprocess.run(["git", "apply", "-"], input=found["text"], text=True, cwd=tmp_path, check=True)
    assert (tmp_path / FILE).read_text() == text.replace("replicas: 1", "replicas: 3")


def test_an_edit_that_does_not_fit_any_more_is_named_and_nothing_is_offered() -> None:
    async def check(site: Site, _admin: Any) -> None:
        other = await offered(site, finding(1))
        assert other["text"] == ""
        assert other["problems"] == [f"{FILE}:1 does not say replicas: 1 any more"]
        missing = await offered(site, finding(1, file="../../etc/passwd"))
        assert (missing["text"], len(missing["problems"])) == ("", 1)

    on_delivered(manifests.deployment(), check)


def test_what_stands_beside_a_secret_is_not_shown() -> None:
    text = manifests.deployment()

    async def check(site: Site, _admin: Any) -> None:
        found = await offered(site, finding(line_of(text, "replicas:")))
        assert found["text"] == ""
        assert "secret" in found["problems"][0]
        assert "canary-77" not in str(found)

    on_delivered(text + SECRET, check)


def test_a_cause_over_the_api_says_that_it_has_no_patch() -> None:
    async def check(_site: Site, admin: Any) -> None:
        causes = (await admin.get("/api/v1/syncline/diagnosis?refresh=true")).json["causes"]
        shown = (await admin.get(f"/api/v1/syncline/causes/{causes[0]['id']}")).json
        assert shown["patch"] == {"text": "", "problems": []}
        assert [row["name"] for row in shown["apps"]] == ["vault"]

    on_delivered(manifests.deployment(), check)
