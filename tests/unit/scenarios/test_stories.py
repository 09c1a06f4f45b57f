"""What stories say of themselves: files that render, deeds as commands, counts that add up."""

import msgspec
import pytest

from syncline.apimachinery import yaml
from syncline.cli.show.scenario import summary
from syncline.cli.show.scenario import told as told_story
from syncline.model.errors import NeedsUser
from syncline.scenarios import shipped
from syncline.scenarios.story import Deed, Rules, Verb


@pytest.mark.parametrize("name", [name for name in shipped.NAMES if name != "kubeflow"])
def test_counts_of_a_story_add_up_to_the_same_apps_by_both_rules(name: str) -> None:
    story = shipped.get(name)
    totals = {seen.good + sum(seen.others.values()) for seen in (story.seen, story.ours)}
    assert len(totals) == 1
    for rules in Rules:
        counts = [step.expected(rules) for step in story.steps]
        assert counts == sorted(counts)


def test_ameide_has_an_app_for_each_listed_component_and_the_root() -> None:
    story = shipped.get("ameide")
    listed = [path for path in story.history[0].files if path.startswith("environments/")]
    assert story.seen.good + sum(story.seen.others.values()) == len(listed) + 1 == 200


@pytest.mark.parametrize("name", shipped.NAMES)
def test_every_cause_is_repaired_by_a_step_or_said_to_be_seen_by_nobody_who_repairs(name: str) -> None:
    story = shipped.get(name)
    repaired = {cause for step in story.steps for cause in step.repairs}
    # Argo CD does not know accepted drift: that app stays OutOfSync, as the write-up says it may.
    assert {one.name for one in story.told if one.code} - {"gateways-stay"} <= repaired
    assert repaired <= {one.name for one in story.told}


@pytest.mark.parametrize("name", ["self-healing", "homelab", "ameide"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_look_alike_has_other_names_and_is_the_same_for_the_same_seed(name: str, seed: int) -> None:
    similar = shipped.get(name, seed)
    assert similar == shipped.get(name, seed) != shipped.get(name, seed + 1)
    told = msgspec.json.encode(similar).decode()
    assert {"self-healing": "notebook-validator", "homelab": "pvc-plumber", "ameide": "ameide-vault"}[name] not in told


@pytest.mark.parametrize("name", ["self-healing", "homelab", "ameide"])
def test_what_is_seen_where_is_told(name: str) -> None:
    story = shipped.get(name)
    text = told_story(story)
    assert summary(story) in text
    assert all(cause.told in text for cause in story.told)


@pytest.mark.parametrize(
    ("name", "folder"),
    [("ameide", "environments/"), ("kubeflow", "bootstrap/apps/"), ("private-ai", "gitops/argocd/applications/")],
)
def test_counts_of_a_story_add_up_to_its_apps(name: str, folder: str) -> None:
    story = shipped.get(name)
    listed = [path for path in story.history[0].files if path.startswith(folder)]
    # The root Application is counted too.
    assert story.seen.good + sum(story.seen.others.values()) == len(listed) + 1
    # By Syncline's own rules apps of later waves do not exist while an earlier one is not delivered.
    assert story.ours.good + sum(story.ours.others.values()) == (3 if name == "kubeflow" else len(listed) + 1)
    assert [step.good for step in story.steps] == sorted(step.good for step in story.steps)


@pytest.mark.parametrize("name", shipped.NAMES)
def test_every_values_file_of_a_story_is_yaml_and_every_deletion_has_its_file(name: str) -> None:
    story = shipped.get(name)
    commits = (*story.history, *(one for step in story.steps for one in step.commits))
    written = [(path, text) for commit in commits for path, text in commit.files.items() if text is not None]
    deleted = {path for commit in commits for path, text in commit.files.items() if text is None}
    assert deleted - {path for path, _text in written} == set()
    plain = [text for path, text in written if path.endswith(".yaml") and "/templates/" not in path]
    assert all(isinstance(one.value, dict) for text in plain for one in yaml.load_documents(text.encode()))


def test_eleven_shared_files_hide_the_tolerations_of_the_environment() -> None:
    files = shipped.get("ameide").history[0].files
    hiding = [
        path
        for path, text in files.items()
        if path.startswith("sources/values/_shared/apps/") and "tolerations: []" in (text or "")
    ]
    assert len(hiding) == 11


@pytest.mark.parametrize(
    ("deed", "command"),
    [
        (Deed(verb=Verb.DELETE, resource="pods", name="a", namespace="b"), "kubectl delete pods a -n b"),
        (
            Deed(verb=Verb.ANNOTATE, resource="pods", name="a", namespace="b", content={"x/y": "z"}),
            "kubectl annotate pods a -n b --overwrite x/y=z",
        ),
        (Deed(verb=Verb.CONFIRM, resource="applications.argoproj.io", name="a"), "syncline app confirm-deletion a"),
        (Deed(verb=Verb.SYNC, resource="applications.argoproj.io", name="a"), "syncline app sync a"),
    ],
)
def test_a_deed_is_shown_as_the_command_that_does_it(deed: Deed, command: str) -> None:
    assert str(deed) == command


def test_a_story_that_does_not_exist_is_told_with_the_nearest() -> None:
    with pytest.raises(NeedsUser, match="ameide"):
        shipped.get("amiede")


@pytest.mark.parametrize("name", ["kubeflow", "private-ai"])
def test_look_alikes_have_other_names_and_one_other_cause_and_are_the_same_for_the_same_seed(name: str) -> None:
    original, similar = shipped.get(name), [shipped.get(name, seed) for seed in (1, 2, 3)]
    assert similar == [shipped.get(name, seed) for seed in (1, 2, 3)]
    assert len({repr(one.history) for one in (original, *similar)}) == 4
    told = {(one.code, one.at or one.subject) for one in original.told}
    for one in similar:
        assert {(cause.code, cause.at or cause.subject) for cause in one.told} - told
        repaired = {cause for step in one.steps for cause in step.repairs}
        assert {cause.name for cause in one.told if cause.code} - repaired <= {"gateways-stay"}


def test_the_table_of_the_write_up_has_a_row_for_each_of_its_seven_apps_and_one_more() -> None:
    rows = shipped.get("private-ai").seen.apps
    assert len(rows) == 8
    assert sum(words.startswith("Synced") for words in rows.values()) == 3
    assert all(words.split()[1] == "Healthy" for words in rows.values())


def test_more_than_fifty_objects_have_two_owners() -> None:
    shared = [cause for cause in shipped.get("kubeflow").told if cause.name in ("trainer", "spark")]
    assert sum(int(cause.subject.split()[0]) for cause in shared) > 50
