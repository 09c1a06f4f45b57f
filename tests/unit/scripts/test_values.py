"""Lua values as JSON: empty tables and numbers take after the object the script was given."""

from typing import Any

import pytest
from lupa import lua52

from syncline.adapters.scripts.values import Conversion, NotJson

LUA = lua52.LuaRuntime(register_eval=False, register_builtins=False)


def returned(expression: str) -> Any:
    return LUA.execute(f"return {expression}")


@pytest.mark.parametrize(
    ("expression", "original", "value"),
    [
        ("{}", None, []),
        ("{}", {"a": 1}, {}),
        ("{}", {}, {}),
        ("{}", [1], []),
        ("{a={}, b={}, c={}}", {"a": {}, "b": []}, {"a": {}, "b": [], "c": []}),
        ("{list={{m={}}, {m={}}}}", {"list": [{"m": {"x": 1}}]}, {"list": [{"m": {}}, {"m": []}]}),
        ("{a={b={c={}}}}", {"a": {"b": {"c": {"d": 1}}}}, {"a": {"b": {"c": {}}}}),
        ("{a={}}", {"a": "text"}, {"a": []}),
        ("{1, 2, 3}", None, [1, 2, 3]),
        ("{n=3, f=1.5, big=2^53}", None, {"big": 9007199254740992, "f": 1.5, "n": 3}),
        ("{n=1152921504606846977}", {"n": 1152921504606846977}, {"n": 1152921504606846977}),
        ("{b=1, a=1, d=1, c=1}", {"d": 0, "b": 0}, {"d": 1, "b": 1, "a": 1, "c": 1}),
        ("{n=2}", {"n": 2.0}, {"n": 2.0}),
        ("{n=3}", {"n": 2}, {"n": 3}),
        ("{n=1}", {"n": True}, {"n": 1}),
        ("{yes=true, no=false, text='ü'}", None, {"no": False, "text": "ü", "yes": True}),
    ],
)
def test_empty_tables_and_numbers_follow_the_original(expression: str, original: Any, value: Any) -> None:
    found = Conversion().convert(returned(expression), original)
    assert found == value
    assert repr(found) == repr(value), "the order, 1 and True, 2 and 2.0 are told apart"


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("{1, nil, 3}", "has gaps"),
        ("{[2]=1}", "does not start at 1"),
        ("{[1.5]=1}", "does not start at 1"),
        ("{1, a=2}", "mixes names and positions"),
        ("{[true]=1}", "does not start at 1"),
        ("{f=print}", "holds a function"),
        ("{n=0/0}", "not finite"),
        ("{n=1/0}", "not finite"),
        ("(function() local t={} t.t=t return t end)()", "too large or contains itself"),
        ("(function() local t={} for i=1,40 do t={a=t, b=t} end return t end)()", "too large or contains itself"),
    ],
)
def test_what_has_no_form_in_json_is_refused(expression: str, words: str) -> None:
    with pytest.raises(NotJson, match=words):
        Conversion().convert(returned(expression))
