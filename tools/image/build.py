"""Puts the image together and writes it as an OCI archive.

    build("amd64") -> pathlib.Path of the archive

Called by `tools.image.__main__` and by tests. With a warm cache only the layer of Syncline is made.
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass

from tools.image import base, cache, checks, packages, program
from tools.image.apt import Apt
from tools.image.bytecode import host_arch
from tools.image.lock import Package, differences, lock_path, read_lock
from tools.image.oci import Layer, write_image, write_layer
from tools.image.problem import ImageProblem
from tools.image.sbom import Contents, sbom
from tools.image.settings import run_config

ARCHITECTURES = ("amd64", "arm64")


@dataclass(frozen=True, slots=True)
class Image:
    """An image that was built: where it is, its digest, and its layers for a table of sizes."""

    archive: pathlib.Path
    sbom: pathlib.Path
    digest: str
    version: str
    layers: tuple[Layer, ...]
    programs: int


def build(
    arch: str = "amd64",
    source: pathlib.Path | None = None,
    *,
    commit: str = "HEAD",
    unlocked: bool = False,
    into: pathlib.Path = cache.ROOT / "build" / "image",
    name: str = "localhost/syncline",
) -> pathlib.Path:
    """Return the archive of the image of a commit, or of a folder with a source tree."""
    return build_image(arch, source, commit=commit, unlocked=unlocked, into=into, name=name).archive


def build_image(
    arch: str,
    source: pathlib.Path | None,
    *,
    commit: str,
    unlocked: bool,
    into: pathlib.Path,
    name: str,
    say: Callable[[str], None] = print,
) -> Image:
    """Build the image, and return what can be said about it."""
    chosen = chosen_packages(arch, unlocked=unlocked, say=say)
    native = chosen if arch == host_arch() else chosen_packages(host_arch(), unlocked=unlocked, say=say)
    host = base.base_root(host_arch(), native)
    with tempfile.TemporaryDirectory(prefix="syncline-image-") as scratch_name:
        scratch = pathlib.Path(scratch_name)
        tree = program.export(source, commit, scratch / "source")
        debian = base.compiled_root(arch, chosen, host)
        python = packages.packages_root(arch, tree.folder, host)
        syncline, version = program.program_root(tree, host, scratch)
        count = checks.check_programs(arch, [debian, python, syncline])
        layers = (
            _cached_layer(debian, "Debian packages"),
            _cached_layer(python, "Python packages, helm and kubectl"),
            write_layer(syncline, scratch / "layer", mtime=tree.time, title="Syncline"),
        )
        archive = into / f"syncline-{version}-{arch}.oci.tar"
        digest = write_image(
            archive,
            layers,
            run_config(version, tree.revision),
            ref_name=f"{name}:{version}",
            arch=arch,
            created=tree.time,
        )
        listed = into / f"syncline-{version}-{arch}.cdx.json"
        contents = Contents(chosen, python, syncline)
        listed.write_bytes(sbom(contents, arch=arch, version=version, digest=digest))
    return Image(archive, listed, digest, version, layers, count)


def chosen_packages(arch: str, *, unlocked: bool, say: Callable[[str], None]) -> list[Package]:
    """Return the locked packages; today's where one of them is gone and `unlocked` permits it."""
    locked = read_lock(lock_path(arch))
    apt = Apt(arch)
    gone = apt.missing(locked)
    if not gone:
        return locked
    if not unlocked:
        listed = ", ".join(f"{package.name} {package.version}" for package in gone)
        raise ImageProblem(
            f"Debian no longer serves {listed} for {arch}: pin today's versions with make image-lock, "
            "or build once with --unlocked"
        )
    current = apt.choose()
    for line in differences(locked, current):
        say(f"not as locked for {arch}: {line}")
    return current


def _cached_layer(root: pathlib.Path, title: str) -> Layer:
    """Return the layer of a root in the cache, packed once."""
    digest = cache.digest_of([root.parent.name, cache.code_digest("oci", "base")])

    def fill(folder: pathlib.Path) -> None:
        layer = write_layer(root, folder / "layer", special=base.SPECIAL, title=title)
        (folder / "layer.json").write_text(json.dumps({**dataclasses.asdict(layer), "blob": ""}))

    folder = cache.made_once(f"layer-{digest}", fill)
    return Layer(**{**json.loads((folder / "layer.json").read_text()), "blob": folder / "layer"})
