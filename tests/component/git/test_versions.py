"""Revisions that are version constraints, with and without a prefix of the tags, and qualified names."""

import pytest

from syncline.adapters.git.source import GitSource
from syncline.model.errors import SourceError
from syncline.ports.source import RevisionRequest
from tests.support.git_http import Repository


@pytest.fixture
def commits(shop: Repository) -> dict[str, str]:
    """Tags of three kinds and a branch whose name looks like a constraint."""
    made: dict[str, str] = {}
    for tag in ("v1.0.0", "v1.2.0", "1.2.7", "v2.0.0-rc.1", "api/1.0.0", "api/1.4.0", "web/9.0.0"):
        made[tag] = shop.commit({"a.yaml": tag})
        shop.git("tag", *(("-a", "-m", "x") if tag.startswith("api") else ()), tag)
    shop.git("branch", "3.x")
    made["3.x"] = made["web/9.0.0"]
    shop.git("update-ref", "refs/pull/7/head", made["v1.0.0"])
    return made


@pytest.mark.parametrize(
    ("revision", "prefix", "found"),
    [
        ("1.x", "", "1.2.7"),
        ("^1.0", "", "1.2.7"),
        ("~1.0", "", "v1.0.0"),
        (">=1.0 <1.2.5", "", "v1.2.0"),
        ("*", "", "1.2.7"),
        (">=2.0.0-0", "", "v2.0.0-rc.1"),
        ("v1.2.0", "", "v1.2.0"),
        ("1.x", "api/", "api/1.4.0"),
        ("*", "web/", "web/9.0.0"),
        ("api/1.0.0", "", "api/1.0.0"),
        ("refs/tags/v1.0.0", "", "v1.0.0"),
        ("refs/heads/3.x", "", "3.x"),
        ("3.x", "", "3.x"),
        ("refs/pull/7/head", "", "v1.0.0"),
        ("pull/7/head", "", "v1.0.0"),
    ],
)
async def test_a_revision_is_the_newest_tag_that_fits(
    url: str, commits: dict[str, str], source: GitSource, revision: str, prefix: str, found: str
) -> None:
    assert await source.resolve(RevisionRequest(url, revision, prefix)) == commits[found]


async def test_a_constraint_that_nothing_fits_names_the_tags(
    url: str, commits: dict[str, str], source: GitSource
) -> None:
    with pytest.raises(SourceError) as caught:
        await source.resolve(RevisionRequest(url, "^7", "api/"))
    shown = url.removeprefix("file://")
    assert str(caught.value) == (
        "unable to resolve '^7' to a commit SHA "
        f"(no version among the 2 tags of {shown} that start with api/ matches: api/1.0.0, api/1.4.0)"
    )
