"""The explicit permission to ask servers of this machine, for tests that run a Git server, a registry or a code host.

Programs that are started through the command line get it with `--allow-local`, or by `ALLOWED` in their environment.
"""

from syncline.net import urls

REACH = urls.Reach(loopback=True)
"""Whoever reads with it may ask any port of this machine: tests learn the ports of their servers late."""
VARIABLE = "SYNCLINE_ALLOW_LOCAL"


def allowed(*ports: int) -> str:
    """Return the value of the variable that permits servers on these ports."""
    return ",".join(f"{host}:{port}" for port in ports for host in ("127.0.0.1", "localhost"))
