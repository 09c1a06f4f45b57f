"""What `kubectl describe pod` says of a container besides a real kubelet's words: that it is simulated, and by what.

Asked by `syncline.sandbox.controllers.kubelet.containers` when one starts, for the Event about that.
"""

from __future__ import annotations

from syncline.apimachinery.keys import Object
from syncline.sandbox.cluster import commands
from syncline.sandbox.cluster.settings import Container, SandboxSettings


def simulated(settings: SandboxSettings, container: Object, script: Container | None) -> str:
    """Return what is simulated of a container that does what `script` says."""
    known = commands.script_of(settings, container)
    if known is not None and any(known is rule for rule in settings.containers):
        return "simulated, as containers in the cluster file says"
    if known is not None and script is not None:
        return f"simulated, its command ends with {_ending(script)}"
    if commands.words_of(container):
        return f"simulated, its command is not run: {_course(script)}"
    return f"simulated, {_course(script)}"


def _course(script: Container | None) -> str:
    return "it runs until it is stopped" if script is None else f"it ends with {_ending(script)}"


def _ending(script: Container) -> str:
    return f"exit code {script.exit_code} after {script.run_seconds:g} s"
