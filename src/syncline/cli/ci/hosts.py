"""Comments of pull requests on GitHub and GitLab: which there are, and how one is written or replaced.

Told by the variables that a pipeline has where it runs; called by `syncline.cli.ci.comment`. Only a comment that we
have written ourselves is replaced: whoever wrote another one could change it afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from syncline.model.errors import NeedsUser, SourceError
from syncline.ports.web import WebError, WebRequest

if TYPE_CHECKING:
    from syncline.ports.web import Web, WebAnswer

_PAGES = 20
_EACH = 100
_DENIED = (401, 403, 404)
_UNWRITTEN = "the comment was not written"
_NUMBER = re.compile(r"[0-9]{1,12}")


class MayNotWrite(Exception):
    """The token of the pipeline may not write comments, as with pull requests from forks."""


class Written(msgspec.Struct, frozen=True):
    """A comment of a pull request: its number, its text, and whether we wrote it."""

    number: int
    text: str
    ours: bool


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request at a code host: where its comments are, and what lets us in."""

    comments: str
    """Address of the list of its comments."""
    one: str
    """Address of one comment, with `{}` for its number."""
    update: str
    """The method that replaces a comment."""
    me: str
    """Address that says who we are."""
    who: str
    """The field of that answer, and of the author of a comment, that has the name."""
    author: str
    pull: str = ""
    """Address of the pull request itself."""
    head_field: tuple[str, ...] = ()
    """Where its answer has the commit that it is at."""
    run_head: str = ""
    """The commit that the run before this one was for, by the code host's word; empty where there was none."""
    number: str = ""
    base: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    authorization: str = field(default="", repr=False)
    bots: bool = False
    """Whether a token may have no name; its comments are then those of a bot."""

    async def listed(self, web: Web) -> list[Written]:
        """Return all comments."""
        name = await self._name(web)
        found: list[Written] = []
        for page in range(1, _PAGES + 1):
            entries = await self._asked(web, f"{self.comments}?per_page={_EACH}&page={page}")
            for entry in entries if isinstance(entries, list) else ():
                author = entry.get(self.author) or {}
                ours = author.get(self.who) == name if name else self.bots and author.get("type") == "Bot"
                found.append(Written(int(entry["id"]), str(entry.get("body") or ""), ours))
            if not isinstance(entries, list) or len(entries) < _EACH:
                break
        return found

    async def head(self, web: Web) -> str:
        """Return the commit that the pull request is at; raises `SourceError` where the code host does not say."""
        try:
            found = await self._asked(web, self.pull)
        except MayNotWrite as denied:
            raise SourceError(
                f"the code host answered {denied} when asked for the head of {self.number}", hint=_UNWRITTEN
            ) from None
        for name in self.head_field:
            found = found.get(name) if isinstance(found, dict) else None
        if not isinstance(found, str) or not found:
            raise SourceError(f"the code host did not say at which commit {self.number} is", hint=_UNWRITTEN)
        return found

    async def write(self, web: Web, text: str, number: int | None) -> None:
        """Write a comment, or replace one of ours."""
        address, method = (self.comments, "POST") if number is None else (self.one.format(number), self.update)
        await self._asked(web, address, method=method, body=msgspec.json.encode({"body": text}))

    async def _name(self, web: Web) -> str:
        try:
            found = await self._asked(web, self.me)
        except MayNotWrite:
            return ""
        return str(found.get(self.who) or "") if isinstance(found, dict) else ""

    async def _asked(self, web: Web, url: str, *, method: str = "", body: bytes = b"") -> Any:
        headers = {"Accept": "application/json", "Content-Type": "application/json", **self.headers}
        request = WebRequest(url=url, method=method, headers=headers, authorization=self.authorization, body=body)
        try:
            answer = await web.ask(request)
        except WebError as error:
            raise SourceError(str(error), hint=_UNWRITTEN) from None
        if answer.status in _DENIED:
            raise MayNotWrite(str(answer.status))
        if answer.status >= 300:
            raise SourceError(f"{url.partition('?')[0]} answered {answer.status}", hint=_UNWRITTEN)
        return _decoded(answer)


def _decoded(answer: WebAnswer) -> Any:
    try:
        return msgspec.json.decode(answer.body) if answer.body else None
    except msgspec.DecodeError:
        raise SourceError("the code host did not answer in JSON", hint=_UNWRITTEN) from None


def found_in(environment: Mapping[str, str], number: str = "") -> PullRequest:
    """Return the pull request that a pipeline runs for; raises `NeedsUser` where it runs for none."""
    if environment.get("GITHUB_ACTIONS"):
        return _github(environment, number)
    if environment.get("GITLAB_CI"):
        return _gitlab(environment, number)
    raise NeedsUser(
        "this is not a pipeline of GitHub or GitLab", hint="elsewhere: syncline preview -o markdown --output-file FILE"
    )


def _github(environment: Mapping[str, str], number: str) -> PullRequest:
    event = _event(environment.get("GITHUB_EVENT_PATH", ""))
    pull = event.get("pull_request") or {}
    repository, token = environment.get("GITHUB_REPOSITORY", ""), environment.get("GITHUB_TOKEN", "")
    wanted = number or str(pull.get("number") or "")
    if not repository or not _NUMBER.fullmatch(wanted):
        raise NeedsUser("this workflow does not run for a pull request", hint="run it on: pull_request, or name --pr")
    base = f"{environment.get('GITHUB_API_URL') or 'https://api.github.com'}"
    return PullRequest(
        comments=f"{base}/repos/{repository}/issues/{wanted}/comments",
        one=f"{base}/repos/{repository}/issues/comments/{{}}",
        update="PATCH",
        pull=f"{base}/repos/{repository}/pulls/{wanted}",
        head_field=("head", "sha"),
        run_head=str((event.get("workflow_run") or {}).get("head_sha") or ""),
        number=f"pull request {wanted}",
        me=f"{base}/user",
        who="login",
        author="user",
        base=str((pull.get("base") or {}).get("sha") or ""),
        authorization=f"Bearer {token}" if token else "",
        bots=True,
    )


def _gitlab(environment: Mapping[str, str], number: str) -> PullRequest:
    project, wanted = environment.get("CI_PROJECT_ID", ""), number or environment.get("CI_MERGE_REQUEST_IID", "")
    if not _NUMBER.fullmatch(project) or not _NUMBER.fullmatch(wanted):
        raise NeedsUser("this job does not run for a merge request", hint="run it with rules for merge_request_event")
    base = environment.get("CI_API_V4_URL") or "https://gitlab.com/api/v4"
    notes = f"{base}/projects/{project}/merge_requests/{wanted}/notes"
    return PullRequest(
        comments=notes,
        one=f"{notes}/{{}}",
        update="PUT",
        pull=notes.removesuffix("/notes"),
        head_field=("sha",),
        number=f"merge request {wanted}",
        me=f"{base}/user",
        who="username",
        author="author",
        base=environment.get("CI_MERGE_REQUEST_DIFF_BASE_SHA", ""),
        headers={"PRIVATE-TOKEN": environment.get("SYNCLINE_GITLAB_TOKEN", "")},
    )


def _event(path: str) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(Path(path).read_bytes()) if path else {}
    except (OSError, msgspec.DecodeError):
        return {}
    return found if isinstance(found, dict) else {}
