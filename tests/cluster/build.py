"""Builds what `tests/cluster` needs beyond kube-apiserver and etcd, and says where it is.

Called by `tests.cluster.conftest` and as `python -m tests.cluster.build`; it hands `Programs` to
`tests.cluster.plane`. The versions are in `tests/cluster/binaries/go.mod` and `tests/cluster/kwok/go.mod`: modules of
their own, so that `make test-real` neither waits for these programs nor builds its own again because of them.
"""

import dataclasses
import pathlib
import sys

from tests.real import build as servers

HERE = pathlib.Path(__file__).parent
MANAGER = "kube-controller-manager"
SCHEDULER = "kube-scheduler"
KWOK = "sigs.k8s.io/kwok"
# What KWOK does with nodes: parts of its module that it does not build into its program.
NODE_STAGES = ("node/fast/node-initialize.yaml", "node/heartbeat-with-lease/node-heartbeat-with-lease.yaml")


@dataclasses.dataclass(frozen=True, slots=True)
class Programs:
    """Where the programs of a control plane are, and what KWOK does with nodes."""

    servers: servers.Binaries
    manager: pathlib.Path
    scheduler: pathlib.Path
    kwok: pathlib.Path
    node_stages: tuple[pathlib.Path, ...]


def build(*, say: bool = True) -> Programs:
    """Return the programs, building first what was never built here in this version."""
    plane = servers.made(
        servers.Recipe(
            module=HERE / "binaries",
            packages={name: f"{servers.KUBERNETES}/cmd/{name}" for name in (MANAGER, SCHEDULER)},
            title=f"{MANAGER} and {SCHEDULER} {servers.kubernetes_version()}",
            linker_flags=servers.linker_flags(),
            prefix="plane-",
        ),
        say=say,
    )
    kwok = servers.made(
        servers.Recipe(
            module=HERE / "kwok",
            packages={"kwok": f"{KWOK}/cmd/kwok"},
            title="KWOK and its parts",
            linker_flags="-s -w",
            prefix="kwok-",
        ),
        say=say,
    )
    sources = pathlib.Path(servers.run(["go", "list", "-m", "-f", "{{.Dir}}", KWOK], HERE / "kwok").strip())
    return Programs(
        servers=servers.build(say=say),
        manager=plane / MANAGER,
        scheduler=plane / SCHEDULER,
        kwok=kwok / "kwok",
        node_stages=tuple(sources / "kustomize" / "stage" / name for name in NODE_STAGES),
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
