"""`python -m tools.image`: the build of record of the container image, called by `make image` and `make image-lock`."""

from __future__ import annotations

import argparse
import pathlib
import sys
import time

from tools.build_helm import NotBuilt
from tools.image.apt import Apt
from tools.image.build import ARCHITECTURES, Image, build_image
from tools.image.cache import ROOT
from tools.image.lock import lock_path, lock_text
from tools.image.problem import ImageProblem
from tools.image.rootfs import write_rootfs


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.image", description="Build the container image of Syncline.")
    parser.add_argument("--arch", choices=ARCHITECTURES, default="amd64", help="architecture of the image")
    parser.add_argument("--commit", default="HEAD", help="commit of this repository to build (default: HEAD)")
    parser.add_argument("--source", type=pathlib.Path, metavar="DIR", help="build the tree in this folder instead")
    parser.add_argument("--into", type=pathlib.Path, default=ROOT / "build" / "image", metavar="DIR", help="target")
    parser.add_argument(
        "--rootfs", type=pathlib.Path, metavar="PATH", help="also write the root file system: a .tar, or a new folder"
    )
    parser.add_argument("--name", default="localhost/syncline", help="name of the image without its tag")
    parser.add_argument("--unlocked", action="store_true", help="take today's packages where a locked one is gone")
    parser.add_argument("--lock", action="store_true", help="only pin today's Debian packages, for all architectures")
    return parser.parse_args()


def main() -> int:
    """Build, or write the locks; exit code 1 with one sentence where that fails."""
    chosen = _arguments()
    began = time.monotonic()
    try:
        if chosen.lock:
            return _lock()
        image = build_image(
            *(chosen.arch, chosen.source),
            commit=chosen.commit,
            unlocked=chosen.unlocked,
            into=chosen.into,
            name=chosen.name,
        )
        if chosen.rootfs is not None:
            write_rootfs(image.archive, chosen.rootfs)
    except (ImageProblem, NotBuilt) as error:
        print(error, file=sys.stderr)
        return 1
    _report(image, time.monotonic() - began)
    return 0


def _lock() -> int:
    for arch in ARCHITECTURES:
        packages = Apt(arch).choose()
        lock_path(arch).write_text(lock_text(arch, packages))
        print(f"{lock_path(arch).relative_to(ROOT)}: {len(packages)} packages")
    return 0


def _report(image: Image, seconds: float) -> None:
    for layer in image.layers:
        print(f"{layer.title:36}{layer.size / 1e6:7.1f} MB compressed{layer.unpacked / 1e6:8.1f} MB unpacked")
    size, unpacked = (sum(sizes) for sizes in zip(*((la.size, la.unpacked) for la in image.layers), strict=True))
    print(f"{'together':36}{size / 1e6:7.1f} MB compressed{unpacked / 1e6:8.1f} MB unpacked")
    print(f"{image.programs} programs and libraries, all for its machine; {seconds:.0f} s")
    print(f"{image.archive} {image.digest}\n{image.sbom}")


if __name__ == "__main__":
    sys.exit(main())
