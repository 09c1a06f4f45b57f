"""What a machine needs to run real nodes: root on Linux, namespaces, and a few Debian packages.

Asked by `tests.node.conftest`, which skips with the sentence; as `python -m tests.node.requirements` it installs what
is missing where it can, before the programs are built.
"""

import functools
import os
import pathlib
import shutil
import subprocess
import sys

# Debian package by the file that shows that it is installed.
PACKAGES = {
    "/usr/sbin/iptables": "iptables",
    "/usr/sbin/conntrack": "conntrack",
    "/usr/bin/busybox": "busybox-static",
    "/usr/include/seccomp.h": "libseccomp-dev",
    "/usr/bin/pkg-config": "pkg-config",
    "/usr/sbin/ip": "iproute2",
}


@functools.cache
def missing() -> str:
    """Return one sentence that says why nodes cannot run here, nothing where they can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "tests on real nodes need Linux and root: they create network, mount and process namespaces"
    probe = subprocess.run(
        ["unshare", "--fork", "--pid", "--mount-proc", "--net", "--mount", "true"], capture_output=True, check=False
    )
    if probe.returncode != 0:
        return f"tests on real nodes need Linux namespaces: {probe.stderr.decode().strip()}"
    packages = _not_installed()
    if packages:
        return (
            f"tests on real nodes need the Debian packages {' '.join(packages)}: run `make test-node`, or install them"
        )
    return ""


def install() -> None:
    """Install missing packages where this machine has apt and we are root."""
    packages = _not_installed()
    apt = shutil.which("apt-get")
    if not packages or apt is None or os.geteuid() != 0:
        return
    print(f"installing {' '.join(packages)} for the tests on real nodes", file=sys.stderr)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
        subprocess.run([apt, "-qq", *arguments], env=quiet, check=False, stdout=subprocess.DEVNULL)


def _not_installed() -> list[str]:
    return [package for file, package in PACKAGES.items() if not pathlib.Path(file).exists()]


if __name__ == "__main__":
    install()
    if sentence := missing():
        print(sentence, file=sys.stderr)
