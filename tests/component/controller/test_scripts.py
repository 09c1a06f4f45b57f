"""Health scripts of the settings under the controller: real Lua in real workers, in real time."""

from syncline.adapters.scripts.evaluator import ScriptEvaluator
from syncline.model.settings.resources import ResourceOverride
from syncline.model.settings.settings import Settings
from tests.support import manifests
from tests.support.loops.running import run_real
from tests.support.stories import AUTO
from tests.support.world import SandboxBed

CHECK = """
hs = {}
if obj.data.colour == "green" then
  hs.status = "Healthy"
elseif obj.data.colour == "red" then
  hs.status = "Degraded"
  hs.message = "the light is red"
else
  hs.status = "Progressing"
  hs.message = "the light is " .. obj.data.colour
end
return hs
"""
SETTINGS = Settings(
    refresh_interval=0.2, refresh_jitter=0.0, overrides=(ResourceOverride(pattern="ConfigMap", health_lua=CHECK),)
)


def light(colour: str) -> dict[str, str]:
    config = manifests.CONFIG.replace("blue", colour)
    return {"apps/web/config.yaml": config, "apps/web/web.yaml": manifests.deployment()}


def test_a_wave_waits_for_what_the_script_says_and_its_words_are_shown() -> None:
    async def main() -> None:
        evaluator = ScriptEvaluator()
        bed = SandboxBed(settings=SETTINGS, evaluator=evaluator)
        await bed.start()
        controller = bed.controller()
        await controller.start()
        bed.source.commit(light("yellow"))
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_status("OutOfSync", "Progressing")
        await bed.clock.sleep(1)
        assert await bed.get("Deployment", "web") is None
        state = (await bed.app_status())["operationState"]
        assert "waiting for healthy state of /ConfigMap/settings" in state["message"]
        assert "the light is yellow" in state["message"]
        bed.source.commit(light("green"))
        await bed.until_delivered()
        bed.source.commit(light("red"))
        await bed.until_status("Synced", "Degraded")
        rows = {row["kind"]: row for row in (await bed.app_status())["resources"]}
        assert rows["ConfigMap"]["health"] == {"status": "Degraded", "message": "the light is red"}
        assert not bed.failures
        await controller.stop()
        await evaluator.close()
        await bed.stop()

    run_real(main())
