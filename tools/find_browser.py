"""Finds the Chromium that the tests of the web page drive, and installs it where that is possible: `make test-web`.

Called by the Makefile before the tests start. SYNCLINE_CHROMIUM names a browser; without it Chromium or Chrome is
looked for. On Debian and its relatives root gets the package; everybody else a sentence.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_SENTENCE = (
    "The tests of the web page need Chromium, and none is installed: install it (on Debian and Ubuntu the package "
    "chromium), or name one with SYNCLINE_CHROMIUM=/path/to/browser."
)


def found() -> str:
    """Return the path of a browser; empty where there is none."""
    named = os.environ.get("SYNCLINE_CHROMIUM", "")
    return named or next(filter(None, map(shutil.which, _NAMES)), "")


def install() -> None:
    """Install Debian's package, where this machine has such a thing and we are root."""
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        return
    print("installing Chromium for the tests of the web page", file=sys.stderr)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
        subprocess.run([apt, "-qq", *arguments], env=quiet, check=False, stdout=subprocess.DEVNULL)


def main() -> int:
    """Print the path of a browser; leave with 1 and a sentence where there is none."""
    if not found():
        install()
    path = found()
    print(path or _SENTENCE, file=sys.stdout if path else sys.stderr)
    return 0 if path else 1


if __name__ == "__main__":
    sys.exit(main())
