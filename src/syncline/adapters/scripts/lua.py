"""Runs Lua inside a worker: two Lua states, one for scripts with few libraries and one for those with all safe ones.

Called by `syncline.adapters.scripts.worker`; what scripts see is written in `sandbox.lua` beside this file. Lua 5.2
reads what users have (5.1 plus goto) and, unlike LuaJIT, keeps to a memory limit. A state that ran out of memory or
time is thrown away.
"""

from __future__ import annotations

from importlib import resources
from typing import Any

from lupa import lua52

from syncline.adapters.scripts.values import Conversion, NotJson

_RENEW_AFTER = 2_000
_MAX_CHUNKS = 256
_TIME_IS_OVER = "__time_is_over"
_OUT_OF_MEMORY = "not enough memory"
_EXPECTED = {"health": ("table", "nil"), "discovery": ("table",), "action": ("table",)}


class ScriptFailed(Exception):
    """A script gave no result; the text says why, in words for its author."""


class ScriptOverLimit(ScriptFailed):
    """A script used up its time or memory."""


class _State:
    """One Lua state with the sandbox loaded and the scripts it has compiled."""

    def __init__(self, source: str, *, open_libraries: bool, seconds: float, memory: int) -> None:
        self._lua = lua52.LuaRuntime(
            register_eval=False,
            register_builtins=False,
            unpack_returned_tuples=True,
            attribute_filter=_deny,
            max_memory=memory,
        )
        self.compile, self.run = self._lua.execute(source, open_libraries, seconds)
        self.table = self._lua.table_from
        self.chunks: dict[str, Any] = {}
        self.runs = 0

    def chunk(self, text: str) -> Any:
        """Return the compiled script."""
        found = self.chunks.get(text)
        if found is None:
            compiled = self.compile(text)
            if isinstance(compiled, tuple):
                raise ScriptFailed(f"the Lua script cannot be read: {compiled[1]}")
            if len(self.chunks) >= _MAX_CHUNKS:
                self.chunks.clear()
            found = self.chunks[text] = compiled
        return found


class Lua:
    """Runs scripts; `seconds` are of processor time."""

    def __init__(self, *, seconds: float, memory: int) -> None:
        self._seconds = seconds
        self._memory = memory
        self._source = resources.files("syncline.adapters.scripts").joinpath("sandbox.lua").read_text()
        self._states: dict[bool, _State] = {}

    def run(
        self, kind: str, text: str, obj: dict[str, Any], parameters: dict[str, str], *, open_libraries: bool
    ) -> Any:
        """Return what the script returns as JSON values; raises ScriptFailed."""
        state = self._state(open_libraries=open_libraries)
        try:
            return self._run(state, kind, text, obj, parameters)
        except (MemoryError, lua52.LuaMemoryError):
            self._states.pop(open_libraries, None)
            raise ScriptOverLimit(f"the Lua script or its object needs more than {self._memory >> 20} MB") from None
        except lua52.LuaError as error:
            self._states.pop(open_libraries, None)
            raise _failure(str(error), self._seconds, self._memory) from None
        except UnicodeError:
            raise ScriptFailed("the Lua script returned text that is not UTF-8") from None
        except ScriptOverLimit:
            self._states.pop(open_libraries, None)
            raise

    def _run(self, state: _State, kind: str, text: str, obj: dict[str, Any], parameters: dict[str, str]) -> Any:
        chunk = state.chunk(text)
        subject = state.table(obj, recursive=True)
        good, value, returned = state.run(chunk, subject, state.table(parameters))
        if not good:
            raise _failure(str(value), self._seconds, self._memory)
        if returned not in _EXPECTED[kind]:
            raise ScriptFailed(f"the Lua script returned a {returned}, expected a table")
        try:
            return _result(kind, value, obj)
        except NotJson as error:
            raise ScriptFailed(f"the Lua script's result cannot be used: {error}") from None

    def _state(self, *, open_libraries: bool) -> _State:
        state = self._states.get(open_libraries)
        if state is None or state.runs >= _RENEW_AFTER:
            state = _State(self._source, open_libraries=open_libraries, seconds=self._seconds, memory=self._memory)
            self._states[open_libraries] = state
        state.runs += 1
        return state


def _result(kind: str, value: Any, obj: dict[str, Any]) -> Any:
    """Return the value as JSON; only what an action patches is repaired after the object it was given."""
    if kind != "action":
        return Conversion().convert(value)
    # Read item by item: looking one up by its name could call a function of the script.
    items = dict(value.items())
    if 1 not in items:
        return Conversion().convert(value, obj)
    return Conversion().convert(value, [{"resource": obj} if _is_patch(one) else None for one in items.values()])


def _is_patch(operation: Any) -> bool:
    return lua52.lua_type(operation) == "table" and dict(operation.items()).get("operation") == "patch"


def _failure(text: str, seconds: float, memory: int) -> ScriptFailed:
    if _TIME_IS_OVER in text:
        return ScriptOverLimit(f"the Lua script ran for more than {seconds:g} s")
    if text.endswith(_OUT_OF_MEMORY):
        return ScriptOverLimit(f"the Lua script or its object needs more than {memory >> 20} MB")
    return ScriptFailed(f"the Lua script failed: {text.partition(chr(10) + 'stack traceback')[0]}")


def _deny(_subject: Any, _name: Any, _writing: Any) -> Any:
    raise AttributeError("scripts have no access to Python")
