"""The same stories under `compat: argocd`: client-side apply, a trial run first, pauses between waves."""

import msgspec
import pytest

from syncline.model.progress import SyncFinished
from syncline.model.settings.settings import Compat
from tests.support import choice_stories, event_stories, hook_stories, manifests, safety_stories, stories
from tests.support.loops.simulated import run_simulated
from tests.support.stories import AUTO, FILES, Story
from tests.support.world import SETTINGS, Bed, SandboxBed

ARGOCD = msgspec.structs.replace(SETTINGS, compat=Compat.ARGOCD)
TOLD_OTHERWISE = {
    # There a newer commit waits until the stuck sync is terminated.
    stories.a_newer_commit_wins_over_a_sync_that_is_stuck,
    # There an object without the last-applied annotation keeps keys that Git no longer has.
    stories.objects_applied_by_kubectl_before_are_taken_over_and_a_removed_key_goes_away,
    # There nobody is asked before a claim goes, and a dry run does not ask the server.
    safety_stories.a_claim_that_git_no_longer_has_is_pruned_only_after_somebody_approved,
    safety_stories.a_dry_run_says_what_the_server_would_refuse_and_writes_nothing,
    # There the old app prunes what it no longer desires, whoever does.
    safety_stories.an_object_that_one_commit_moves_to_another_app_changes_hands_whichever_is_looked_at_first,
    # There the server is asked about everything that is compared by it, also about what looks equal.
    safety_stories.with_server_side_diff_the_server_is_asked_about_what_is_in_doubt_and_its_word_counts,
    # There retries without end stay with the revision they began with, unless `retry.refresh` says otherwise.
    hook_stories.a_commit_that_mends_what_fails_ends_the_retries_well,
    # There a kind that nobody serves fails the trial of all objects, and nothing is written.
    choice_stories.an_object_of_an_unknown_kind_fails_alone_or_with_its_wave_where_its_dry_run_is_skipped,
    # There an apply on the client side of what is unchanged sends nothing.
    choice_stories.with_the_option_only_what_is_out_of_sync_is_applied,
    # There every claim that is not bound is Progressing, whatever Events say.
    event_stories.a_claim_whose_class_is_unknown_is_degraded_until_it_is_bound,
}


@pytest.mark.parametrize(
    "story", [story for story in stories.STORIES if story not in TOLD_OTHERWISE], ids=lambda story: story.__name__
)
def test_on_the_sandbox_as_argo_cd(story: Story) -> None:
    async def main() -> None:
        await stories.play(SandboxBed(0, settings=ARGOCD), story)

    run_simulated(main, seed=0)


@pytest.mark.parametrize(("refresh", "revisions"), [(True, 1), (False, 2)])
def test_a_retry_takes_the_newest_revision_only_where_that_is_asked_for(refresh: bool, revisions: int) -> None:
    """Without it the corrected commit is synced by an operation of its own, when all retries are spent."""

    async def story(bed: Bed) -> None:
        bad = manifests.hook("before", "PreSync", image="example/job:bad")
        bed.source.commit({**FILES, "apps/web/before.yaml": bad})
        app = bed.application(automated=AUTO)
        backoff = {"duration": "1s", "factor": 2, "maxDuration": "10s"}
        app["spec"]["syncPolicy"]["retry"] = {"limit": 2, "refresh": refresh, "backoff": backoff}
        await bed.apply(app)

        async def failed() -> bool:
            state = (await bed.app_status()).get("operationState") or {}
            return "Retrying attempt #1" in state.get("message", "")

        await bed.until(failed, "the first attempt failed")
        bed.source.commit({**FILES, "apps/web/before.yaml": manifests.hook("before", "PreSync")})
        await bed.until_delivered()
        ended = [event for event in bed.events.seen if isinstance(event, SyncFinished)]
        assert len(ended) == revisions

    async def main() -> None:
        await stories.play(SandboxBed(0, settings=ARGOCD), story)

    run_simulated(main, seed=0)
