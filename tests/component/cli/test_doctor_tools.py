"""`doctor` says which programs run, why these, and what is known against them."""

from __future__ import annotations

import json
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from syncline.core import advisories
from tests.support.installation import Installation

WHEEL = Path(sys.executable).with_name("helm")


def checks(folder: Path) -> dict[str, Any]:
    answer = Installation(folder).run_apart("doctor", "--offline", "-o", "json")
    assert answer.code == 0, answer.errors
    return {check["name"]: check for check in json.loads(answer.output)["checks"]}


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SYNCLINE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")


def put_helm(monkeypatch: pytest.MonkeyPatch, folder: Path, says: str) -> Path:
    folder.mkdir()
    file = folder / "helm"
    file.write_text(f"#!/bin/sh\n{says}\n")
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return file


def test_advisories_of_the_helm_that_is_run_are_named(tmp_path: Path) -> None:
    found = checks(tmp_path)
    assert found["helm"]["status"] == "warning"
    assert str(WHEEL) in found["helm"]["found"]
    assert found["helm"]["fix"] == "install helm 3.20.2 or newer and put it on PATH"
    assert "CVE-2025-53547" in found["GHSA-557j-xg8c-q2mm"]["found"]
    assert found["kubectl"]["status"] == "ok"
    assert "pygit2" in found["libraries"]["found"]


def test_a_newer_helm_without_advisories_is_fine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = put_helm(monkeypatch, tmp_path / "bin", "echo v4.3.1+gabc")
    found = checks(tmp_path)
    assert (found["helm"]["status"], str(file) in found["helm"]["found"]) == ("ok", True)
    assert not [name for name, check in found.items() if name.startswith("GHSA") and "helm:" in check["found"]]


def test_a_helm_whose_version_is_unknown_is_passed_over_and_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = put_helm(monkeypatch, tmp_path / "bin", "echo hello")
    found = checks(tmp_path)
    assert str(WHEEL) in found["helm"]["found"]
    assert found["another helm"]["status"] == "warning"
    assert f"{file} does not say its version" in found["another helm"]["found"]


@pytest.mark.parametrize(("days", "status"), [(100, "ok"), (400, "warning")])
def test_a_list_that_is_old_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, days: int, status: str) -> None:
    from syncline import wiring

    reviewed = wiring.clock().now().date() - timedelta(days=days)
    monkeypatch.setattr(advisories, "REVIEWED", date(reviewed.year, reviewed.month, reviewed.day))
    check = checks(tmp_path)["advisories"]
    assert (check["status"], reviewed.isoformat() in check["found"]) == (status, True)
