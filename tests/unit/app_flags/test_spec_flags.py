"""What the flags of `app create` and `app set` write into an Application, worked out from Argo CD's field names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from syncline.cli.app.spec_flags import spec_flags
from syncline.model.errors import NeedsUser
from syncline.verbs.settings import put_setting


def written(*arguments: str, source: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return spec and source after the flags; a wrong value raises."""
    app: dict[str, Any] = {"spec": {}}
    chosen: dict[str, Any] = source or {}

    @click.command()
    @spec_flags(application=True)
    def command(settings: Any) -> None:
        for setting in settings:
            put_setting(chosen if setting.of_source else app, setting)

    result = CliRunner().invoke(command, list(arguments), standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return app["spec"], chosen


@pytest.mark.parametrize(
    ("arguments", "spec"),
    [
        (["--project", "web"], {"project": "web"}),
        (["--dest-server", "https://x"], {"destination": {"server": "https://x"}}),
        (
            ["--dest-name", "prod", "--dest-namespace", "shop"],
            {"destination": {"name": "prod", "namespace": "shop"}},
        ),
        (["--revision-history-limit", "0"], {"revisionHistoryLimit": 0}),
        (
            ["--sync-retry-limit", "5", "--sync-retry-backoff-factor", "3", "--sync-retry-backoff-duration", "7s"],
            {"syncPolicy": {"retry": {"limit": 5, "backoff": {"factor": 3, "duration": "7s"}}}},
        ),
    ],
)
def test_application_flags_write_the_field_argo_cd_reads(arguments: list[str], spec: dict[str, Any]) -> None:
    assert written(*arguments) == (spec, {})


@pytest.mark.parametrize(
    ("arguments", "source"),
    [
        (
            ["--repo", "https://git/x", "--path", "a", "--revision", "v1"],
            {"repoURL": "https://git/x", "path": "a", "targetRevision": "v1"},
        ),
        (["--values", "a.yaml", "--values", "b.yaml"], {"helm": {"valueFiles": ["a.yaml", "b.yaml"]}}),
        (
            ["-p", "a=1", "--helm-set", "b=x=y"],
            {"helm": {"parameters": [{"name": "a", "value": "1"}, {"name": "b", "value": "x=y"}]}},
        ),
        (["--helm-set-string", "a=1"], {"helm": {"parameters": [{"name": "a", "value": "1", "forceString": True}]}}),
        (["--helm-set-file", "a=f.txt"], {"helm": {"fileParameters": [{"name": "a", "path": "f.txt"}]}}),
        (["--helm-skip-crds"], {"helm": {"skipCrds": True}}),
        (["--no-helm-skip-crds"], {"helm": {"skipCrds": False}}),
        (["--kube-version", "1.30"], {"helm": {"kubeVersion": "1.30"}}),
        (["--kustomize-replica", "web=3"], {"kustomize": {"replicas": [{"name": "web", "count": 3}]}}),
        (["--kustomize-common-label", "a=b"], {"kustomize": {"commonLabels": {"a": "b"}}}),
        (["--directory-recurse"], {"directory": {"recurse": True}}),
        (
            ["--jsonnet-tla-code", "n=1+1", "--jsonnet-libs", "vendor"],
            {"directory": {"jsonnet": {"tlas": [{"name": "n", "value": "1+1", "code": True}], "libs": ["vendor"]}}},
        ),
        (["--plugin-env", "A=b"], {"plugin": {"env": [{"name": "A", "value": "b"}]}}),
    ],
)
def test_source_flags_write_the_field_argo_cd_reads(arguments: list[str], source: dict[str, Any]) -> None:
    assert written(*arguments) == ({}, source)


def test_a_parameter_replaces_the_one_of_the_same_name_where_it_stands() -> None:
    before = {"helm": {"parameters": [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}]}}
    _, source = written("-p", "a=9", "-p", "c=3", source=before)
    assert source["helm"]["parameters"] == [
        {"name": "a", "value": "9"},
        {"name": "b", "value": "2"},
        {"name": "c", "value": "3"},
    ]


def test_an_image_override_replaces_the_one_of_the_same_image() -> None:
    before = {"kustomize": {"images": ["reg:5000/web:1", "db=other/db:2"]}}
    _, source = written("--kustomize-image", "reg:5000/web:2", "--kustomize-image", "db=third/db:3", source=before)
    assert source["kustomize"]["images"] == ["reg:5000/web:2", "db=third/db:3"]


def test_inline_values_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "v.yaml").write_text("a: 1\n")
    _, source = written("--values-literal-file", str(tmp_path / "v.yaml"))
    assert source == {"helm": {"values": "a: 1\n"}}


@pytest.mark.parametrize("argument", ["novalue", "=x"])
def test_a_pair_without_a_name_or_value_is_told(argument: str) -> None:
    with pytest.raises(NeedsUser, match=f"--parameter {argument} is not of the form NAME=VALUE"):
        written("-p", argument)
