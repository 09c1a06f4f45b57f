"""One odd object among good ones: the others are synced, and the odd one is a row of its own with its reason."""

import pytest

from tests.support import manifests, stories
from tests.support.loops.simulated import run_simulated
from tests.support.stories import AUTO, Story
from tests.support.world import SETTINGS, Bed, SandboxBed

NAMELESS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {labels: {a: b}}\n"


def tell(story: Story) -> None:
    async def main() -> None:
        await stories.play(SandboxBed(0, settings=SETTINGS), story)

    run_simulated(main, seed=0)


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (NAMELESS, "metadata.name is missing"),
        (NAMELESS.replace("kind: ConfigMap\n", ""), "this is not a Kubernetes object: it has no kind"),
        ("apiVersion: v1\nkind: List\nitems: [x]\n", "this is not a Kubernetes object: it has no apiVersion and kind"),
    ],
    ids=["no name", "no kind", "a text in a List"],
)
def test_what_nobody_can_take_is_one_unknown_row_and_the_others_are_synced(odd: str, reason: str) -> None:
    where = f"apps/web/odd.yaml:{3 if 'List' in odd else 1}: {reason}"

    async def story(bed: Bed) -> None:
        bed.source.commit({"apps/web/config.yaml": manifests.CONFIG, "apps/web/odd.yaml": odd})
        await bed.apply(bed.application(automated=AUTO))

        async def synced() -> bool:
            state = (await bed.app_status()).get("operationState") or {}
            return where in state.get("message", "")

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
            where,
        )

    tell(story)


@pytest.mark.parametrize("line", ["  name: settings\n", "kind: ConfigMap\n", "apiVersion: v1\n"])
def test_an_object_that_loses_its_name_or_kind_in_git_is_not_pruned(line: str) -> None:
    async def story(bed: Bed) -> None:
        bed.source.commit({"apps/web/config.yaml": manifests.CONFIG})
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_delivered()
        bed.source.commit({"apps/web/config.yaml": manifests.CONFIG.replace(line, "")})

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
