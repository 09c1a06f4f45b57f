"""Says which operator the sandbox could play where an Application needs its kinds and has none.

`syncline.cli.run.session` shows it every object that changes; `up` and `demo` make one for a sandbox. Each operator is
named once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, gvk_of
from syncline.cli.run.sandbox_options import SandboxOptions
from syncline.cli.show import terminal
from syncline.controller.app_key import APPLICATION

_MISSING: Final = re.compile(
    r"could not find (?P<group>[\w.-]+)/(?P<kind>\w+)"
    r'|no matches for kind "(?P<other>\w+)" in version "(?P<home>[\w.-]+)/'
)


class OperatorHints:
    """Reads the complaints of Applications."""

    def __init__(self, known: Mapping[str, Sequence[str]], say: Callable[[str], None]) -> None:
        self._known = known
        self._say = say
        self._said: set[str] = set()

    def __call__(self, obj: Object) -> None:
        """Look at an object that changed."""
        if gvk_of(obj).group_kind != APPLICATION:
            return
        for text in _complaints(obj.get("status") or {}):
            for found in _MISSING.finditer(text):
                group, kind = found["group"] or found["home"], found["kind"] or found["other"]
                for name in self._playing(group, kind):
                    self._offer(name, f"{kind} of {group}", meta.name(obj))

    def _playing(self, group: str, kind: str) -> Iterator[str]:
        for name, groups in self._known.items():
            if group in groups or f"{group}/{kind}" in groups:
                yield name

    def _offer(self, name: str, what: str, app: str) -> None:
        if name not in self._said:
            self._said.add(name)
            self._say(f"{app} needs {what}: the sandbox can play it, start again with --operators {name}")


def operator_hints(options: SandboxOptions) -> OperatorHints:
    """Return what offers the operators that a sandbox was not started with."""
    from syncline import wiring

    known = wiring.operator_groups(without=options.names())
    return OperatorHints({} if options.names() == ["all"] else known, lambda text: terminal.echo(text, err=True))


def _complaints(status: Object) -> Iterator[str]:
    state = status.get("operationState") or {}
    yield str(state.get("message") or "")
    for one in (state.get("syncResult") or {}).get("resources") or ():
        yield str(one.get("message") or "")
    for one in status.get("conditions") or ():
        yield str(one.get("message") or "")
