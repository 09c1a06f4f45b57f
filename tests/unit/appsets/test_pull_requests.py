"""Pull requests of code hosts, from answers in the form that each host documents."""

from typing import Any

import pytest

from syncline.core.appset.generate import GenerationError, generate
from syncline.core.appset.questions import Page, PageQuestion, Question, Unanswered

GITHUB = "https://api.github.com/repos/acme/shop/pulls?state=open&per_page=100"
GITLAB = "https://gitlab.example/api/v4/projects/acme%2Fshop/merge_requests?per_page=100&state=opened"
SHA = "0123456789abcdef0123456789abcdef01234567"


def of_github(secret: str = "", key: str = "") -> PageQuestion:
    api = "https://api.github.com"
    return PageQuestion(GITHUB, "bearer", secret, key, api=api, public_api=api)


def of_gitlab(url: str) -> PageQuestion:
    api = "https://gitlab.example/api/v4"
    return PageQuestion(url, "private-token", api=api, public_api="https://gitlab.com/api/v4")


def pull(number: int, branch: str, *labels: str, title: str = "A change") -> dict[str, Any]:
    return {
        "number": number,
        "title": title,
        "head": {"ref": branch, "sha": SHA},
        "base": {"ref": "main"},
        "user": {"login": "octocat"},
        "labels": [{"name": label} for label in labels],
    }


def merge_request(number: int, branch: str, *labels: str) -> dict[str, Any]:
    return {
        "iid": number,
        "title": "A change",
        "source_branch": branch,
        "target_branch": "main",
        "sha": SHA,
        "author": {"username": "tanuki"},
        "labels": list(labels),
    }


def made(block: Any, answers: dict[Question, Any], *, go: bool = False) -> list[dict[str, Any]]:
    template = {"metadata": {"name": "app"}, "spec": {}}
    spec = {"generators": [{"pullRequest": block}], "template": template, "goTemplate": go}
    return [one.values for one in generate({"metadata": {"name": "set"}, "spec": spec}, answers)]


def test_a_pull_request_of_github_is_told_by_its_number_branches_and_commit() -> None:
    block = {"github": {"owner": "acme", "repo": "shop", "tokenRef": {"secretName": "github", "key": "token"}}}
    answers: dict[Question, Any] = {of_github("github", "token"): Page((pull(7, "Feature/New_Cart", "preview"),))}
    assert made(block, answers, go=True) == [
        {
            "number": "7",
            "title": "A change",
            "branch": "Feature/New_Cart",
            "branch_slug": "feature-new-cart",
            "target_branch": "main",
            "target_branch_slug": "main",
            "head_sha": SHA,
            "head_short_sha": SHA[:8],
            "head_short_sha_7": SHA[:7],
            "author": "octocat",
            "labels": ("preview",),
        }
    ]
    assert "labels" not in made(block, answers)[0]


def test_merge_requests_of_gitlab_are_read_page_by_page() -> None:
    block = {"gitlab": {"project": "acme/shop", "api": "https://gitlab.example/", "pullRequestState": "opened"}}
    answers: dict[Question, Any] = {
        of_gitlab(GITLAB): Page((merge_request(1, "a"),), f"{GITLAB}&page=2"),
    }
    with pytest.raises(Unanswered) as unanswered:
        made(block, answers)
    (question,) = unanswered.value.questions
    assert question == of_gitlab(f"{GITLAB}&page=2")
    found = made(block, {**answers, question: Page((merge_request(2, "b"),))})
    assert [(one["number"], one["branch"], one["author"]) for one in found] == [
        ("1", "a", "tanuki"),
        ("2", "b", "tanuki"),
    ]


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({}, ["1", "2", "3"]),
        ({"filters": [{"branchMatch": "^feature/"}]}, ["1", "3"]),
        ({"filters": [{"branchMatch": "^feature/", "titleMatch": "urgent"}]}, ["3"]),
        ({"filters": [{"branchMatch": "^fix/"}, {"titleMatch": "urgent"}]}, ["2", "3"]),
        ({"filters": [{"targetBranchMatch": "^release"}]}, []),
    ],
)
def test_filters_are_joined_by_or_and_what_one_says_by_and(more: dict[str, Any], found: list[str]) -> None:
    pulls = (pull(1, "feature/a"), pull(2, "fix/b"), pull(3, "feature/c", title="urgent"))
    block = {"github": {"owner": "acme", "repo": "shop"}, **more}
    assert [one["number"] for one in made(block, {of_github(): Page(pulls)})] == found


def test_all_labels_have_to_be_there() -> None:
    pulls = (pull(1, "a", "preview", "big"), pull(2, "b", "preview"), pull(3, "c"))
    block = {"github": {"owner": "acme", "repo": "shop", "labels": ["preview", "big"]}}
    assert [one["number"] for one in made(block, {of_github(): Page(pulls)})] == ["1"]


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({}, "names no code host"),
        (
            {"github": {"owner": "acme", "repo": "shop"}, "filters": [{"branchMatch": "("}]},
            "is not a regular expression",
        ),
    ],
)
def test_what_cannot_be_asked_is_told(block: Any, words: str) -> None:
    with pytest.raises(GenerationError, match=words):
        made(block, {of_github(): Page((pull(1, "a"),))})
