"""Builds what a real node needs beyond a control plane, and says where it is.

Called by `tests.node.conftest` and as `python -m tests.node.build`; it hands `Programs` to `tests.node.machine` and
`tests.node.cluster`. Each folder below `tests/node/programs` is a Go module that pins the version of one family, so
that a newer containerd does not build another kubelet.
"""

import dataclasses
import pathlib
import sys

from tests.cluster import build as plane
from tests.real import build as servers
from tests.real import registries

HERE = pathlib.Path(__file__).parent / "programs"
CONTAINERD = "github.com/containerd/containerd/v2/cmd"
PLUGINS = "github.com/containernetworking/plugins/plugins"
STATIC = (("CGO_ENABLED", "0"),)


@dataclasses.dataclass(frozen=True, slots=True)
class Programs:
    """Where the programs of nodes are; `cni` is a folder with one program per plug-in."""

    plane: plane.Programs
    kubernetes: pathlib.Path
    containerd: pathlib.Path
    runc: pathlib.Path
    cni: pathlib.Path
    coredns: pathlib.Path
    registry: pathlib.Path


def build(*, say: bool = True) -> Programs:
    """Return the programs, building first what was never built here in this version."""
    kubernetes = servers.Recipe(
        module=HERE / "kubernetes",
        packages={name: f"{servers.KUBERNETES}/cmd/{name}" for name in ("kubelet", "kube-proxy")},
        title=f"kubelet and kube-proxy {servers.kubernetes_version()}",
        linker_flags=servers.linker_flags(),
        prefix="kubelet-",
        environment=STATIC,
    )
    containerd = servers.Recipe(
        module=HERE / "containerd",
        packages={name: f"{CONTAINERD}/{name}" for name in ("containerd", "containerd-shim-runc-v2", "ctr")},
        title="containerd, its shim and its client",
        linker_flags="-s -w",
        prefix="containerd-",
        environment=STATIC,
        tags="no_btrfs no_devmapper no_zfs",
    )
    runc = servers.Recipe(
        module=HERE / "runc",
        packages={"runc": "github.com/opencontainers/runc"},
        title="the programs of runc",
        linker_flags="-s -w",
        prefix="runc-",
        environment=(("CGO_ENABLED", "1"),),
        tags="seccomp",
    )
    cni = servers.Recipe(
        module=HERE / "cni",
        packages={
            name.rpartition("/")[2]: f"{PLUGINS}/{name}"
            for name in ("ipam/host-local", "main/loopback", "main/ptp", "meta/portmap")
        },
        title="the CNI plug-ins",
        linker_flags="-s -w",
        prefix="cni-",
        environment=STATIC,
    )
    coredns = servers.Recipe(
        module=HERE / "coredns",
        packages={"coredns": "github.com/coredns/coredns"},
        title="the programs of CoreDNS",
        linker_flags="-s -w",
        prefix="coredns-",
        environment=STATIC,
    )
    return Programs(
        plane=plane.build(say=say),
        kubernetes=servers.made(kubernetes, say=say),
        containerd=servers.made(containerd, say=say),
        runc=servers.made(runc, say=say) / "runc",
        cni=servers.made(cni, say=say),
        coredns=servers.made(coredns, say=say) / "coredns",
        registry=registries.program(),
    )


def main() -> int:
    """Build and say so; exit code 1 with one sentence when that is not possible."""
    try:
        build()
    except servers.BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
