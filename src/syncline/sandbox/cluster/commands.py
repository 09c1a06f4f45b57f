"""Reads what a container's command would do, as far as it can be told from its words alone.

`script_of` is asked by the kubelet and for logs: a rule of the cluster file goes first, then the command. Known are
true, false, sleep, echo, exit and `sh -c` with these joined by `;`, `&&`, `||` and lines. A command with any other word
is not guessed at: such a container runs on, or ends well where its pod is meant to end. Arguments without a command go
to the program of the image; where that is a shell, or they start one, they are the command
(`syncline.sandbox.cluster.known_images`).
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.sandbox.cluster import known_images
from syncline.sandbox.cluster.settings import Container, SandboxSettings

_SHELLS = frozenset({"sh", "bash", "ash", "dash", "zsh"})
_JOINTS = frozenset({";", "&&", "||"})
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_FOREVER = float("inf")


class _Unknown(Exception):
    """The command holds something that is not read."""


@dataclass(slots=True)
class _Course:
    """What has happened so far in a script."""

    seconds: float = 0.0
    code: int = 0
    lines: list[str] = field(default_factory=list)
    strict: bool = False
    over: bool = False


def script_of(settings: SandboxSettings, container: Object) -> Container | None:
    """Return what a container does: by the rules of the cluster file, else by its command; None when it just runs."""
    found = rule_of(settings, container)
    if found is not None:
        return found
    image, words = container.get("image", ""), words_of(container)
    if words:
        problem = known_images.start_error(image, words[0])
        return Container(image=image, start_error=problem) if problem else read(image, words)
    if known_images.is_open(image) and not (container.get("args") or container.get("stdin") or container.get("tty")):
        return Container(image=image, exit_code=0)  # a shell that has nothing to read ends
    return None


def rule_of(settings: SandboxSettings, container: Object) -> Container | None:
    """Return the rule of the cluster file about a container."""
    return settings.container(container.get("image", ""), container.get("name", ""), line_of(container))


def line_of(container: Mapping[str, Any]) -> str:
    """Return command and arguments as they are given, joined as in a shell."""
    return shlex.join(str(word) for field in ("command", "args") for word in container.get(field) or ())


def words_of(container: Object) -> list[str]:
    """Return command and arguments; nothing where a program of the image runs that nobody knows."""
    command = [str(word) for word in container.get("command") or ()]
    arguments = [str(word) for word in container.get("args") or ()]
    if command or known_images.is_open(container.get("image", "")):
        return [*command, *arguments]
    return arguments if len(arguments) > 1 and _name(arguments[0]) in _SHELLS else []


def is_deaf(settings: SandboxSettings, container: Object) -> bool:
    """Tell whether a container is known to listen on no port, by its command."""
    words = words_of(container)
    return bool(words) and rule_of(settings, container) is None and _course_of(words) is not None


def read(image: str, words: list[str]) -> Container | None:
    """Return what a command line does, None when that cannot be told or never ends."""
    course = _course_of(words)
    if not words or course is None or course.seconds == _FOREVER:
        return None
    return Container(image=image, exit_code=course.code, run_seconds=course.seconds, lines=tuple(course.lines))


def _course_of(words: list[str]) -> _Course | None:
    course = _Course()
    try:
        if words:
            _run_program(words, course)
    except _Unknown:
        return None
    return course


def _name(program: str) -> str:
    return program.rpartition("/")[2]


def _run_program(words: list[str], course: _Course) -> None:
    name = _name(words[0])
    if name not in _SHELLS:
        _run(name, words[1:], course)
        return
    flags = [word for word in words[1:-1] if word.startswith("-")]
    if len(words) < 3 or not any("c" in flag for flag in flags) or len(flags) != len(words) - 2:
        raise _Unknown
    course.strict = any("e" in flag for flag in flags)
    _run_script(words[-1], course)


def _run_script(script: str, course: _Course) -> None:
    joint = ";"
    parts = _parts(script)
    for part, following in zip(parts, [*parts[1:], ";"], strict=True):
        if course.over:
            return
        if isinstance(part, str):
            joint = part
        elif (joint == "&&" and course.code) or (joint == "||" and not course.code):
            continue
        else:
            _run(part[0], part[1:], course)
            if course.strict and course.code and following == ";":
                course.over = True  # with -e a failure ends the script, unless && or || is there to deal with it


def _parts(script: str) -> list[list[str] | str]:
    """Split a script into commands and what joins them."""
    found: list[list[str] | str] = []
    for line in script.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        current: list[str] = []
        try:
            tokens = list(lexer)
        except ValueError:
            raise _Unknown from None
        for token in [*tokens, ";"]:
            if token not in _JOINTS:
                current.append(token)
                continue
            if current:
                found.append(_plain(current))
            found.append(token)
            current = []
    return found


def _plain(words: list[str]) -> list[str]:
    """Return the words of a command without redirections to the log; raises where more than words is meant."""
    kept = list(words)
    for ending in ([">&", "2"], ["1", ">&", "2"], ["2", ">&", "1"]):
        if kept[-len(ending) :] == ending:
            kept = kept[: -len(ending)]
    if not kept or any(set(word) & set("|&<>()`") for word in kept):
        raise _Unknown
    return kept[1:] if kept[0] == "exec" and len(kept) > 1 else kept


def _run(name: str, arguments: list[str], course: _Course) -> None:
    match _name(name):
        case "true" | ":":
            course.code = 0
        case "false":
            course.code = 1
        case "echo":
            words = arguments[1:] if arguments[:1] == ["-n"] or arguments[:1] == ["-e"] else arguments
            course.lines.append(" ".join(words))
            course.code = 0
        case "sleep":
            course.seconds += sum(_seconds(word) for word in arguments)
            course.code, course.over = 0, course.over or course.seconds == _FOREVER
        case "exit":
            course.code, course.over = _code(arguments, course.code), True
        case "set" if all(word in ("-e", "-u", "-eu", "-ex", "-x", "-eux", "-o", "pipefail") for word in arguments):
            course.strict = course.strict or any("e" in word for word in arguments if word.startswith("-"))
            course.code = 0
        case _:
            raise _Unknown


def _code(arguments: list[str], last: int) -> int:
    if not arguments:
        return last
    if not arguments[0].isdigit():
        raise _Unknown
    return int(arguments[0]) % 256


def _seconds(word: str) -> float:
    if word in ("infinity", "inf"):
        return _FOREVER
    unit = _UNITS.get(word[-1:], 0.0)
    try:
        return float(word[:-1]) * unit if unit else float(word)
    except ValueError:
        raise _Unknown from None
