"""The first layer: Debian packages, certificates, users and the bytecode of Python's library.

Called by `tools.image.build`. The root is made in the cache, once per list of packages.
"""

from __future__ import annotations

import pathlib
import re
from collections.abc import Sequence
from fnmatch import fnmatch

from tools.image import bytecode, cache, debs
from tools.image.apt import Apt
from tools.image.lock import Package
from tools.image.oci import Owner
from tools.image.settings import HOME, USER

# What nobody reads in a container: documentation, translations, character sets other than UTF-8, and programs of git
# that need Perl, a mail server or a web server.
_NOT_NEEDED = (
    *("usr/share/doc/*", "usr/share/man/*", "usr/share/info/*", "usr/share/locale/*", "usr/share/lintian/*"),
    *("usr/share/bash-completion/*", "usr/share/bug/*", "usr/share/menu/*", "usr/share/binfmts/*"),
    *("usr/share/perl5/*", "usr/share/gitweb/*", "usr/share/git-core/contrib/*", "usr/share/apport/*"),
    *(
        "usr/share/zoneinfo/right/*",
        "usr/share/zoneinfo/posix/*",
        "usr/share/base-files/*",
        "usr/share/common-licenses",
    ),
    *("usr/lib/*-linux-gnu/gconv/*", "usr/lib/*-linux-gnu/engines-3/*", "usr/lib/*-linux-gnu/perl*"),
    *("usr/lib/git-core/git-instaweb", "usr/lib/git-core/git-daemon", "usr/lib/git-core/git-http-backend"),
    *("usr/lib/git-core/git-imap-send", "usr/lib/git-core/git-shell", "usr/bin/git-shell", "usr/bin/scalar"),
    *("usr/lib/git-core/scalar", "usr/lib/git-core/git-http-fetch", "usr/lib/git-core/git-sh-i18n--envsubst"),
    *("usr/lib/git-core/git-credential-cache*", "usr/lib/git-core/git-http-push", "usr/lib/openssh/ssh-keysign"),
    *("usr/lib/python3.11/lib2to3/*", "usr/lib/python3.11/pydoc_data/*", "usr/lib/python3.11/test/*"),
    *("etc/init.d/*", "etc/default/*", "etc/update-motd.d/*", "etc/motd*", "etc/issue*", "var/*", "usr/lib/systemd/*"),
    *("etc/binfmt.d/*", "usr/sbin/update-ca-certificates", "usr/share/polkit-1/*", "usr/share/pam*"),
)
_PERL = re.compile(rb"#! ?/usr/bin/(env )?perl\b")
SPECIAL = {
    "tmp": Owner(mode=0o1777),
    "home/syncline": Owner(USER, USER, 0o700),
    "etc/passwd": Owner(mode=0o644),
}


def keeps(name: str) -> bool:
    """Return whether a file of a package belongs into the image; copyright notices do."""
    if fnmatch(name, "usr/share/doc/*/copyright"):
        return True
    return not any(fnmatch(name, pattern) for pattern in _NOT_NEEDED)


def base_root(arch: str, packages: Sequence[Package]) -> pathlib.Path:
    """Return the root folder of the first layer."""
    code = cache.code_digest("base", "debs", "bytecode", "settings")
    digest = cache.digest_of([arch, code, *(f"{package.name} {package.sha256}" for package in packages)])

    def fill(folder: pathlib.Path) -> None:
        apt = Apt(arch)
        apt.fetch(packages)
        make_root(folder / "root", [apt.deb(package) for package in packages])

    return cache.made_once(f"base-{arch}-{digest}", fill) / "root"


def make_root(root: pathlib.Path, packages: Sequence[pathlib.Path]) -> None:
    """Unpack packages into a new root, and add what their maintainer scripts would."""
    root.mkdir()
    for name in debs.MERGED:
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    status = root / "var/lib/dpkg/status.d"
    status.mkdir(parents=True)
    for path in packages:
        control = debs.control(path)
        debs.unpack(path, root, keeps)
        # Scanners of images read what is installed from here.
        name = next(line for line in control.splitlines() if line.startswith("Package: ")).removeprefix("Package: ")
        (status / name).write_text(control)
    _drop_perl(root)
    _write_certificates(root)
    _write_settings(root)


def _drop_perl(root: pathlib.Path) -> None:
    for path in sorted((root / "usr").rglob("*")):
        if path.is_symlink() or not path.is_file() or not path.stat().st_mode & 0o100:
            continue
        with path.open("rb") as file:
            if _PERL.match(file.read(64)):
                path.unlink()


def _write_certificates(root: pathlib.Path) -> None:
    """Write the bundle of authorities that git, Go and OpenSSL look for."""
    authorities = sorted((root / "usr/share/ca-certificates").rglob("*.crt"))
    folder = root / "etc/ssl/certs"
    folder.mkdir(parents=True, exist_ok=True)
    bundle = b"".join(path.read_bytes().rstrip(b"\n") + b"\n" for path in authorities)
    (folder / "ca-certificates.crt").write_bytes(bundle)
    settings = root / "usr/lib/ssl"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "cert.pem").symlink_to("/etc/ssl/certs/ca-certificates.crt")
    (settings / "certs").symlink_to("/etc/ssl/certs")


def _write_settings(root: pathlib.Path) -> None:
    etc = root / "etc"
    (etc / "passwd").write_text(
        f"root:x:0:0:root:/root:/usr/sbin/nologin\nsyncline:x:{USER}:{USER}:Syncline:{HOME}:/usr/sbin/nologin\n"
    )
    (etc / "group").write_text(f"root:x:0:\nsyncline:x:{USER}:\n")
    (etc / "nsswitch.conf").write_text("passwd: files\ngroup: files\nhosts: files dns\n")
    sh = root / "usr/bin/sh"
    if not sh.is_symlink():
        sh.symlink_to("dash")
    # The package has git twice.
    twin, git = root / "usr/lib/git-core/git", root / "usr/bin/git"
    if twin.is_file() and git.is_file() and twin.read_bytes() == git.read_bytes():
        twin.unlink()
        twin.symlink_to("../../bin/git")
    python = root / "usr/bin/python3"
    if not python.is_symlink():
        python.symlink_to("python3.11")
    for name in ("tmp", HOME.lstrip("/"), "proc", "sys", "dev", "run"):
        (root / name).mkdir(parents=True, exist_ok=True)


def compiled_root(arch: str, packages: Sequence[Package], host: pathlib.Path) -> pathlib.Path:
    """Return the root with the bytecode of Python's library, compiled by the Python of the root at `host`."""
    plain = base_root(arch, packages)
    digest = cache.digest_of([plain.parent.name, host.parent.name])

    def fill(folder: pathlib.Path) -> None:
        bytecode.copy_tree(plain, folder / "root")
        bytecode.compile_tree(host, folder / "root", "usr/lib/python3.11")

    return cache.made_once(f"compiled-{arch}-{digest}", fill) / "root"
