"""The worker process: reads batches of scripts from standard input, answers each script as soon as it has run.

Started by `syncline.adapters.scripts.process`, which kills it when an answer stays out. A frame is its length in four
bytes and then JSON: `[[kind, text, object, open libraries, parameters], …]` comes in, `[value, error, over limit]` goes
out per script. The worker gives up file handles, files and memory before it sees the first script, and a timer of
processor time ends it even where a script is deep inside C code.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import struct
import sys
from typing import Any, BinaryIO

import orjson

from syncline.adapters.scripts import deletion
from syncline.adapters.scripts.lua import Lua, ScriptFailed, ScriptOverLimit

_LENGTH = struct.Struct(">I")
_MAX_ERROR = 600
# The Lua hook ends a script in good order first; this much later the timer ends the whole worker.
_HOOK_AHEAD = 1.25


def main() -> None:
    """Serve until standard input ends."""
    seconds, memory, lua_memory = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    lua = Lua(seconds=seconds, memory=lua_memory)
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    _give_up_rights(memory)
    _send(outgoing, b"[]")
    while (frame := _receive(incoming)) is not None:
        for script in orjson.loads(frame):
            signal.setitimer(signal.ITIMER_PROF, seconds if script[0] == "delete" else seconds * _HOOK_AHEAD)
            answer = _encoded(_answer(lua, script))
            signal.setitimer(signal.ITIMER_PROF, 0)
            _send(outgoing, answer)


def _answer(lua: Lua, script: list[Any]) -> list[Any]:
    kind, text, obj, open_libraries, parameters = script
    try:
        if kind == "delete":
            return [deletion.delete(text, obj), "", False]
        return [lua.run(kind, text, obj, parameters, open_libraries=open_libraries), "", False]
    except ScriptFailed as error:
        return [None, str(error)[:_MAX_ERROR], isinstance(error, ScriptOverLimit)]
    except RecursionError:
        return [None, "the object or the result is nested too deeply", False]
    except MemoryError:
        return [None, "the script needs more memory than it may use", True]


def _encoded(answer: list[Any]) -> bytes:
    try:
        return orjson.dumps(answer)
    except TypeError as error:
        return orjson.dumps([None, f"the result cannot be written as JSON: {error}"[:_MAX_ERROR], False])


def _give_up_rights(memory: int) -> None:
    """Let nothing be opened, written or dumped any more, and memory be limited."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    limits = {resource.RLIMIT_AS: memory, resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: 0, resource.RLIMIT_NOFILE: 0}
    for which, limit in limits.items():
        # Some systems do not know all of these.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(which, (limit, limit))


def _receive(stream: BinaryIO) -> bytes | None:
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    return stream.read(_LENGTH.unpack(head)[0])


def _send(number: int, content: bytes) -> None:
    rest = memoryview(_LENGTH.pack(len(content)) + content)
    while rest:
        rest = rest[os.write(number, rest) :]


if __name__ == "__main__":
    main()
