"""The program that starts other programs where there is no network and no file but those they are given.

Started once by `syncline.enclosure`, which hands it one socket per program. It makes a user namespace with an empty
network for itself; each program then gets its own tree of files and its own processes. A fresh Python per program
would cost a fifth of what helm takes, so this one stays and forks. Imports nothing of Syncline: it starts quickly.
A program that has used a lot of processor goes on behind the others, so that one that loops delays nobody.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import resource
import select
import signal
import socket
import sys
from typing import Any, NoReturn

_NEWNS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
_RDONLY, _NOSUID, _NODEV, _REMOUNT, _BIND, _REC, _PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
_DETACH = 2
_SET_DEATH_SIGNAL, _NO_NEW_PRIVILEGES = 1, 38
_CALLS = {"x86_64": (56, 155), "aarch64": (220, 41)}
"""The numbers of clone and pivot_root, which the C library does not offer."""
_MACHINE = os.uname().machine
_KEPT_FLAGS = 0b1111 | 1024 | 2048
"""What a file system was mounted with (no programs, no devices, times of access) and may not be taken off."""
_NEW_ROOT = "/proc"
"""Covered by the new tree of files before that becomes the root: a folder that is always there and not needed."""
_NOBODY = 65534
"""Who programs are inside: nobody has no capabilities left after exec."""
LOOK_EVERY = 0.5
"""Seconds between two looks at how much processor the running programs have used."""
_LONG = 2.0
"""Processor seconds after which a program goes on behind the others."""
_BEHIND = 10
"""The priority of such a program: a tenth of what others get. At the lowest a busy machine would not let it end."""
_TICKS = os.sysconf("SC_CLK_TCK")
_libc = ctypes.PyDLL(None, use_errno=True)
_FUNCTIONS = (_libc.syscall, _libc.prctl, _libc.mount, _libc.umount2, _libc.unshare)
"""Looked up here once: a child that looks them up does so for itself alone."""


class Warden:
    """The programs that run, and who waits for each."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._poll = select.epoll()
        self._running: dict[int, tuple[int, socket.socket]] = {}
        """A child and its channel, by the handle of the child."""
        self._waited: dict[int, int] = {}
        """The handle of a child by the descriptor of its channel."""
        self._ahead: set[int] = set()
        """Children that have not used much processor yet."""

    def serve(self) -> None:
        """Start a program for each socket that comes, until whoever started us is gone; children die with us."""
        self._poll.register(self._control, select.EPOLLIN)
        while True:
            for descriptor, _events in self._poll.poll(LOOK_EVERY if self._ahead else None):
                if descriptor == self._control.fileno():
                    _, found, _, _ = socket.recv_fds(self._control, 1, 4, socket.MSG_CMSG_CLOEXEC)
                    if len(found) != 4:
                        return
                    self._start(*found)
                elif descriptor in self._running:
                    self._report(descriptor)
                elif descriptor in self._waited:
                    # Nobody waits for it any more.
                    signal.pidfd_send_signal(self._waited.pop(descriptor), signal.SIGKILL)
                    self._poll.unregister(descriptor)
            self._ahead -= {child for child in self._ahead if put_behind(child)}

    def _start(self, descriptor: int, output: int, errors: int, paper: int) -> None:
        channel = socket.socket(fileno=descriptor)
        try:
            # Read before the fork: whatever the child does costs it a copy of the memory it does it in.
            order = json.loads(os.pread(paper, os.fstat(paper).st_size, 0))
            child = _clone()
            if child == 0:
                _become(channel, output, errors, order)
        except OSError as error:
            _tell(channel, {"failed": str(error)})
            channel.close()
            return
        finally:
            for one in (output, errors, paper):
                os.close(one)
        handle = os.pidfd_open(child)
        self._running[handle] = child, channel
        self._ahead.add(child)
        self._waited[descriptor] = handle
        self._poll.register(handle, select.EPOLLIN)
        self._poll.register(descriptor, select.EPOLLRDHUP)

    def _report(self, handle: int) -> None:
        """Say how a program ended."""
        child, channel = self._running.pop(handle)
        _, status, used = os.wait4(child, 0)
        self._ahead.discard(child)
        self._poll.unregister(handle)
        if self._waited.pop(channel.fileno(), None) is not None:
            self._poll.unregister(channel)
        _tell(channel, {"code": os.waitstatus_to_exitcode(status), "processor": used.ru_utime + used.ru_stime})
        channel.close()
        os.close(handle)


def processor_seconds(process: int) -> float | None:
    """Return what a process and its ended children have used; None where that cannot be read."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return sum(map(int, fields[11:15])) / _TICKS
    except (OSError, ValueError):
        return None


def put_behind(leader: int) -> bool:
    """Put the group of a process behind the others if it has used much; whether it is there, or gone."""
    used = processor_seconds(leader)
    if used is not None and used < _LONG:
        return False
    with contextlib.suppress(OSError):
        # The whole group: of a single process only the first thread would go behind.
        os.setpriority(os.PRIO_PGRP, leader, _BEHIND)
    with contextlib.suppress(OSError), open(f"/proc/{leader}/autogroup", "w") as file:
        # Where sessions share the processor, a priority counts inside its session alone.
        file.write(str(_BEHIND))
    return True


def _tell(channel: socket.socket, answer: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        channel.sendall(json.dumps(answer).encode() + b"\n")


def _become(channel: socket.socket, output: int, errors: int, order: dict[str, Any]) -> NoReturn:
    """Shut ourselves in, and become the program."""
    try:
        _libc.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        _libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        os.setsid()
        silence = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((silence, 0), (output, 1), (errors, 2)):
            os.dup2(source, target)
        if order["writable"] or order["readable"]:
            _new_root(order["writable"], order["readable"])
        os.chdir(order["folder"])
        for kind, limit in ((resource.RLIMIT_AS, order["memory"]), (resource.RLIMIT_FSIZE, order["file_size"])):
            if limit:
                resource.setrlimit(kind, (limit, limit))
        os.execve(order["argv"][0], order["argv"], order["environment"])
    except BaseException as error:  # noqa: BLE001 - it must not go on as if it were us
        _tell(channel, {"failed": str(error)})
    os._exit(127)


def _new_root(writable: list[str], readable: list[str]) -> None:
    """Make a root that holds these files and folders at their own places, and nothing else."""
    _mount("tmpfs", _NEW_ROOT, "tmpfs", _NOSUID | _NODEV)
    for path in (*readable, *writable, os.devnull):
        _bind(path, read_only=path in readable)
    _mount("", _NEW_ROOT, "", _REMOUNT | _RDONLY | _NOSUID | _NODEV)
    os.chdir(_NEW_ROOT)
    _checked(_libc.syscall(_CALLS[_MACHINE][1], b".", b"."), "pivot_root")
    _checked(_libc.umount2(b".", _DETACH), "umount")
    os.chdir("/")


def _bind(path: str, *, read_only: bool) -> None:
    place = _NEW_ROOT + path
    if os.path.isdir(path):
        os.makedirs(place, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.close(os.open(place, os.O_CREAT | os.O_WRONLY, 0o600))
    _mount(path, place, "", _BIND | _REC)
    if read_only:
        _mount("", place, "", _BIND | _REMOUNT | _RDONLY | (os.statvfs(place).f_flag & _KEPT_FLAGS))


def _mount(source: str, target: str, kind: str, flags: int) -> None:
    ended = _libc.mount(os.fsencode(source), os.fsencode(target), os.fsencode(kind), ctypes.c_ulong(flags), None)
    _checked(ended, f"mount {target}")


def _checked(ended: int, what: str) -> None:
    if ended != 0:
        raise OSError(f"{what}: {os.strerror(ctypes.get_errno())}")


def _shut_in() -> None:
    """Leave the network, and become somebody who may arrange files for the programs to come."""
    user, group = os.getuid(), os.getgid()
    if _MACHINE not in _CALLS:
        raise OSError(f"not known how on {_MACHINE}")
    _checked(_libc.unshare(_NEWUSER | _NEWNET | _NEWIPC | _NEWNS), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{_NOBODY} {user} 1"), ("gid_map", f"{_NOBODY} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    _mount("none", "/", "", _REC | _PRIVATE)


def _try_out() -> None:
    """Give one child a tree of files of its own, as every program will get one."""
    child = _clone()
    if child == 0:
        try:
            _new_root([], [])
        except BaseException:  # noqa: BLE001 - it must not go on as if it were us
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise OSError("file systems may not be mounted")


def _clone() -> int:
    """Fork into new namespaces of files and processes; 0 in the child."""
    number, _ = _CALLS[_MACHINE]
    child: int = _libc.syscall(number, _NEWNS | _NEWPID | signal.SIGCHLD, 0, 0, 0, 0)
    if child < 0:
        raise OSError(f"clone: {os.strerror(ctypes.get_errno())}")
    return child


def main(descriptor: int) -> None:
    """Say whether programs can be shut in here, and serve."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with socket.socket(fileno=descriptor) as control:
        try:
            _shut_in()
            _try_out()
        except OSError as error:
            control.sendall(str(error).encode() + b"\n")
            return
        control.sendall(b"\n")
        gc.disable()
        gc.freeze()
        Warden(control).serve()


if __name__ == "__main__":
    main(int(sys.argv[1]))
