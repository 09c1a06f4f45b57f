"""What was prepared is kept while the very same things are looked at, by whoever was handed the memory."""

import gc
import weakref

import msgspec
import pytest

from syncline.core.assess import AssessmentCache, assess_app, needed_scripts
from syncline.core.compare.prepared import Preparations
from syncline.model import application
from syncline.model.desired import Desired
from syncline.model.settings.settings import Settings
from syncline.model.snapshot import KindFact
from tests.support.objects import SETTINGS, application_object, config_map, desired, snapshot

APP = application.parse(application_object())


def test_the_same_render_for_the_same_app_is_prepared_once() -> None:
    wanted, kinds, known = desired(config_map()), tuple[KindFact, ...](), Preparations()
    first = known.set(wanted, APP, SETTINGS, kinds)
    assert known.set(wanted, APP, SETTINGS, kinds) is first
    assert Preparations().set(wanted, APP, SETTINGS, kinds) is not first


@pytest.mark.parametrize("changed", ["render", "settings", "app", "destination"])
def test_whatever_a_preparation_depends_on_makes_another_one(changed: str) -> None:
    wanted, kinds, known = desired(config_map(namespace="")), tuple[KindFact, ...](), Preparations()
    spec = APP.spec
    other = application.parse(application_object("other"))
    moved = msgspec.structs.replace(spec.destination, namespace="elsewhere")
    app = {
        "app": other,
        "destination": msgspec.structs.replace(APP, spec=msgspec.structs.replace(spec, destination=moved)),
    }.get(changed, APP)
    render: Desired = desired(config_map("another", namespace="")) if changed == "render" else wanted
    settings: Settings = msgspec.structs.replace(SETTINGS, installation_id="i") if changed == "settings" else SETTINGS
    known.set(wanted, APP, SETTINGS, kinds)
    assert known.set(render, app, settings, kinds) == Preparations().set(render, app, settings, kinds)
    assert known.set(render, app, settings, kinds) != known.set(wanted, APP, SETTINGS, kinds)


def test_an_assessment_uses_the_memory_it_was_handed_and_leaves_nothing_behind_without_one() -> None:
    seen, known = snapshot(wanted=desired(config_map())), Preparations()
    assert needed_scripts(seen, AssessmentCache(prepared=known)) == ()
    first, second = (assess_app(seen, AssessmentCache(prepared=known)) for _ in range(2))
    assert first.prepared is second.prepared
    alone, again = assess_app(seen), assess_app(seen)
    assert alone.prepared is not again.prepared
    assert alone.prepared == first.prepared


def test_what_was_kept_goes_with_whoever_kept_it() -> None:
    class Watched(dict[str, object]):
        """A dict that can be referred to weakly."""

    obj, known = Watched(application_object()), Preparations()
    known.app(obj)
    gone = weakref.ref(obj)
    del obj, known
    gc.collect()
    assert gone() is None


def test_of_many_applications_only_the_last_ones_are_kept() -> None:
    known = Preparations()
    objects = [application_object(f"app-{number}") for number in range(300)]
    typed = [known.app(obj) for obj in objects]
    assert known.app(objects[-1]) is typed[-1]
    assert known.app(objects[0]) is not typed[0]
