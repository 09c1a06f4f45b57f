"""Builds Dex and says where it is.

Called by `tests.dex.conftest` and as `python -m tests.dex.build`. The version comes from `tests/dex/binaries/go.mod`,
nowhere else; the folder of the program is shared with the other real programs.
"""

import pathlib
import sys

from tests.real import build as real

MODULE = pathlib.Path(__file__).parent / "binaries"
RECIPE = real.Recipe(MODULE, {"dex": "github.com/dexidp/dex/cmd/dex"}, "Dex", "-s -w", prefix="dex-")


def build(*, say: bool = True) -> pathlib.Path:
    """Return the program, building it first if this version was never built here."""
    return real.made(RECIPE, say=say) / "dex"


def main() -> int:
    """Build and say so; exit code 1 with one sentence when that is not possible."""
    try:
        build()
    except real.BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
