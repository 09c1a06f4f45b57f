"""What a render that fails leaves behind: the last good one is still compared with, and nothing is synced or pruned."""

from syncline.model.settings.settings import Compat
from tests.support import manifests
from tests.support.loops.hybrid import run_hybrid
from tests.support.loops.simulated import run_simulated
from tests.support.stories import AUTO
from tests.support.world import SETTINGS, SandboxBed

GOOD = {"apps/web/a.yaml": manifests.CONFIG, "apps/web/web.yaml": manifests.deployment()}
BROKEN = {"apps/web/web.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web\n"}


def after_a_broken_commit(compat: Compat) -> tuple[list[tuple[str, str]], str, list[str]]:
    """Return the rows, the condition's message and what was written after a broken commit followed a good one."""

    async def main() -> tuple[list[tuple[str, str]], str, list[str]]:
        import msgspec

        bed = SandboxBed(settings=msgspec.structs.replace(SETTINGS, compat=compat))
        good = bed.source.commit(GOOD)
        await bed.start()
        controller = bed.controller()
        await controller.start()
        await bed.apply(bed.application(automated={**AUTO, "prune": True}))
        await bed.until_delivered()
        bed.source.commit(BROKEN)
        before = len(bed.writes)
        await bed.until_status("Unknown", "Healthy")
        await bed.quiet()
        assert await bed.get("ConfigMap", "settings", "v1") is not None
        status = await bed.app_status()
        rows = [(row["name"], row["status"]) for row in status["resources"]]
        (condition,) = status["conditions"]
        assert condition["type"] == "ComparisonError"
        written = [write for write in bed.writes[before:] if "/applications/" not in write and "/events" not in write]
        await controller.stop()
        await bed.stop()
        return rows, condition["message"].replace(good[:7], "GOOD"), written

    return run_simulated(main)


def test_the_last_good_render_is_marked_stale_and_nothing_is_written() -> None:
    rows, message, written = after_a_broken_commit(Compat.SYNCLINE)
    assert rows == [("settings", "Synced"), ("web", "Synced")]
    start = "Failed to load target state: failed to generate manifest for source 1 of 1: apps/web/web.yaml:4:1: "
    assert message.startswith(f'{start}Failed to unmarshal "web.yaml": ')
    assert message.endswith("; stale: objects are compared with the last good render, of GOOD, and nothing is synced")
    assert written == []


def test_under_argo_cds_rules_every_object_is_unknown() -> None:
    rows, message, written = after_a_broken_commit(Compat.ARGOCD)
    assert rows == [("settings", "Unknown"), ("web", "Unknown")]
    assert "stale" not in message
    assert written == []


def test_a_chart_that_comes_out_differently_each_time_is_told_once() -> None:
    files = {
        "apps/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
        "apps/web/templates/a.yaml": (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: '{{ randAlphaNum 9 }}'}\n"
        ),
    }

    async def main() -> None:
        bed = SandboxBed()
        bed.source.commit(files)
        await bed.start()
        controller = bed.controller()
        await controller.start()
        await bed.apply(bed.application(automated={**AUTO, "selfHeal": True}))
        await bed.until_delivered()
        await bed.quiet()
        # What is kept in memory stays as it is, so the app does not sync for ever.
        assert await bed.status() == ("Synced", "Healthy")
        first = (await bed.must_get("ConfigMap", "a", "v1"))["data"]
        annotation = {"metadata": {"annotations": {"argocd.argoproj.io/refresh": "hard"}}}
        await bed.patch("Application", "web", annotation, "argoproj.io/v1alpha1", bed.control)

        async def changed() -> bool:
            return bool((await bed.must_get("ConfigMap", "a", "v1"))["data"] != first)

        await bed.until(changed, "a hard refresh rendered again")
        await bed.until_delivered()
        (condition,) = (await bed.app_status())["conditions"]
        assert condition["type"] == "UnsteadyRenderWarning"
        assert condition["message"] == (
            "ConfigMap/a differs with every render: data.x (randAlphaNum at apps/web/templates/a.yaml:4)"
        )
        await controller.stop()
        await bed.stop()

    run_hybrid(main())
