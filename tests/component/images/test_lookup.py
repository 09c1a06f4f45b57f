"""Whether an image is there: by tag and digest, with the right login only, and never guessed."""

import base64
import json

import pytest

from syncline.adapters.images.lookup import RegistryImages
from syncline.ports.images import ImageNote
from tests.support import registry, this_machine

LAYER = [("application/vnd.oci.image.layer.v1.tar+gzip", b"layer")]


def secret(place: str, user: str, password: str) -> str:
    auth = base64.b64encode(f"{user}:{password}".encode()).decode()
    return json.dumps({"auths": {place: {"auth": auth}}})


async def test_a_tag_and_a_digest_are_found_or_not() -> None:
    with registry.serve() as running:
        digest = running.put("team/web", "1.0", LAYER)
        images = RegistryImages(on=True, plain_http=[running.place], reach=this_machine.REACH)
        name = f"{running.place}/team/web"
        missing = f"sha256:{'0' * 64}"
        assert await images.look_up(f"{name}:1.0") == ImageNote(f"{name}:1.0", True)
        assert await images.look_up(f"{name}@{digest}") == ImageNote(f"{name}@{digest}", True)
        assert await images.look_up(f"{name}:1.1") == ImageNote(
            f"{name}:1.1", False, f"{running.place} has no team/web:1.1"
        )
        assert await images.look_up(f"{name}@{missing}") == ImageNote(
            f"{name}@{missing}", False, f"{running.place} has no team/web:{missing}"
        )
        assert {request.split()[0] for request in running.requests} == {"HEAD"}


@pytest.mark.parametrize("scheme", ["basic", "token"])
async def test_a_private_image_needs_the_pull_secret_of_its_registry(scheme: str) -> None:
    with registry.serve(password="ada:canary", scheme=scheme) as running:
        running.put("team/web", "1.0", LAYER)
        images = RegistryImages(on=True, plain_http=[running.place], reach=this_machine.REACH)
        name = f"{running.place}/team/web:1.0"
        closed = ImageNote(name, None, f"{running.place} denied access: no pull secret matches")
        assert await images.look_up(name) == closed
        assert await images.look_up(name, [secret("other.example", "ada", "canary")]) == closed
        wrong = await images.look_up(name, [secret(running.place, "ada", "canary-wrong")])
        assert wrong == ImageNote(name, None, f"{running.place} denied access: the pull secrets were rejected")
        assert await images.look_up(name, [secret(running.place, "ada", "canary")]) == ImageNote(name, True)
        assert await images.look_up(name) == closed


async def test_a_known_answer_is_kept_for_a_while_and_a_silence_is_not() -> None:
    now = [0.0]
    with registry.serve() as running:
        running.put("team/web", "1.0", LAYER)
        images = RegistryImages(on=True, plain_http=[running.place], now=lambda: now[0], reach=this_machine.REACH)
        name = f"{running.place}/team/web:1.0"
        for _ in range(5):
            assert (await images.look_up(name)).exists is True
        assert len(running.requests) == 1
        now[0] = 301.0
        assert (await images.look_up(name)).exists is True
        assert len(running.requests) == 2
    now[0] = 700.0
    for _ in range(2):
        note = await images.look_up(name)
        assert note.exists is None
        assert note.reason.endswith("did not answer: Connection refused")


async def test_nothing_is_asked_while_it_is_switched_off() -> None:
    with registry.serve() as running:
        images = RegistryImages(on=False, plain_http=[running.place], reach=this_machine.REACH)
        name = f"{running.place}/team/web:1.0"
        assert await images.look_up(name) == ImageNote(name, None, "images are not looked up here")
        assert running.requests == []


@pytest.mark.parametrize("image", ["", ":x", "a b:1", "web:", "web:-x", "web@sha256:short", "web:$(id)"])
async def test_what_is_no_name_is_not_asked_for(image: str) -> None:
    note = await RegistryImages(on=True, reach=this_machine.REACH).look_up(image)
    assert note.exists is not True
    assert "is not a" in note.reason
