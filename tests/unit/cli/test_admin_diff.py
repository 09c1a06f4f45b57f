"""`syncline admin diff`: files in, differences out; exit code 0 equal, 1 different, 2 could not."""

import base64
import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object
from syncline.cli.admin.diff import diff
from syncline.model.errors import InvalidSpec
from tests.support.objects import (
    LATER,
    application_object,
    as_applied,
    config_map,
    crd,
    deployment,
    edited,
    hook,
    obj,
    secret,
    tracked,
)


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
        (deployment(), as_applied(config_map()), "two different objects"),
        ("a: [", as_applied(config_map()), "desired.yaml"),
        ("just text", as_applied(config_map()), "not a Kubernetes object"),
        (
            "kind: A\napiVersion: v1\n---\nkind: B\n",
            as_applied(config_map()),
            "desired.yaml:4: this is not a Kubernetes",
        ),
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


def test_masks_of_the_differences_are_those_of_the_sides(files: Files) -> None:
    """Git's values come first: a and b of Git have the first two masks, the other b of the cluster has the third."""
    found = files.answer(
        desired=secret(data={"a": "eA==", "b": CODED}), live=as_applied(secret(data={"a": "eA==", "b": "eQ=="}))
    )
    assert [(one["path"], one["desired"], one["live"]) for one in found["differences"]] == [
        ("data.b", "+" * 12, "+" * 16)
    ]
    assert found["desired"]["data"] == {"a": "+" * 8, "b": "+" * 12}
    assert found["live"]["data"] == {"a": "+" * 8, "b": "+" * 16}


def test_a_kind_that_the_settings_exclude_is_not_compared_and_told(files: Files) -> None:
    exclusions = "- {apiGroups: [tekton.dev], kinds: [PipelineRun], clusters: ['*']}"
    settings = config_map("argocd-cm", data={"resource.exclusions": exclusions})
    wanted, live = (obj("PipelineRun", "run", api="tekton.dev/v1", spec={"n": number}) for number in (1, 2))
    told = files.run(desired=wanted, live=live, cm=settings)
    assert (told.return_value, told.stdout) == (0, "there is nothing to compare\n")
    assert told.stderr == (
        "tekton.dev/PipelineRun is excluded in the settings: objects of this kind are not compared\n"
    )
    assert files.run(desired=wanted, live=live).return_value == 1


@pytest.mark.parametrize(("name", "compared"), [("openshift-gitops", False), ("other", True)])
def test_the_instance_that_openshift_gitops_makes_leaves_runs_of_pipelines_out(
    files: Files, name: str, compared: bool
) -> None:
    instance = obj("ArgoCD", name, api="argoproj.io/v1beta1", namespace=name, spec={})
    wanted, live = (obj("PipelineRun", "run", api="tekton.dev/v1", spec={"n": number}) for number in (1, 2))
    told = files.run(desired=wanted, live=live, cm=instance)
    assert (told.return_value == 1, "is excluded in the settings" not in told.stderr) == (compared, compared)


def test_text_is_by_field_path_with_what_does_not_count(files: Files) -> None:
    text = files.run(desired=deployment(replicas=1), live=scaled()).stdout
    written = (files.folder / "desired.yaml").read_text().splitlines()
    line = 1 + next(number for number, text in enumerate(written) if "replicas" in text)
    assert text.splitlines()[:3] == [
        f"spec.replicas  (changed live by kubectl-scale at {LATER})",
        f"  Git:  1  ({files.folder}/desired.yaml:{line})",
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


def several(*objects: Object) -> str:
    return yaml.dump_all(objects)


def test_several_objects_are_paired_by_key_and_told_in_order_of_keys(files: Files) -> None:
    """One equal, one changed live, one missing, one extra, one hook; the order of files does not count."""
    desired = several(config_map("a"), deployment(replicas=1), config_map("new"), hook("migrate"))
    live = several(as_applied(config_map("old")), scaled(), as_applied(config_map("a")))
    result = files.run("-o", "json", desired=desired, live=live)
    assert result.return_value == 1
    answer = json.loads(result.stdout)
    assert answer["modified"] is True
    told = [
        (one["key"], one["verdict"], one["modified"], [each["cause"] for each in one["differences"]])
        for one in answer["objects"]
    ]
    assert told == [
        ("/ConfigMap:shop/a", "Synced", False, []),
        ("/ConfigMap:shop/new", "OutOfSync", True, ["missing live"]),
        ("/ConfigMap:shop/old", "OutOfSync", False, ["extra live"]),
        ("apps/Deployment:shop/web", "OutOfSync", True, ["changed live"]),
        ("batch/Job:shop/migrate", "", False, []),
    ]


def test_several_objects_as_text_are_counted_and_only_what_differs_is_shown(files: Files) -> None:
    text = files.run(
        desired=several(config_map("a"), deployment()), live=several(as_applied(config_map("a")), scaled())
    )
    lines = text.stdout.splitlines()
    assert lines[:4] == [
        "1 Synced, 1 OutOfSync",
        "",
        "apps/Deployment:shop/web  OutOfSync",
        f"spec.replicas  (changed live by kubectl-scale at {LATER})",
    ]
    assert "/ConfigMap:shop/a" not in text.stdout


def test_one_of_several_objects_that_cannot_be_compared_is_one_unknown_row(files: Files) -> None:
    wrong = {**deployment(), "spec": {**deployment()["spec"], "replica": 1}}
    desired, live = several(wrong, config_map("a")), several(as_applied(deployment()), as_applied(config_map("a")))
    result = files.run("-o", "json", desired=desired, live=live)
    assert (result.exception, result.return_value) == (None, 2)
    rows = json.loads(result.stdout)["objects"]
    assert [(row["verdict"], bool(row.get("message"))) for row in rows] == [("Synced", False), ("Unknown", True)]


def test_a_list_is_as_good_as_several_documents(files: Files) -> None:
    live = {"apiVersion": "v1", "kind": "List", "items": [as_applied(config_map("a")), as_applied(config_map("b"))]}
    assert files.run(desired=several(config_map("b"), config_map("a")), live=live).return_value == 0


def test_crds_say_which_lists_of_a_custom_kind_have_keys(files: Files) -> None:
    """Without the schema the list is one value; with it, only the item that differs is told."""
    entry = {"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}}
    entries = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "items": {**entry, "required": ["name"]},
    }
    spec = {"type": "object", "properties": {"parts": entries}}
    schema = {"type": "object", "properties": {"spec": spec}}

    def widget(size: int) -> Object:
        parts = [{"name": "a", "size": 1}, {"name": "b", "size": size}]
        return obj("Widget", "one", api="example.com/v1", spec={"parts": parts})

    given = {"desired": widget(2), "live": widget(3)}
    assert [one["path"] for one in files.answer(**given)["differences"]] == ["spec.parts[1].size"]
    path = files.write("crds", crd(schema=schema))
    found = json.loads(files.run("-o", "json", "--crds", path, **given).stdout)
    assert [one["path"] for one in found["differences"]] == ["spec.parts[name=b].size"]


def test_ignore_rules_that_point_at_nothing_are_told(files: Files) -> None:
    rules = [
        {"group": "apps", "kind": "Deployment", "jsonPointers": ["/spec/replicas", "/spec/replica"]},
        {"kind": "Service", "jsonPointers": ["/spec"]},
    ]
    given = {"desired": deployment(replicas=2), "live": tracked(scaled()), "app": app(ignoreDifferences=rules)}
    answer = files.answer(**given)
    assert [(one["rule"], one["message"]) for one in answer["unusedRules"]] == [
        ("spec.ignoreDifferences[0]", "/spec/replica matches nothing"),
        ("spec.ignoreDifferences[1]", "no object of the app is of kind Service"),
    ]
    assert "unused rule: spec.ignoreDifferences[0]: /spec/replica matches nothing" in files.run(**given).stdout


def test_accepted_drift_is_written_with_its_reason_and_counts_until_it_expires(files: Files) -> None:
    live = tracked(scaled())
    flags = ("--accept", "the autoscaler decides", "--until", "2026-12-31")
    assert files.run(*flags, desired=deployment(replicas=1), live=live, app=yaml.dump(app())).return_value == 1
    written = (files.folder / "app.yaml").read_text()
    given: dict[str, Any] = {"desired": deployment(replicas=1), "live": live, "app": written}
    before = files.run("--as-of", "2026-12-31T23:59:59Z", **given)
    assert before.return_value == 0
    assert "accepted until 2026-12-31: spec.replicas (the autoscaler decides)" in before.stdout
    after = files.run("--as-of", "2027-01-01T00:00:00Z", **given)
    assert after.return_value == 1
    assert "accepted, but only until 2026-12-31: spec.replicas (the autoscaler decides)" in after.stdout


@pytest.mark.parametrize("flags", [("--accept", " "), ("--until", "2026-12-31")])
def test_accepting_needs_a_reason(files: Files, flags: tuple[str, ...]) -> None:
    result = files.run(*flags, desired=deployment(), live=scaled())
    assert isinstance(result.exception, click.UsageError)


def test_accepted_drift_expires_at_a_date_or_time_and_at_nothing_else(files: Files) -> None:
    told = files.run("--accept", "it is fine", "--until", "banana", desired=config_map(), live=config_map())
    assert isinstance(told.exception, click.UsageError)
    assert "neither a date (2026-12-31) nor a time" in str(told.exception)


def test_compat_may_be_given_or_be_a_setting(files: Files) -> None:
    """Argo CD's default is the client-side three-way patch: without last-applied a removed key is not found."""
    live = as_applied(config_map(data={"a": "1", "b": "2"}))
    given = {"desired": config_map(data={"a": "1"}), "live": live}
    cm = config_map("argocd-cm", {"syncline.compat": "argocd"})
    assert files.run(**given).return_value == 1
    assert files.run("--compat", "argocd", **given).return_value == 0
    assert files.run(**given, cm=cm).return_value == 0
    assert files.run("--compat", "syncline", **given, cm=cm).return_value == 1


def test_a_change_that_the_api_server_would_refuse_is_told(files: Files) -> None:
    wanted = deployment()
    wanted["spec"]["selector"] = {"matchLabels": {"app": "web", "part": "new"}}
    given: dict[str, Any] = {"desired": wanted, "live": as_applied(deployment())}
    (text,) = files.answer(**given)["immutable"]
    assert text.startswith("spec.selector: ")
    assert text.endswith("field is immutable")
    assert f"the API server would refuse this: {text}" in files.run(**given).stdout
    assert "immutable" not in files.answer(desired=deployment(replicas=3), live=as_applied(deployment()))


def test_of_what_is_live_only_what_belongs_to_the_app_is_extra_and_nothing_that_others_own(files: Files) -> None:
    owned = as_applied(config_map("child")) | {
        "metadata": {"name": "child", "namespace": "shop", "ownerReferences": [{}]}
    }
    live = several(
        *(tracked(as_applied(config_map(name))) for name in ("a", "old")), as_applied(config_map("x")), owned
    )

    def extra(**more: Any) -> list[str]:
        rows = files.answer(desired=several(config_map("a")), live=live, **more)["objects"]
        return [row["key"] for row in rows if [one["cause"] for one in row["differences"]] == ["extra live"]]

    assert extra(app=app()) == ["/ConfigMap:shop/old"]
    assert extra() == ["/ConfigMap:shop/old", "/ConfigMap:shop/x"]


LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def test_empty_annotations_that_kubectl_applied_remove_no_annotation_of_others(files: Files) -> None:
    applied = {**config_map(), "metadata": {**config_map()["metadata"], "annotations": {}}}
    live = config_map(annotations={"note": "by hand", LAST_APPLIED: json.dumps(applied)})
    found = files.run(desired=config_map(), live=live)
    assert (found.return_value, "removed from Git" in found.stdout) == (0, False)


def test_a_field_removed_from_git_is_seen_by_server_side_diff_although_kubectl_holds_it(files: Files) -> None:
    """The server's dry run leaves it: only a sync moves what kubectl applied to us first."""
    live = as_applied(config_map(data={"colour": "blue", "old": "yes"}), manager="kubectl-client-side-apply")
    entry = live["metadata"]["managedFields"][0]
    live["metadata"]["managedFields"] = [{**entry, "operation": "Update"}]
    ours = {**entry, "manager": "argocd-controller", "fieldsV1": {"f:data": {"f:colour": {}}}}
    answer = {**live, "metadata": {**live["metadata"], "managedFields": [{**entry, "operation": "Update"}, ours]}}
    found = files.run(desired=config_map(data={"colour": "blue"}), live=live, predicted=answer)
    assert "data.old  (removed from Git)" in found.stdout
