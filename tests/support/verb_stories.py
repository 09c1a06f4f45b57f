"""What people ask for while others write to the same Application, told on the sandbox and on a real API server alike.

Each is a coroutine over a `tests.support.world.Bed` without a controller: whether a write comes too late is for the API
server to say.
"""

from __future__ import annotations

import pytest

from syncline.controller.app_key import AppKey
from syncline.verbs.delete import DeleteRequest, Propagation, delete_application
from syncline.verbs.edit import ReplaceSpecRequest, SetRequest, replace_spec, set_fields
from syncline.verbs.errors import Conflict, Refused
from syncline.verbs.settings import SpecSetting
from syncline.verbs.sync import SyncRequest, sync
from tests.support.asking import meddled, stored
from tests.support.world import Bed


def key(bed: Bed) -> AppKey:
    return AppKey(bed.control, "web")


async def a_sync_is_asked_for_again_when_others_write_in_between(bed: Bed) -> None:
    await stored(bed)
    theirs = {"spec": {"source": {"targetRevision": "v2"}}}
    await sync(meddled(bed, theirs, 5), SyncRequest(app=key(bed), username="ann", prune=True))
    app = await bed.app()
    assert app["operation"] == {"sync": {"prune": True}, "initiatedBy": {"username": "ann"}, "retry": {}}
    assert app["spec"]["source"]["targetRevision"] == "v2"


async def a_sync_gives_up_when_others_never_stop_writing(bed: Bed) -> None:
    await stored(bed)
    with pytest.raises(Conflict, match="Application web keeps being changed by others"):
        await sync(meddled(bed, {}, 1000), SyncRequest(app=key(bed)))
    assert "operation" not in await bed.app()


async def whoever_asks_second_never_overwrites_the_operation_of_the_first(bed: Bed) -> None:
    await stored(bed)
    first = {"operation": {"sync": {"revision": "theirs"}}}
    with pytest.raises(Refused, match="another operation is already in progress"):
        await sync(meddled(bed, first, 1), SyncRequest(app=key(bed)))
    assert (await bed.app())["operation"]["sync"] == {"revision": "theirs"}


async def an_edit_is_made_on_what_others_wrote_in_between(bed: Bed) -> None:
    await stored(bed)
    request = SetRequest(app=key(bed), settings=(SpecSetting("targetRevision", "v2"),))
    found = await set_fields(meddled(bed, {"spec": {"source": {"path": "theirs"}}}, 2), request)
    assert found.changed
    source = (await bed.app())["spec"]["source"]
    assert (source["path"], source["targetRevision"]) == ("theirs", "v2")


async def a_spec_is_replaced_only_while_it_is_the_one_that_was_edited(bed: Bed) -> None:
    spec = (await stored(bed))["spec"]
    wanted = {**spec, "source": {**spec["source"], "path": "mine"}}
    request = ReplaceSpecRequest(app=key(bed), spec=wanted, expected=spec)
    with pytest.raises(Conflict, match="someone else changed web while you edited it, so nothing was changed"):
        await replace_spec(meddled(bed, {"spec": {"source": {"path": "theirs"}}}, 1), request)
    assert (await bed.app())["spec"]["source"]["path"] == "theirs"
    again = ReplaceSpecRequest(app=key(bed), spec=wanted, expected=(await bed.app())["spec"])
    assert (await replace_spec(bed.user, again)).obj["spec"] == wanted


async def helm_values_that_are_null_are_stored_as_null(bed: Bed) -> None:
    await stored(bed)
    values = {"limits": None, "replicas": 2}
    await set_fields(bed.user, SetRequest(app=key(bed), settings=(SpecSetting("helm.valuesObject", values),)))
    assert (await bed.app())["spec"]["source"]["helm"] == {"valuesObject": values}


async def a_deleted_application_says_what_becomes_of_its_objects(bed: Bed) -> None:
    app = bed.application()
    app["metadata"]["finalizers"] = ["example.com/keep"]
    await bed.apply(app)
    request = DeleteRequest(app=key(bed), propagation=Propagation.BACKGROUND)
    await delete_application(meddled(bed, {}, 2), request)
    metadata = (await bed.app())["metadata"]
    assert metadata["finalizers"] == ["example.com/keep", "resources-finalizer.argocd.argoproj.io/background"]
    assert metadata["deletionTimestamp"]
    await bed.patch("Application", "web", {"metadata": {"finalizers": None}}, app["apiVersion"], bed.control)


STORIES = (
    a_sync_is_asked_for_again_when_others_write_in_between,
    a_sync_gives_up_when_others_never_stop_writing,
    whoever_asks_second_never_overwrites_the_operation_of_the_first,
    an_edit_is_made_on_what_others_wrote_in_between,
    a_spec_is_replaced_only_while_it_is_the_one_that_was_edited,
    helm_values_that_are_null_are_stored_as_null,
    a_deleted_application_says_what_becomes_of_its_objects,
)
