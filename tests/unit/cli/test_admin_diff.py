"""`syncline admin diff`: files in, differences out; exit code 0 equal, 1 different, 2 could not."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object
from syncline.cli.admin_diff import diff
from syncline.model.errors import InvalidSpec
from tests.support.objects import LATER, application_object, as_applied, config_map, deployment, edited, secret, tracked


class Files:
    """Writes the files of one call and makes it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, value: Object | str | None) -> str:
        path = self.folder / f"{name}.yaml"
        path.write_text(value if isinstance(value, str) else "" if value is None else yaml.dump(value))
        return str(path)

    def run(self, *flags: str, **files: Object | str | None) -> Result:
        arguments = list(flags)
        for name, value in files.items():
            option = "--argocd-cm-path" if name == "cm" else f"--{name}"
            arguments += [option, self.write(name, value)]
        return CliRunner().invoke(diff, arguments, standalone_mode=False)

    def answer(self, **files: Object | str | None) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run("-o", "json", **files).stdout)
        return found


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def scaled(manager: str = "kubectl-scale") -> Object:
    live = as_applied(deployment(replicas=1))
    return edited(live, {**live, "spec": {**live["spec"], "replicas": 5}}, manager=manager)


def test_json_has_both_values_the_cause_and_the_writer(files: Files) -> None:
    answer = files.answer(desired=deployment(replicas=1), live=scaled())
    assert answer["modified"] is True
    assert answer["differences"] == [
        {
            "path": "spec.replicas",
            "desired": 1,
            "live": 5,
            "cause": "changed live",
            "manager": "kubectl-scale",
            "time": LATER,
        }
    ]
    assert (answer["desired"]["spec"]["replicas"], answer["live"]["spec"]["replicas"]) == (1, 5)
    assert sorted(answer) == ["desired", "differences", "live", "modified"]


@pytest.mark.parametrize(
    ("desired", "live", "code"),
    [
        (deployment(), as_applied(deployment()), 0),
        (deployment(replicas=1), scaled(), 1),
        (config_map(namespace=""), as_applied(config_map()), 0),
        (config_map(), tracked(as_applied(config_map())), 0),
        (config_map(), None, 1),
        (None, as_applied(config_map()), 0),
    ],
)
def test_the_exit_code_says_whether_something_differs(
    files: Files, desired: Object | None, live: Object | None, code: int
) -> None:
    result = files.run(desired=desired, live=live)
    assert (result.exception, result.return_value) == (None, code)
    answer = files.answer(desired=desired, live=live)
    assert answer["modified"] is (code == 1)


@pytest.mark.parametrize(
    ("desired", "live", "words"),
    [
        (deployment(), as_applied(config_map()), "two objects"),
        ("a: [", as_applied(config_map()), "desired.yaml"),
        ("just text", as_applied(config_map()), "no Kubernetes object"),
        ("kind: A\napiVersion: v1\n---\nkind: B\n", as_applied(config_map()), "only one object"),
        (
            {**deployment(), "spec": {**deployment()["spec"], "replica": 1}},
            as_applied(deployment()),
            "field not declared in schema",
        ),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(files: Files, desired: Object | str, live: Object, words: str) -> None:
    result = files.run(desired=desired, live=live)
    assert isinstance(result.exception, InvalidSpec | yaml.YamlError)
    assert words in str(result.exception)


def app(**spec: Any) -> Object:
    return application_object(destination={"server": "x", "namespace": "shop"}, **spec)


def test_rules_of_the_application_and_of_the_settings_count_and_both_sides_show_the_default(files: Files) -> None:
    ignored = {"group": "apps", "kind": "Deployment", "jsonPointers": ["/spec/replicas"]}
    live = tracked(scaled())
    answer = files.answer(desired=deployment(replicas=2), live=live, app=app(ignoreDifferences=[ignored]))
    assert (answer["modified"], answer["differences"]) == (False, [])
    assert answer["desired"]["spec"]["replicas"] == answer["live"]["spec"]["replicas"] == 1
    rules = "jqPathExpressions:\n- .spec.replicas\n"
    cm = config_map("argocd-cm", {"resource.customizations.ignoreDifferences.apps_Deployment": rules})
    assert files.answer(desired=deployment(replicas=2), live=live, cm=cm)["modified"] is False


def test_an_object_that_the_application_does_not_track_yet_differs_by_that(files: Files) -> None:
    answer = files.answer(desired=config_map(), live=as_applied(config_map()), app=app())
    assert [item["cause"] for item in answer["differences"]] == ["tracking"]


def test_the_answer_of_a_dry_run_is_compared_where_it_is_given(files: Files) -> None:
    live = as_applied(config_map())
    predicted = {**live, "data": {"colour": "red"}}
    answer = files.answer(desired=config_map(), live=live, predicted=predicted)
    assert [(item["path"], item["desired"]) for item in answer["differences"]] == [("data.colour", "red")]


PLAIN = "hunter2-is-my-password"
CODED = base64.b64encode(PLAIN.encode()).decode()


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize("live", [as_applied(secret(data={"a": CODED, "b": "eA=="})), None])
def test_values_of_secrets_are_masked_in_all_output(files: Files, output: str, live: Object | None) -> None:
    result = files.run("--write-ignore", "-o", output, desired=secret(stringData={"a": "x", "b": PLAIN}), live=live)
    assert result.exception is None
    assert PLAIN not in result.output
    assert CODED not in result.output


def test_text_is_by_field_path_with_what_does_not_count(files: Files) -> None:
    text = files.run(desired=deployment(replicas=1), live=scaled()).stdout
    assert text.splitlines()[:3] == [
        f"spec.replicas  (changed live by kubectl-scale at {LATER})",
        "  Git:  1",
        "  live: 5",
    ]
    assert text.splitlines()[-1].startswith("not counted: ")


def test_write_ignore_adds_the_rule_to_the_application_and_leaves_the_rest_of_the_file_alone(files: Files) -> None:
    text = "# ours\n" + yaml.dump(app())
    live = tracked(scaled())
    result = files.run("--write-ignore", desired=deployment(replicas=1), live=live, app=text)
    assert result.return_value == 1
    written = (files.folder / "app.yaml").read_text()
    assert written.startswith("# ours\n")
    assert yaml.load(written)["spec"]["ignoreDifferences"] == [
        {"group": "apps", "kind": "Deployment", "name": "web", "namespace": "shop", "jsonPointers": ["/spec/replicas"]}
    ]
    assert files.run(desired=deployment(replicas=1), live=live, app=written).return_value == 0


def test_write_ignore_says_the_rule_in_json_without_an_application(files: Files) -> None:
    found = json.loads(files.run("--write-ignore", "-o", "json", desired=deployment(), live=scaled()).stdout)
    assert found["ignoreDifferences"] == [
        {"kind": "Deployment", "group": "apps", "name": "web", "namespace": "shop", "jsonPointers": ["/spec/replicas"]}
    ]


def test_other_spellings_are_told_and_do_not_count(files: Files) -> None:
    def limited(cpu: str) -> Object:
        found = deployment()
        found["spec"]["template"]["spec"]["containers"][0]["resources"] = {"limits": {"cpu": cpu}}
        return found

    result = files.run(desired=limited("1000m"), live=as_applied(limited("1")))
    path = "spec.template.spec.containers[name=web].resources.limits.cpu"
    assert result.return_value == 0
    assert f'not counted: {path}: Git "1000m", live "1" (other spelling)' in result.stdout
