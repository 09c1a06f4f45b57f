"""Unpacks Debian packages as a folder: ar and tar read by Python, no maintainer scripts, no root.

Used by `tools.image.base`. Packages of this release still spread over /lib and /usr/lib; here everything goes to /usr,
where the links of a merged root point.
"""

from __future__ import annotations

import io
import pathlib
import posixpath
import shutil
import tarfile
from collections.abc import Callable, Iterator

from tools.image.problem import ImageProblem

_AR = b"!<arch>\n"
_HEAD = 60
MERGED = ("bin", "lib", "lib64", "sbin")


def members(deb: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an ar archive."""
    if not deb.startswith(_AR):
        raise ImageProblem(f"{name} is not a Debian package: delete it from the cache and build again")
    at = len(_AR)
    while at + _HEAD <= len(deb):
        head = deb[at : at + _HEAD]
        try:
            size = int(head[48:58])
        except ValueError:
            raise ImageProblem(f"{name} is damaged at byte {at}: delete it from the cache and build again") from None
        at += _HEAD
        yield head[:16].decode("ascii", "replace").strip().rstrip("/"), deb[at : at + size]
        at += size + size % 2


def _tar(path: pathlib.Path, part: str) -> tarfile.TarFile:
    for name, content in members(path.read_bytes(), path.name):
        if name.startswith(f"{part}.tar"):
            try:
                return tarfile.open(fileobj=io.BytesIO(content), mode="r:*")
            except tarfile.ReadError as error:
                raise ImageProblem(f"{path.name}: {name} cannot be read ({error}): Python lacks its format") from None
    raise ImageProblem(f"{path.name} contains no {part}.tar: delete it from the cache and build again")


def control(path: pathlib.Path) -> str:
    """Return the control file of a package: its name, version and so on."""
    with _tar(path, "control") as tar:
        file = next(entry for entry in tar if posixpath.normpath(entry.name) == "control")
        content = tar.extractfile(file)
        return content.read().decode() if content is not None else ""


def merged(name: str) -> str:
    """Return the path of a file in a root where /bin, /lib, /lib64 and /sbin are links into /usr."""
    first, slash, rest = name.partition("/")
    return f"usr/{first}{slash}{rest}" if first in MERGED else name


def unpack(path: pathlib.Path, root: pathlib.Path, keeps: Callable[[str], bool]) -> None:
    """Unpack the files of a package that `keeps` accepts by their path; owners and set-id bits are dropped."""
    with _tar(path, "data") as tar:
        for entry in tar:
            name = posixpath.normpath(entry.name)
            if name.startswith(("/", "..")):
                raise ImageProblem(f"{path.name} contains {entry.name}, which is outside of the root")
            name = merged(name)
            if name not in (".", "usr") and not entry.isdir() and keeps(name):
                _write(tar, entry, root, name)


def _write(tar: tarfile.TarFile, entry: tarfile.TarInfo, root: pathlib.Path, name: str) -> None:
    target = root / name
    target.parent.mkdir(parents=True, exist_ok=True)
    if entry.issym():
        target.symlink_to(entry.linkname)
    elif entry.islnk():
        target.hardlink_to(root / merged(posixpath.normpath(entry.linkname)))
    elif entry.isreg():
        content = tar.extractfile(entry)
        if content is not None:
            with content, target.open("wb") as file:
                shutil.copyfileobj(content, file)
        target.chmod(0o755 if entry.mode & 0o100 else 0o644)
    else:
        raise ImageProblem(f"{name} is neither a file nor a link: leave it out in tools/image/base.py")
