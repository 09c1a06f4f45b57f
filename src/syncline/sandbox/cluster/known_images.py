"""What everybody knows of public images: which just open a shell, which run as root, which programs they lack.

Asked by `syncline.sandbox.cluster.commands` for what a container does and by
`syncline.sandbox.controllers.kubelet.guarding` for who it runs as. Nothing is known of any other image.
"""

from __future__ import annotations

import re
from typing import Final

_OPEN: Final = frozenset(
    {
        *("almalinux", "alpine", "amazonlinux", "bash", "busybox", "buildpack-deps", "centos", "debian", "fedora"),
        *("eclipse-temurin", "golang", "node", "openjdk", "perl", "python", "rockylinux", "ruby", "ubuntu"),
        *("ubi8", "ubi8/ubi", "ubi8/ubi-minimal", "ubi9", "ubi9/ubi", "ubi9/ubi-minimal"),
    }
)
"""Images whose own program is a shell or an interpreter that reads from a terminal; arguments take its place."""
_ROOT: Final = frozenset(
    {
        *("almalinux", "alpine", "amazonlinux", "bash", "busybox", "buildpack-deps", "centos", "debian", "fedora"),
        *("golang", "node", "openjdk", "perl", "python", "rockylinux", "ruby", "ubuntu", "caddy", "httpd", "mariadb"),
        *(
            "mongo",
            "mysql",
            "nginx",
            "php",
            "postgres",
            "rabbitmq",
            "redis",
            "registry",
            "tomcat",
            "traefik",
            "wordpress",
        ),
    }
)
"""Images that run as root unless they are told otherwise."""
_MIRRORS: Final = re.compile(
    r"^(?:(?:docker\.io|index\.docker\.io|mirror\.gcr\.io|public\.ecr\.aws/docker)/(?:library/)?|library/|registry\.k8s\.io/"
    r"|k8s\.gcr\.io/|gcr\.io/google[-_]containers/|registry\.access\.redhat\.com/|registry\.redhat\.io/)?"
)
_LACKING: Final = {"alpine": frozenset({"bash", "zsh"}), "busybox": frozenset({"bash", "zsh", "curl", "python"})}
_DISTROLESS: Final = re.compile(r"^gcr\.io/distroless/[^:@]+(?::(?!.*debug)[^@]*)?(?:@.*)?$")
_SHELLS: Final = frozenset({"sh", "bash", "ash", "dash", "zsh"})
_NAME: Final = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_REFERENCE: Final = re.compile(
    r"(?:(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?::[0-9]+)?/)?"
    rf"{_NAME}(?:/{_NAME})*(?::\w[\w.-]{{0,127}})?(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{{32,}})?",
    re.ASCII,
)


def _short(image: str) -> str:
    """Return the name of a public image without its registry and tag."""
    name = _MIRRORS.sub("", image.partition("@")[0], count=1)
    return name if ":" not in name.rpartition("/")[2] else name.rpartition(":")[0]


def is_open(image: str) -> bool:
    """Tell whether an image just opens a shell, so that arguments are the command."""
    return _short(image) in _OPEN


def runs_as_root(image: str) -> bool:
    """Tell whether an image is known to run as root."""
    return _short(image) in _ROOT


def start_error(image: str, program: str) -> str:
    """Return why a program cannot be started in an image, in the runtime's words; nothing when it can, or who knows."""
    name = program.rpartition("/")[2]
    lacking = _SHELLS if _DISTROLESS.match(image) else _LACKING.get(_short(image), frozenset())
    if name not in lacking:
        return ""
    what = f"stat {program}: no such file or directory" if "/" in program else "executable file not found in $PATH"
    return (
        "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: "
        f'unable to start container process: error during container init: exec: "{program}": {what}'
    )


def misnamed(image: str) -> str:
    """Return what is wrong with the name of an image, in the kubelet's words; nothing when it can be read."""
    if _REFERENCE.fullmatch(image):
        return ""
    lower = _REFERENCE.fullmatch(image.lower())
    path = image.partition("@")[0].partition("/")[2] or image
    path = path.partition(":")[0]
    why = (
        f"invalid reference format: repository name ({path}) must be lowercase" if lower else "invalid reference format"
    )
    return f'Failed to apply default image tag "{image}": couldn\'t parse image name "{image}": {why}'
