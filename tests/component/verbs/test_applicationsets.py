"""What people ask for about ApplicationSets: read, create, explain, approve and delete."""

import pytest

from syncline.controller.appsets.keys import AppSetKey
from syncline.verbs import applicationsets as verb
from syncline.verbs.errors import Conflict, NotFound, Refused
from tests.support.sets import Sets, appset, listed, play

KEY = AppSetKey("argocd", "set")
SEVEN = [f"app-{number}" for number in range(7)]


def test_a_set_is_created_once_and_overwritten_only_on_request() -> None:
    async def story(sets: Sets) -> None:
        user = sets.bed.user
        outcomes = [(await verb.create_set(user, appset(listed("a")), "argocd", upsert=False))[1] for _ in range(2)]
        assert outcomes == ["created", "unchanged"]
        with pytest.raises(Conflict, match="already exists with a different spec"):
            await verb.create_set(user, appset(listed("b")), "argocd", upsert=False)
        assert (await verb.create_set(user, appset(listed("b")), "argocd", upsert=True))[1] == "updated"
        await sets.until_apps("b")

    play(story)


def test_sets_are_listed_by_label_and_project_and_a_wrong_name_is_told() -> None:
    async def story(sets: Sets) -> None:
        labelled = appset(listed("a"))
        labelled["metadata"]["labels"] = {"team": "blue"}
        await sets.bed.apply(labelled)
        await sets.bed.apply(appset(listed("b"), name="other"))
        user = sets.bed.user
        assert [one["metadata"]["name"] for one in await verb.list_sets(user, "argocd")] == ["other", "set"]
        assert [one["metadata"]["name"] for one in await verb.list_sets(user, "argocd", "team=blue")] == ["set"]
        assert await verb.list_sets(user, "", projects=("nobody",)) == []
        with pytest.raises(NotFound, match="did you mean set"):
            await verb.read_set(user, AppSetKey("argocd", "sett"))

    play(story)


def test_an_approval_is_given_for_the_list_that_was_seen() -> None:
    async def story(sets: Sets) -> None:
        bed = sets.bed
        await bed.apply(appset(listed(*SEVEN)))
        await sets.until_apps(*SEVEN)
        stored = await verb.read_set(bed.user, KEY)
        assert len(stored.apps) == 7
        with pytest.raises(Refused, match="waits for no approval"):
            verb.waiting_deletions(stored)
        await bed.apply(appset(listed("app-0")))
        await sets.until_error("would be deleted")
        stored = await verb.read_set(bed.user, KEY)
        lines = verb.explain(stored)
        assert lines[0] == "argocd/set (7 Applications) is not up to date"
        assert lines[1].startswith("DeletionFrozen: 6 of 7 Applications would be deleted")
        with pytest.raises(Conflict, match="would delete other Applications by now"):
            verb.waiting_deletions(stored, "0123456789ab")
        waiting = verb.waiting_deletions(stored)
        assert waiting == verb.waiting_deletions(stored, waiting.digest)
        await verb.approve(bed.user, stored, waiting)
        await sets.until_apps("app-0")

    play(story)


def test_a_set_that_no_controller_looks_at_is_explained() -> None:
    (verdict, reason) = verb.explain(verb.StoredSet(appset(listed("a"))))
    assert verdict == "argocd/set (0 Applications) is not up to date"
    assert reason.startswith("no controller has looked at it yet")


@pytest.mark.parametrize(("orphan", "left"), [(True, ["a"]), (False, [])])
def test_a_set_is_deleted_with_its_applications_or_without(orphan: bool, left: list[str]) -> None:
    async def story(sets: Sets) -> None:
        await sets.bed.apply(appset(listed("a")))
        await sets.until_apps("a")
        await verb.delete_set(sets.bed.user, await verb.read_set(sets.bed.user, KEY), orphan=orphan)

        async def gone() -> bool:
            return await verb.list_sets(sets.bed.user, "argocd") == []

        await sets.bed.until(gone, "the set is gone")
        await sets.until_apps(*left)

    play(story)
