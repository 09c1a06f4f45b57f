"""Values of the argo-cd chart: a setting that nobody reads is found in them, with its line."""

from __future__ import annotations

import pytest

from syncline.core.settings.keys import Home
from syncline.core.settings.report import ProblemCode
from syncline.model.errors import Place
from tests.unit.settings.writing import field, only, report_of

VALUES = """\
global:
  domain: argocd.example.com
configs:
  cm:
    create: true
    # Compare on the server
    resource.server-side-diff: "true"
    timeout.reconciliation: 60s
    resource.customizations.health.argoproj.io_Application: |
      hs = {}
      hs.status = "Progressing"
      hs.message = ""
      if obj.status ~= nil then
        if obj.status.health ~= nil then
          hs.status = obj.status.health.status
        end
      end
      return hs
  params:
    server.insecure: true
controller:
  env:
    - name: ARGOCD_SYNC_WAVE_DELAY
      value: "10"
"""


def test_the_setting_that_nobody_reads_is_found_with_its_line() -> None:
    problem = only(report_of(VALUES, file="infrastructure/controllers/argocd/values.yaml"))
    assert (problem.kind, problem.key, problem.home) == (ProblemCode.UNREAD, "resource.server-side-diff", "argocd-cm")
    assert problem.place == Place("infrastructure/controllers/argocd/values.yaml", 7, 5)
    assert (problem.nearest, problem.right_home) == ("controller.diff.server.side", Home.PARAMS)
    assert problem.fix == (
        "set controller.diff.server.side in configs.params (argocd-cmd-params-cm), or for one Application the"
        " annotation argocd.argoproj.io/compare-options: ServerSideDiff=true; it requires a restart"
    )


def test_what_the_team_believed_to_be_on_is_off() -> None:
    settings = report_of(VALUES).settings
    assert not settings.server_side_diff
    assert (settings.refresh_interval, settings.wave_delay) == (60.0, 10.0)
    assert [override.pattern for override in settings.overrides] == ["argoproj.io/Application"]


def test_with_the_right_key_in_the_right_place_it_is_on() -> None:
    report = report_of("configs:\n  params:\n    controller.diff.server.side: true\n")
    assert report.settings.server_side_diff
    assert report.problems == ()


@pytest.mark.parametrize("name", ["argo-cd", "argocd"])
def test_values_below_the_name_of_the_chart_are_found_too(name: str) -> None:
    indented = "".join(f"  {line}\n" for line in VALUES.splitlines())
    problem = only(report_of(f"{name}:\n{indented}", file="values.yaml"))
    assert (problem.key, problem.place) == ("resource.server-side-diff", Place("values.yaml", 8, 7))


@pytest.mark.parametrize(
    ("text", "key", "nearest"),
    [
        ("server:\n  config:\n    url: https://a\n", "server.config", "configs.cm"),
        ("server:\n  rbacConfig:\n    policy.default: a\n", "server.rbacConfig", "configs.rbac"),
        ("controller:\n  args:\n    appResyncPeriod: 60\nconfigs:\n  cm: {}\n", "controller.args", "configs.params"),
        ("configs:\n  param:\n    server.insecure: true\n  cm: {}\n", "configs.param", "configs.params"),
    ],
)
def test_settings_in_places_the_chart_does_not_read_are_told(text: str, key: str, nearest: str) -> None:
    problem = only(report_of(text))
    assert (problem.kind, problem.key, problem.nearest) == (ProblemCode.UNREAD, key, nearest)


def test_a_config_map_that_the_chart_does_not_write_is_told() -> None:
    problem = only(report_of("configs:\n  cm:\n    create: false\n    exec.enabled: true\n", file="values.yaml"))
    assert (problem.kind, problem.key, problem.place) == (
        ProblemCode.NO_EFFECT,
        "configs.cm.create",
        Place("values.yaml", 3, 5),
    )


def test_a_block_that_is_not_a_text_is_told() -> None:
    problem = only(report_of("configs:\n  cm:\n    resource.exclusions:\n    - kinds: [A]\n"))
    assert (problem.kind, problem.message) == (ProblemCode.UNREADABLE, "resource.exclusions is not a string")
    assert problem.fix == "write `resource.exclusions: |` and indent the rest below it"


def test_texts_that_the_chart_fills_in_are_not_judged() -> None:
    assert report_of('configs:\n  cm:\n    exec.enabled: "{{ .Values.exec }}"\n').problems == ()


def test_a_key_without_a_value_is_not_set() -> None:
    assert report_of("configs:\n  cm:\n    exec.enabled:\n    resource.nothing: null\n").problems == ()


@pytest.mark.parametrize(
    ("component", "path", "value"),
    [
        ("controller", "limits.client_burst", 7),
        ("server", "limits.client_burst", 100),
        ("global", "limits.client_burst", 7),
    ],
)
def test_a_variable_counts_for_the_process_that_has_it(component: str, path: str, value: int) -> None:
    text = f"configs:\n  cm: {{}}\n{component}:\n  env:\n  - {{name: ARGOCD_K8S_CLIENT_BURST, value: '7'}}\n"
    assert field(report_of(text).settings, path) == value


def test_a_key_wins_over_its_variable() -> None:
    text = VALUES.replace("    server.insecure: true", '    controller.sync.wave.delay.seconds: "3"')
    assert report_of(text).settings.wave_delay == 3.0


def test_a_variable_one_slip_away_from_a_known_one_is_a_warning_and_others_are_nobodys_business() -> None:
    text = "configs:\n  cm: {}\ncontroller:\n  env:\n  - {name: ARGOCD_RECONCILATION_TIMEOUT, value: 60s}\n"
    problem = only(report_of(text + "  - {name: ARGOCD_MY_OWN, value: a}\n  - {name: HTTPS_PROXY, value: b}\n"))
    assert (problem.severity, problem.nearest) == ("warning", "ARGOCD_RECONCILIATION_TIMEOUT")


def test_values_of_other_charts_hold_no_settings() -> None:
    assert report_of("replicaCount: 2\nimage:\n  tag: a\n").inputs == 0
