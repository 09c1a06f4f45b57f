"""`settings validate` on files, and settings read from a cluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from click import UsageError
from click.testing import CliRunner, Result

from syncline.apimachinery.keys import Object
from syncline.cli.admin.validate import validate
from syncline.controller.settings import read_settings
from syncline.core.settings.report import ProblemCode
from syncline.model.errors import NeedsUser
from syncline.model.settings.settings import ALWAYS_EXCLUDED, Profile, Settings
from syncline.ports.kube import ApiError, ApiResource, ClusterReader

VALUES = 'configs:\n  cm:\n    resource.server-side-diff: "true"\n  params:\n    server.insecure: true\n'
GOOD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm}\ndata: {url: https://cd.example.com}\n"


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(validate, arguments, input=stdin, standalone_mode=False, catch_exceptions=False)


def test_problems_are_printed_with_file_line_code_nearest_key_and_fix(tmp_path: Path) -> None:
    file = tmp_path / "values.yaml"
    file.write_text(VALUES)
    result = run(str(file))
    assert result.return_value == 1
    assert result.output == (
        f"{file}:3:5: resource.server-side-diff is not a setting; nothing reads it  [SET-001 setting-nobody-reads]\n"
        "    nearest  controller.diff.server.side in argocd-cmd-params-cm\n"
        "    fix      set controller.diff.server.side in configs.params (argocd-cmd-params-cm), or for one Application"
        " the annotation argocd.argoproj.io/compare-options: ServerSideDiff=true; it requires a restart\n"
        "1 problem found\n"
        "Read only at start, so a change requires a restart: server.insecure\n"
    )


def test_good_settings_leave_with_zero(tmp_path: Path) -> None:
    file = tmp_path / "argocd-cm.yaml"
    file.write_text(GOOD)
    result = run(str(file))
    assert (result.return_value, result.output) == (0, "No problems found.\n")


def test_several_files_are_judged_together_and_printed_as_json(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD)
    (tmp_path / "b.yaml").write_text(VALUES)
    result = run(str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml"), "-o", "json", "--profile", "openshift-gitops")
    printed = json.loads(result.output)
    assert result.return_value == 1
    assert printed["settings"]["profile"] == "openshift-gitops"
    assert [(one["code"], one["key"], one["place"]["line"]) for one in printed["problems"]] == [
        ("SET-001", "resource.server-side-diff", 3)
    ]


def test_standard_input_is_a_file_too() -> None:
    assert run("-", stdin=GOOD).return_value == 0


def test_files_without_settings_are_an_error_that_says_what_to_give(tmp_path: Path) -> None:
    file = tmp_path / "pod.yaml"
    file.write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n")
    with pytest.raises(NeedsUser, match=r"no settings in .*pod\.yaml"):
        run(str(file))


class OneNamespace:
    """A cluster with some ConfigMaps in one namespace."""

    def __init__(self, *, refused: str = "", **maps: dict[str, str]) -> None:
        self._maps = {name.replace("_", "-"): data for name, data in maps.items()}
        self._refused = refused

    async def get(self, resource: ApiResource, namespace: str, name: str) -> Object | None:
        assert (resource.path(namespace, name), namespace) == (f"/api/v1/namespaces/cd/configmaps/{name}", "cd")
        if name == self._refused:
            raise ApiError(403, "Forbidden", "configmaps is forbidden")
        if name not in self._maps:
            return None
        return {"metadata": {"name": name, "namespace": namespace}, "data": self._maps[name]}


def cluster(**rest: Any) -> ClusterReader:
    return cast("ClusterReader", OneNamespace(**rest))


@pytest.mark.anyio
async def test_settings_are_read_from_the_three_config_maps() -> None:
    report = await read_settings(
        cluster(
            argocd_cm={"installationID": "eu", "resource.server-side-diff": "true"},
            argocd_cmd_params_cm={"controller.diff.server.side": "true"},
            argocd_rbac_cm={"policy.default": "role:readonly"},
        ),
        "cd",
    )
    settings = report.settings
    assert (settings.namespace, settings.installation_id, settings.server_side_diff) == ("cd", "eu", True)
    assert (settings.permissions.default, settings.exclusions) == ("role:readonly", ALWAYS_EXCLUDED)
    assert [(problem.key, problem.place) for problem in report.problems] == [("resource.server-side-diff", None)]


@pytest.mark.anyio
async def test_config_maps_that_are_absent_leave_the_defaults() -> None:
    report = await read_settings(cluster(), "cd")
    assert (report.settings, report.problems) == (Settings(namespace="cd"), ())


@pytest.mark.anyio
async def test_the_profile_of_openshift_keeps_the_namespace_it_is_read_from() -> None:
    report = await read_settings(cluster(), "cd", profile=Profile.OPENSHIFT_GITOPS)
    assert (report.settings.namespace, report.settings.profile) == ("cd", Profile.OPENSHIFT_GITOPS)


@pytest.mark.anyio
async def test_a_config_map_that_may_not_be_read_is_told() -> None:
    report = await read_settings(cluster(refused="argocd-cm", argocd_cm={}), "cd")
    assert [(problem.kind, problem.key, problem.severity) for problem in report.problems] == [
        (ProblemCode.UNREADABLE, "argocd-cm", "warning")
    ]


def test_files_may_be_named_as_argocd_names_them(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD)
    (tmp_path / "b.yaml").write_text(VALUES)
    flags = ("--argocd-cm-path", str(tmp_path / "a.yaml"), "--argocd-cm-path", str(tmp_path / "b.yaml"))
    assert run(*flags).output == run(str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml")).output
    with pytest.raises(UsageError, match="pass FILE or --argocd-cm-path FILE"):
        run()
