"""`syncline admin settings rbac can` and `validate` on files: words, exit codes and places."""

from __future__ import annotations

import json
import pathlib

import pytest
from click.testing import CliRunner, Result

from syncline.cli.main import cli

CSV = """# rights of the team
p, role:dev, applications, sync, team/*, allow
p, role:dev, applications, sync, team/vault, deny
g, alice, role:dev
p, org:ops, applications, get, */*, allow
"""
CONFIG_MAP = """apiVersion: v1
kind: ConfigMap
metadata:
  name: argocd-rbac-cm
data:
  policy.default: role:readonly
  policy.csv: |
    g, alice, role:dev
  policy.more.csv: |
    p, role:dev, exec, create, team/*, allow
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata:
  name: team
spec:
  roles:
    - name: ci
      policies:
        - p, proj:team:ci, applications, sync, team/*, allow
"""


@pytest.fixture
def csv(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "policy.csv"
    path.write_text(CSV)
    return path


@pytest.fixture
def config_map(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "rbac.yaml"
    path.write_text(CONFIG_MAP)
    return path


def rbac(file: pathlib.Path, *arguments: str) -> Result:
    command, *rest = arguments
    return CliRunner().invoke(
        cli, ["admin", "settings", "rbac", command, *rest, "--policy-file", str(file)], standalone_mode=False
    )


@pytest.mark.parametrize(
    ("request_", "word", "code"),
    [
        ("alice sync applications team/shop", "Yes", 0),
        ("alice sync app team/shop", "Yes", 0),
        ("alice sync applications team/vault", "No", 1),
        ("bob sync applications team/shop", "No", 1),
        ("role:admin create app", "Yes", 0),
        ("role:admin create app --no-use-builtin-policy", "No", 1),
        ("bob get clusters https://a --default-role role:readonly", "Yes", 0),
        ("bob dance floors x --no-strict", "No", 1),
        ("alice sync applications team/shop -q", "", 0),
    ],
)
def test_the_answer_is_one_word_and_the_exit_code(csv: pathlib.Path, request_: str, word: str, code: int) -> None:
    found = rbac(csv, "can", *request_.split())
    assert (found.stdout.strip(), found.return_value) == (word, code)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ("alice dance applications team/shop", "'dance' is not an action on applications"),
        ("alice get aplications team/shop", "did you mean applications"),
        ("alice sync/x applications team/shop", "'sync/x' is not an action"),
    ],
)
def test_unknown_words_are_refused_with_the_nearest(csv: pathlib.Path, request_: str, words: str) -> None:
    assert words in str(rbac(csv, "can", *request_.split()).exception)


def test_the_deciding_line_is_explained_with_file_and_line(csv: pathlib.Path) -> None:
    found = rbac(csv, "can", "alice", "sync", "app", "team/vault", "--explain")
    assert found.stdout.splitlines() == [
        "No",
        f"  denied by {csv}:3: p, role:dev, applications, sync, team/vault, deny",
        "  as alice → role:dev",
    ]
    found = rbac(csv, "can", "bob", "sync", "app", "team/shop", "--explain")
    assert found.stdout.splitlines()[-1] == "  this one would: p, bob, applications, sync, team/shop, allow"


def test_a_group_with_policies_and_no_role_is_warned_of(csv: pathlib.Path) -> None:
    found = rbac(csv, "can", "org:ops", "get", "app", "team/shop")
    assert found.stdout.strip() == "Yes"
    assert "will not take effect" in found.stderr


@pytest.mark.parametrize(
    ("request_", "place"),
    [
        ("alice create exec team/shop", "rbac.yaml:10"),
        ("alice get applications team/shop", "built in"),
        ("proj:team:ci sync applications team/shop", "AppProject team, role ci:1"),
    ],
)
def test_config_maps_and_projects_are_read_too(config_map: pathlib.Path, request_: str, place: str) -> None:
    answer = json.loads(rbac(config_map, "can", *request_.split(), "-o", "json").stdout)
    assert answer["allowed"]
    assert answer["place"].endswith(place)


def test_a_policy_that_cannot_be_read_is_no_answer_but_an_error(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "policy.csv"
    path.write_text("p, alice, applications\n")
    assert f"{path}:1" in str(rbac(path, "can", "alice", "get", "app", "a/b").exception)
    found = rbac(path, "validate")
    assert (found.stdout, found.return_value) == ("Policy is invalid: 1 line cannot be read.\n", 1)
    assert f"error: {path}:1: 3 fields instead of 6" in found.stderr


def test_a_valid_policy_with_mistakes_is_valid_and_not_strictly_so(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "policy.csv"
    path.write_text("p, alice, aplications, get, */*, allow\n")
    found = rbac(path, "validate")
    assert (found.stdout, found.return_value) == ("Policy is valid.\n", 0)
    assert f"warning: {path}:1: the resource 'aplications' is unknown" in found.stderr
    assert rbac(path, "validate", "--strict").return_value == 1
