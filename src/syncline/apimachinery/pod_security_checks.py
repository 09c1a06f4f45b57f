"""The single checks of the pod security standards; each returns what is wrong, in short and in full, or None.

Listed by level in `syncline.apimachinery.pod_security`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from syncline.apimachinery.keys import Object

Found = tuple[str, str] | None
Check = Callable[[Object], Found]
_DEFAULT_CAPABILITIES: Final = frozenset(
    {
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    }
)
_SAFE_SYSCTLS: Final = frozenset(
    {
        "kernel.shm_rmid_forced",
        "net.ipv4.ip_local_port_range",
        "net.ipv4.ip_unprivileged_port_start",
        "net.ipv4.tcp_syncookies",
        "net.ipv4.ping_group_range",
        "net.ipv4.ip_local_reserved_ports",
        "net.ipv4.tcp_keepalive_time",
        "net.ipv4.tcp_fin_timeout",
        "net.ipv4.tcp_keepalive_intvl",
        "net.ipv4.tcp_keepalive_probes",
        "net.ipv4.tcp_rmem",
        "net.ipv4.tcp_wmem",
        "net.ipv4.tcp_slow_start_after_idle",
        "net.ipv4.tcp_notsent_lowat",
    }
)
_VOLUMES: Final = frozenset(
    {
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "image",
        "persistentVolumeClaim",
        "projected",
        "secret",
    }
)
_SELINUX_TYPES: Final = ("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t")
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_PARTS: Final = ("initContainers", "containers", "ephemeralContainers")


def _containers(spec: Object) -> list[Object]:
    return [container for part in _PARTS for container in spec.get(part) or ()]


def _context(holder: Object) -> Object:
    found: Object = holder.get("securityContext") or {}
    return found


def _bad(spec: Object, wrong: Callable[[Object], Any]) -> list[str]:
    return [str(one.get("name", "")) for one in _containers(spec) if wrong(one)]


def _names(word: str, names: Iterable[str]) -> str:
    listed = [f'"{name}"' for name in names]
    return f"{word}{'s' if len(listed) > 1 else ''} {', '.join(listed)}"


def _quoted(values: Iterable[str]) -> str:
    return ", ".join(f'"{value}"' for value in values)


def app_armor(spec: Object) -> Found:
    """No container runs without AppArmor."""

    def loose(holder: Object) -> bool:
        return (_context(holder).get("appArmorProfile") or {}).get("type") == "Unconfined"

    told = ["pod"] if loose(spec) else []
    bad = _bad(spec, loose)
    told += [_names("container", bad)] if bad else []
    if not told:
        return None
    return "forbidden AppArmor profile", f'{" and ".join(told)} must not set AppArmor profile type to "Unconfined"'


def capabilities(spec: Object) -> Found:
    """Nobody adds capabilities that containers do not have anyway."""

    def extra(container: Object) -> list[str]:
        added = (_context(container).get("capabilities") or {}).get("add") or ()
        return [name for name in added if name not in _DEFAULT_CAPABILITIES]

    bad = _bad(spec, extra)
    if not bad:
        return None
    named = sorted({name for container in _containers(spec) for name in extra(container)})
    return (
        "non-default capabilities",
        f"{_names('container', bad)} must not include {_quoted(named)} in securityContext.capabilities.add",
    )


def host_namespaces(spec: Object) -> Found:
    """No namespace of the node."""
    used = [f"{field}=true" for field in ("hostNetwork", "hostPID", "hostIPC") if spec.get(field)]
    return ("host namespaces", ", ".join(used)) if used else None


def host_paths(spec: Object) -> Found:
    """No folder of the node."""
    bad = [str(volume.get("name", "")) for volume in spec.get("volumes") or () if volume.get("hostPath") is not None]
    return ("hostPath volumes", _names("volume", bad)) if bad else None


def host_ports(spec: Object) -> Found:
    """No port of the node."""

    def ports(container: Object) -> list[int]:
        return [port["hostPort"] for port in container.get("ports") or () if port.get("hostPort")]

    bad = _bad(spec, ports)
    if not bad:
        return None
    numbers = sorted({number for container in _containers(spec) for number in ports(container)})
    word = "hostPorts" if len(numbers) > 1 else "hostPort"
    uses = "use" if len(bad) > 1 else "uses"
    return "hostPort", f"{_names('container', bad)} {uses} {word} {', '.join(str(number) for number in numbers)}"


def probe_hosts(spec: Object) -> Found:
    """No probe or hook asks another host."""

    def hosts(container: Object) -> list[str]:
        cycle = container.get("lifecycle") or {}
        asked = [*(container.get(name) for name in _PROBES), *(cycle.get(name) for name in ("postStart", "preStop"))]
        ways = [(one or {}).get(way) or {} for one in asked for way in ("httpGet", "tcpSocket")]
        return [str(way["host"]) for way in ways if way.get("host")]

    bad = sorted(set(_bad(spec, hosts)))
    if not bad:
        return None
    named = sorted({host for container in _containers(spec) for host in hosts(container)})
    uses = "use" if len(bad) > 1 else "uses"
    word = f"probe or lifecycle host{'s' if len(named) > 1 else ''}"
    return "probe or lifecycle host", f"{_names('container', bad)} {uses} {word} {_quoted(named)}"


def privileged(spec: Object) -> Found:
    """No privileged container."""
    bad = _bad(spec, lambda one: _context(one).get("privileged"))
    text = f"{_names('container', bad)} must not set securityContext.privileged=true"
    return ("privileged", text) if bad else None


def _own_users(spec: Object) -> bool:
    """Whether a pod has a user namespace of its own: root in it is nobody outside."""
    return spec.get("hostUsers") is False


def proc_mount(spec: Object) -> Found:
    """/proc is masked, unless the pod has users of its own."""
    if _own_users(spec):
        return None
    return proc_mount_strict(spec)


def proc_mount_strict(spec: Object) -> Found:
    """/proc is masked."""
    bad = _bad(spec, lambda one: _context(one).get("procMount") not in (None, "", "Default"))
    text = f'{_names("container", bad)} must not set securityContext.procMount to "Unmasked"'
    return ("procMount", text) if bad else None


def _seccomp_loose(holder: Object) -> bool:
    return (_context(holder).get("seccompProfile") or {}).get("type") == "Unconfined"


def seccomp(spec: Object) -> Found:
    """Nobody turns seccomp off."""
    told = ["pod"] if _seccomp_loose(spec) else []
    bad = _bad(spec, _seccomp_loose)
    told += [_names("container", bad)] if bad else []
    text = f'{" and ".join(told)} must not set securityContext.seccompProfile.type to "Unconfined"'
    return ("seccompProfile", text) if told else None


def seccomp_strict(spec: Object) -> Found:
    """Everybody has a seccomp profile."""
    loose = seccomp(spec)
    if loose is not None:
        return loose
    if _on_windows(spec) or (_context(spec).get("seccompProfile") or {}).get("type"):
        return None
    bad = _bad(spec, lambda one: not (_context(one).get("seccompProfile") or {}).get("type"))
    text = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
    return ("seccompProfile", f"pod or {_names('container', bad)} {text}") if bad else None


def selinux(spec: Object) -> Found:
    """No label of SELinux but those of containers."""

    def options(holder: Object) -> Object:
        return _context(holder).get("seLinuxOptions") or {}

    def bad_type(holder: Object) -> str:
        given = str(options(holder).get("type") or "")
        return given if given not in _SELINUX_TYPES else ""

    def wrong(holder: Object) -> bool:
        return bool(bad_type(holder) or options(holder).get("user") or options(holder).get("role"))

    bad = _bad(spec, wrong)
    setters = [*(["pod"] if wrong(spec) else []), *([_names("container", bad)] if bad else [])]
    if not setters:
        return None
    holders = [spec, *_containers(spec)]
    types = sorted({kind for kind in map(bad_type, holders) if kind})
    told = [_names("type", types)] if types else []
    told += [f"{name} may not be set" for name in ("user", "role") if any(options(one).get(name) for one in holders)]
    return "seLinuxOptions", f"{' and '.join(setters)} set forbidden securityContext.seLinuxOptions: {'; '.join(told)}"


def sysctls(spec: Object) -> Found:
    """Only sysctls that concern the pod alone."""
    given = [str(one.get("name", "")) for one in _context(spec).get("sysctls") or ()]
    bad = [name for name in given if name not in _SAFE_SYSCTLS]
    return ("forbidden sysctls", ", ".join(bad)) if bad else None


def _on_windows(spec: Object) -> bool:
    return bool((spec.get("os") or {}).get("name") == "windows")


def escalation(spec: Object) -> Found:
    """No container may gain privileges."""
    if _on_windows(spec):
        return None
    bad = _bad(spec, lambda one: _context(one).get("allowPrivilegeEscalation") is not False)
    text = f"{_names('container', bad)} must set securityContext.allowPrivilegeEscalation=false"
    return ("allowPrivilegeEscalation != false", text) if bad else None


def dropped(spec: Object) -> Found:
    """Every container drops all capabilities."""
    if _on_windows(spec):
        return None

    def kept(container: Object) -> bool:
        return "ALL" not in ((_context(container).get("capabilities") or {}).get("drop") or ())

    def added(container: Object) -> list[str]:
        given = (_context(container).get("capabilities") or {}).get("add") or ()
        return [name for name in given if name != "NET_BIND_SERVICE"]

    missing, extra = _bad(spec, kept), _bad(spec, added)
    told = [f'{_names("container", missing)} must set securityContext.capabilities.drop=["ALL"]'] if missing else []
    if extra:
        named = sorted({name for container in _containers(spec) for name in added(container)})
        told.append(
            f"{_names('container', extra)} must not include {_quoted(named)} in securityContext.capabilities.add"
        )
    return ("unrestricted capabilities", "; ".join(told)) if told else None


def volume_types(spec: Object) -> Found:
    """Only volumes that are safe to mount."""
    bad = [
        (str(volume.get("name", "")), kind)
        for volume in spec.get("volumes") or ()
        for kind in volume
        if kind != "name" and kind not in _VOLUMES
    ]
    if not bad:
        return None
    kinds = list(dict.fromkeys(kind for _, kind in bad))
    use = "use restricted volume type" if len(bad) > 1 else "uses restricted volume type"
    text = f"{_names('volume', [name for name, _ in bad])} {use}{'s' if len(kinds) > 1 else ''} {_quoted(kinds)}"
    return "restricted volume types", text


def root_user(spec: Object) -> Found:
    """Nobody may run as root."""
    if _own_users(spec):
        return None
    whole = _context(spec).get("runAsNonRoot")
    if whole is False:
        return "runAsNonRoot != true", "pod must not set securityContext.runAsNonRoot=false"
    bad = _bad(spec, lambda one: _context(one).get("runAsNonRoot") is False)
    if bad:
        return "runAsNonRoot != true", f"{_names('container', bad)} must not set securityContext.runAsNonRoot=false"
    if whole:
        return None
    bad = _bad(spec, lambda one: not _context(one).get("runAsNonRoot"))
    text = f"pod or {_names('container', bad)} must set securityContext.runAsNonRoot=true"
    return ("runAsNonRoot != true", text) if bad else None


def user_zero(spec: Object) -> Found:
    """Nobody says to run as root."""
    if _own_users(spec):
        return None
    told = ["pod"] if _context(spec).get("runAsUser") == 0 else []
    bad = _bad(spec, lambda one: _context(one).get("runAsUser") == 0)
    told += [_names("container", bad)] if bad else []
    return ("runAsUser=0", f"{' and '.join(told)} must not set runAsUser=0") if told else None
