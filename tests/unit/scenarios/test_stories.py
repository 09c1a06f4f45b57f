"""What stories say of themselves: files that render, deeds as commands, counts that add up."""

import pytest

from syncline.apimachinery import yaml
from syncline.model.errors import NeedsUser
from syncline.scenarios import shipped
from syncline.scenarios.story import Deed, Verb


@pytest.mark.parametrize("name", shipped.NAMES)
def test_counts_of_a_story_add_up_to_its_apps(name: str) -> None:
    story = shipped.get(name)
    listed = [path for path in story.history[0].files if path.startswith("environments/")]
    # The root Application is counted too.
    assert story.seen.good + sum(story.seen.others.values()) == len(listed) + 1
    assert story.ours.good + sum(story.ours.others.values()) == len(listed) + 1
    assert [step.good for step in story.steps] == sorted(step.good for step in story.steps)


@pytest.mark.parametrize("name", shipped.NAMES)
def test_every_values_file_of_a_story_is_yaml_and_every_deletion_has_its_file(name: str) -> None:
    story = shipped.get(name)
    commits = (*story.history, *(one for step in story.steps for one in step.commits))
    written = [(path, text) for commit in commits for path, text in commit.files.items() if text is not None]
    deleted = {path for commit in commits for path, text in commit.files.items() if text is None}
    assert deleted - {path for path, _text in written} == set()
    plain = [text for path, text in written if path.endswith(".yaml") and "/templates/" not in path]
    assert all(isinstance(yaml.load(text.encode()), dict) for text in plain)


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
        (Deed(verb=Verb.SYNC, resource="applications.argoproj.io", name="a"), "syncline app sync a"),
    ],
)
def test_a_deed_is_shown_as_the_command_that_does_it(deed: Deed, command: str) -> None:
    assert str(deed) == command


def test_a_story_that_does_not_exist_is_told_with_the_nearest() -> None:
    with pytest.raises(NeedsUser, match="ameide"):
        shipped.get("amiede")
