"""Any mix of inputs makes one report, places come along, and no input makes reading fail."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncline.core.settings.keys import Home, catalogue
from syncline.core.settings.parse import SettingsInput, parse, parse_texts
from syncline.core.settings.report import ProblemCode
from syncline.model import codec
from syncline.model.errors import Place
from syncline.model.settings.settings import Profile, Settings
from tests.unit.settings.writing import only, report_of

KEYS = sorted({key.name.replace("<", "").replace(">", "") for key in catalogue().all()})
TEXTS = st.text(max_size=30) | st.sampled_from(
    ["true", "5", "1h", "- kinds: [A]", "a: b", "[", "{{ x }}", "0", "all: {}"]
)
DATA = st.dictionaries(st.text(max_size=20) | st.sampled_from(KEYS), TEXTS, max_size=6)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)

TWO_CONFIG_MAPS = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: argocd-cm
data:
  url: https://cd.example.com
  application.namespaces: team-*
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: argocd-cmd-params-cm
data:
  server.insecure: "maybe"
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: something-else
data:
  whatever: is in here
"""


def test_problems_come_in_the_order_of_the_file() -> None:
    report = report_of(TWO_CONFIG_MAPS, file="all.yaml")
    assert [(problem.kind, problem.key, problem.place) for problem in report.problems] == [
        (ProblemCode.UNREAD, "application.namespaces", Place("all.yaml", 7, 3)),
        (ProblemCode.UNREADABLE, "server.insecure", Place("all.yaml", 14, 3)),
    ]
    assert report.inputs == 2


def test_the_items_of_a_list_are_read_with_their_places() -> None:
    text = """\
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: argocd-cm}
  data:
    resource.exclusion: ""
"""
    assert only(report_of(text, file="list.yaml")).place == Place("list.yaml", 8, 5)


def test_of_two_inputs_with_one_key_the_later_wins() -> None:
    text = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm}
data: {installationID: first, timeout.reconciliation: 60s}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm}
data: {installationID: second}
"""
    settings = report_of(text).settings
    assert (settings.installation_id, settings.refresh_interval) == ("second", 60.0)


def test_a_config_map_with_nearly_the_right_name_is_told() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: argocd-cmd-param-cm\ndata: {server.insecure: 'true'}\n"
    problem = only(report_of(text, file="a.yaml"))
    assert (problem.key, problem.nearest, problem.place) == (
        "argocd-cmd-param-cm",
        "argocd-cmd-params-cm",
        Place("a.yaml", 4, 3),
    )


@pytest.mark.parametrize("name", ["argocd-notifications-cm", "argocd-cmp-cm", "argocd-gpg-keys-cm", "my-config"])
def test_other_config_maps_are_passed_over(name: str) -> None:
    assert report_of(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{a: b}}\n").inputs == 0


def test_a_secret_may_hold_any_key_and_its_values_are_never_looked_at() -> None:
    text = """\
apiVersion: v1
kind: Secret
metadata: {name: argocd-secret}
stringData:
  dex.github.clientSecret: hunter2
  server.secretkey: hunter2
"""
    report = report_of(text)
    assert report.problems == ()
    assert "hunter2" not in codec.encode(report).decode()


def test_logins_are_checked_and_not_kept() -> None:
    text = "name: Okta\nclientSecret: hunter2\n"
    report = parse_texts({Home.CM: {"oidc.config": text, "dex.config": text}})
    assert report.problems == ()
    assert "hunter2" not in codec.encode(report).decode()


@given(cm=DATA, params=DATA, rbac=DATA, profile=st.sampled_from(Profile))
def test_reading_never_fails_whatever_the_config_maps_hold(
    cm: dict[str, str], params: dict[str, str], rbac: dict[str, str], profile: Profile
) -> None:
    report = parse_texts({Home.CM: cm, Home.PARAMS: params, Home.RBAC: rbac}, profile=profile)
    assert codec.decode(Settings, codec.encode(report.settings)) == report.settings
    unread = {(problem.home, problem.key) for problem in report.problems if problem.kind == ProblemCode.UNREAD}
    for home, data in ((Home.CM, cm), (Home.PARAMS, params), (Home.RBAC, rbac)):
        for key in data:
            assert ((home, key) in unread) is (catalogue().find(home, key) is None)


@given(spec=st.dictionaries(st.sampled_from(["extraConfig", "resourceHealthChecks", "controller", "rbac", "x"]), JSON))
def test_reading_never_fails_whatever_an_argocd_resource_holds(spec: dict[str, Any]) -> None:
    parse([SettingsInput({"apiVersion": "argoproj.io/v1beta1", "kind": "ArgoCD", "spec": spec})])


@given(values=st.dictionaries(st.sampled_from(["configs", "controller", "server", "argo-cd"]), JSON))
def test_reading_never_fails_whatever_chart_values_hold(values: dict[str, Any]) -> None:
    parse([SettingsInput({"configs": {"cm": values.get("configs"), "params": values.get("server")}, **values})])


@given(value=JSON)
def test_reading_never_fails_whatever_it_is_given(value: Any) -> None:
    parse([SettingsInput(value), SettingsInput({"kind": "ConfigMap", "metadata": value, "data": value})])
