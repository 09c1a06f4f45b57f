"""A plug-in for pytest: `pytest --syncline` checks the GitOps repository that the tests are in, one test per finding.

Loaded by pytest through the entry point in pyproject.toml, in every run where Syncline is installed: so nothing is
imported before the option is given. Errors fail; warnings do with `--syncline-fail-on=warning`. What could not be
looked at is a test that is skipped, so that no green run hides it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from syncline.api.check import Checked
    from syncline.model.finding import Finding

_SEVERITIES = ("error", "warning", "info")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("syncline", "check a GitOps repository")
    group.addoption("--syncline", action="store_true", help="Check the GitOps repository around the root folder.")
    group.addoption(
        "--syncline-fail-on",
        choices=_SEVERITIES,
        default="error",
        help="How bad a finding has to be to fail (error).",
    )


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the findings of the repository beside the tests that are collected."""
    if config.getoption("--syncline"):
        items.extend(Repository.from_parent(session, name="syncline", path=config.rootpath).collect())


class Repository(pytest.Collector):
    """A GitOps repository as a collection of findings."""

    def collect(self) -> Iterator[pytest.Item]:
        """Check the repository; yield its findings as tests, and one test where there is none."""
        from syncline.api.check import check
        from syncline.core.diagnose.findings.joined import joined

        found = check(self.path)
        for number, one in enumerate(joined(found.findings)):
            yield FindingItem.from_parent(self, name=f"{one.code}-{one.name}-{number}", finding=one)
        if found.left_out:
            yield LeftOutItem.from_parent(self, name="not-looked-at", found=found)
        if not found.findings:
            yield NothingItem.from_parent(self, name=f"{found.apps}-apps", found=found)


class FindingItem(pytest.Item):
    """One finding: fails where it is as bad as was asked for."""

    def __init__(self, *, finding: Finding, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self._finding = finding

    def runtest(self) -> None:
        """Fail, or pass where the finding is not bad enough."""
        limit = str(self.config.getoption("--syncline-fail-on"))
        if _SEVERITIES.index(self._finding.severity.value) <= _SEVERITIES.index(limit):
            raise FoundMistake(self._finding)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:  # noqa: ARG002 - of pytest
        """Return the finding, without a traceback."""
        if not isinstance(excinfo.value, FoundMistake):
            return str(super().repr_failure(excinfo))
        one = self._finding
        places = [str(evidence.place) for evidence in one.evidence if evidence.place is not None]
        fix = [f"fix: {one.fix.text}"] if one.fix is not None and one.fix.text else []
        return "\n".join([f"{one.severity.value} {one.code} {one.name}: {one.message}", *places[:3], *fix])

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the place of the finding."""
        place = next((evidence.place for evidence in self._finding.evidence if evidence.place is not None), None)
        where = self.path / place.file if place is not None else self.path
        return where, max(0, place.line - 1) if place is not None else None, self.name


class LeftOutItem(pytest.Item):
    """What could not be looked at: skipped, with why."""

    def __init__(self, *, found: Checked, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self._found = found

    def runtest(self) -> None:
        """Skip, and say what would help."""
        first = self._found.left_out[0]
        more = f" and {len(self._found.left_out) - 1} more" if len(self._found.left_out) > 1 else ""
        pytest.skip(f"not checked: {first.what} ({first.remedy}){more}")


class NothingItem(pytest.Item):
    """A repository about which there is nothing to say: passes."""

    def __init__(self, *, found: Checked, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self._found = found

    def runtest(self) -> None:
        """Pass."""


class FoundMistake(Exception):
    """Carries a finding to the report."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


_CALLED = (
    FindingItem.runtest,
    FindingItem.repr_failure,
    FindingItem.reportinfo,
    LeftOutItem.runtest,
    NothingItem.runtest,
)
"""What pytest calls by name."""
