"""Values of Secrets never get into a comparison, in no field of it."""

import base64
import json

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.compare.masks import Masks
from syncline.model import names
from syncline.model.codec import encode
from syncline.model.comparison import Verdict
from tests.support.objects import as_applied, compared, obj, prepared, secret

PLAIN = "hunter2-is-my-password"
CODED = base64.b64encode(PLAIN.encode()).decode()


def applied(value: Object) -> Object:
    return as_applied(prepared(value).objects[0].obj)


LAST_APPLIED = {names.LAST_APPLIED: json.dumps(secret(data={"password": CODED}))}


@pytest.mark.parametrize(
    ("wanted", "live"),
    [
        (secret(data={"password": CODED}), applied(secret(data={"password": "b3RoZXI="}))),
        (secret(data={"password": "b3RoZXI="}), applied(secret(data={"password": CODED}))),
        (secret(data={}), applied(secret(data={"password": CODED}))),
        (obj("Secret", "keys", stringData={"password": PLAIN}), applied(secret(data={"password": "b3RoZXI="}))),
        (obj("Secret", "keys", stringdata={"password": PLAIN}), applied(secret(data={}))),
        (obj("Secret", "keys", data={"password": {"deep": PLAIN}}), applied(secret(data={}))),
        (obj("Secret", "keys", data=PLAIN), applied(secret(data={}))),
        (secret(data={"password": "b3RoZXI="}), as_applied(secret(data={"a": CODED}, annotations=LAST_APPLIED))),
    ],
)
def test_neither_side_of_a_secret_shows_its_value(wanted: Object, live: Object) -> None:
    comparison = compared(prepared(wanted), live)
    assert comparison.verdict is not Verdict.SYNCED
    text = encode(comparison).decode()
    assert PLAIN not in text
    assert CODED not in text
    assert PLAIN not in repr(comparison)
    assert CODED not in repr(comparison)


def test_string_data_equals_the_data_it_becomes() -> None:
    wanted = obj("Secret", "keys", stringData={"password": PLAIN})
    assert compared(prepared(wanted), applied(secret(data={"password": CODED}))).verdict is Verdict.SYNCED


def test_line_ends_within_base64_do_not_count() -> None:
    folded = CODED[:8] + "\n" + CODED[8:] + "\n"
    assert compared(prepared(secret(data={"a": folded})), applied(secret(data={"a": CODED}))).verdict is Verdict.SYNCED


def test_equal_values_have_equal_masks_other_values_other_masks_and_no_length_shows() -> None:
    masks = Masks()
    first, second, again = masks.mask("a"), masks.mask("a much longer value"), masks.mask("a")
    assert (first, second, again) == ("++++++++", "++++++++++++", "++++++++")
