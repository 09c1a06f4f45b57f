"""One odd object among good ones: the others are synced, and the odd one is a row of its own with its reason."""

from tests.support import manifests, stories
from tests.support.loops.simulated import run_simulated
from tests.support.stories import AUTO, Story
from tests.support.world import SETTINGS, Bed, SandboxBed

NAMELESS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {labels: {a: b}}\n"


def tell(story: Story) -> None:
    async def main() -> None:
        await stories.play(SandboxBed(0, settings=SETTINGS), story)

    run_simulated(main, seed=0)


def test_an_object_without_a_name_is_one_unknown_row_and_the_others_are_synced() -> None:
    async def story(bed: Bed) -> None:
        bed.source.commit({"apps/web/config.yaml": manifests.CONFIG, "apps/web/odd.yaml": NAMELESS})
        await bed.apply(bed.application(automated=AUTO))

        async def synced() -> bool:
            state = (await bed.app_status()).get("operationState") or {}
            return "odd.yaml:1: metadata.name is missing" in state.get("message", "")

        await bed.until(synced, "the sync was tried")
        await bed.quiet()
        assert await bed.get("ConfigMap", "settings", "v1") is not None
        status = await bed.app_status()
        assert {row.get("name", ""): row["status"] for row in status["resources"]} == {
            "settings": "Synced",
            "": "Unknown",
        }
        assert status["sync"]["status"] == "Unknown"
        (condition,) = status["conditions"]
        assert (condition["type"], condition["message"]) == (
            "ComparisonError",
            "apps/web/odd.yaml:1: metadata.name is missing",
        )

    tell(story)


def test_an_object_that_loses_its_name_in_git_is_not_pruned() -> None:
    async def story(bed: Bed) -> None:
        bed.source.commit({"apps/web/config.yaml": manifests.CONFIG})
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_delivered()
        bed.source.commit({"apps/web/config.yaml": manifests.CONFIG.replace("  name: settings\n", "")})

        async def told() -> bool:
            return bool((await bed.app_status()).get("conditions"))

        await bed.until(told, "the object without a name is told")
        await bed.quiet()
        assert await bed.get("ConfigMap", "settings", "v1") is not None

    tell(story)


def test_a_key_that_is_given_twice_is_told_and_everything_is_synced() -> None:
    async def story(bed: Bed) -> None:
        bed.source.commit({"apps/web/config.yaml": manifests.CONFIG + "  colour: red\n"})
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_delivered()
        assert (await bed.must_get("ConfigMap", "settings", "v1"))["data"] == {"colour": "red"}
        (condition,) = (await bed.app_status())["conditions"]
        assert condition["type"] == "ManifestWarning"
        assert condition["message"] == (
            'apps/web/config.yaml:9: key "colour" is given twice: first on line 8, again here; the last one counts'
        )

    tell(story)
