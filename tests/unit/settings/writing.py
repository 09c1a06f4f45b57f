"""Settings as people write them, and the reports they come to."""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import yaml
from syncline.core.settings.entries import places_in
from syncline.core.settings.keys import Home
from syncline.core.settings.parse import SettingsInput, parse, parse_texts
from syncline.core.settings.report import SettingProblem, SettingsReport
from syncline.model.settings.settings import Profile, Settings


def report_of(text: str, *, file: str = "settings.yaml", profile: Profile = Profile.UPSTREAM) -> SettingsReport:
    """Return the report on a file."""
    documents = yaml.load_documents(text, source=file)
    return parse([SettingsInput(document.value, places_in(document, file)) for document in documents], profile=profile)


def of_cm(**data: str) -> SettingsReport:
    """Return the report on an argocd-cm; underscores stand for dots."""
    return parse_texts({Home.CM: {name.replace("_", "."): text for name, text in data.items()}})


def of_key(home: Home, key: str, text: str) -> SettingsReport:
    """Return the report on one key."""
    return parse_texts({home: {key: text}})


def field(settings: Settings, path: str) -> Any:
    """Return a field of settings by its path."""
    value: Any = settings
    for step in path.split("."):
        value = getattr(value, step)
    return value


def only(report: SettingsReport) -> SettingProblem:
    """Return the one problem of a report."""
    assert len(report.problems) == 1, report.problems
    return report.problems[0]
