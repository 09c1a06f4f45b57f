"""Parts of slash-separated paths, as Go's path package takes them.

Part of the table in `syncline.core.appset.functions`.
"""

from __future__ import annotations

from syncline.core.appset.gotemplate.functions import Function


def _clean(path: str) -> str:
    if not path:
        return "."
    rooted = path.startswith("/")
    kept: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part == "..":
            if kept and kept[-1] != "..":
                kept.pop()
                continue
            if rooted:
                continue
        kept.append(part)
    return ("/" if rooted else "") + "/".join(kept) or "."


def _base(path: str) -> str:
    if not path:
        return "."
    return path.rstrip("/").rpartition("/")[2] or "/"


def _dir(path: str) -> str:
    head, slash, _ = path.rpartition("/")
    return _clean(head + slash)


def _ext(path: str) -> str:
    _, dot, extension = path.rpartition("/")[2].rpartition(".")
    return dot + extension if dot else ""


def _is_abs(path: str) -> bool:
    return path.startswith("/")


_PATHS = {"base": _base, "clean": _clean, "dir": _dir, "ext": _ext, "isAbs": _is_abs}
PATHS: dict[str, Function] = {
    **{name: Function(call, "string") for name, call in _PATHS.items()},
    **{f"os{name[0].upper()}{name[1:]}": Function(call, "string") for name, call in _PATHS.items()},
}
