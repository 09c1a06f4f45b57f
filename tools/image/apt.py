"""Chooses and fetches Debian packages with apt as this machine has it set up, without root.

apt works in a state folder of the cache: no installed packages, lists of one architecture. Used by `tools.image.base`
and by `--lock`. Debian's mirrors serve only current versions of a package, so a locked version can be gone.
"""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence

from tools.image.cache import cache_folder, file_digest
from tools.image.lock import Package
from tools.image.problem import ImageProblem

INSTALLED = (
    "base-files",  # os-release, by which scanners know the release
    "ca-certificates",
    "dash",  # git starts ssh with a shell
    "git",
    "libpython3.11-stdlib",
    "libstdc++6",  # of gojsonnet
    "media-types",  # content types of the page's files
    "netbase",  # names of services and protocols
    "openssh-client",
    "python3.11-minimal",
    "tzdata",
)
# Packages that the ones above ask for and that nothing in the image runs: their maintainer scripts, git's programs in
# Perl, and modules for logins that need a file of passwords. apt takes them for installed.
LEFT_OUT = (
    *("adduser", "debconf", "debianutils", "dpkg", "liberror-perl", "libsasl2-modules-db"),
    *("libtirpc-common", "mawk", "openssl", "passwd", "perl", "readline-common"),
)
# The same for those that are asked for in an exact version, or by a name that several provide.
DROPPED = ("gcc-12-base", "git-man", "original-awk")


class Apt:
    """apt for one architecture."""

    def __init__(self, arch: str) -> None:
        self._arch = arch
        self._folder = cache_folder() / f"apt-{arch}"
        self._is_current = False

    def choose(self) -> list[Package]:
        """Return today's versions of all packages of the image."""
        self._update()
        printed = self._run(
            *("apt-get", "install", "--simulate", "-qq", "--no-install-recommends", *INSTALLED),
        )
        chosen = [line.split() for line in printed.splitlines() if line.startswith("Inst ")]
        pairs = [(words[1].partition(":")[0], words[2].lstrip("(")) for words in chosen]
        known = self._described([f"{name}={version}" for name, version in pairs if name not in DROPPED])
        return sorted(set(known))

    def missing(self, packages: Sequence[Package]) -> list[Package]:
        """Return those that are neither in the cache nor served any more."""
        absent = [package for package in packages if not self.deb(package).is_file()]
        if not absent:
            return []
        self._update()
        return sorted(set(absent) - set(self._described([package.name for package in absent])))

    def deb(self, package: Package) -> pathlib.Path:
        """Return where the file of a package is once it was fetched."""
        return cache_folder() / "debs" / f"{package.name}-{package.sha256}.deb"

    def fetch(self, packages: Sequence[Package]) -> None:
        """Download the packages that are not in the cache; each is checked against its SHA-256."""
        absent = [package for package in packages if not self.deb(package).is_file()]
        if not absent:
            return
        self._update()
        target = cache_folder() / "debs"
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target) as scratch:
            versions = [f"{package.name}={package.version}" for package in absent]
            self._run("apt-get", "download", "-qq", *versions, folder=pathlib.Path(scratch))
            by_digest = {file_digest(path): path for path in pathlib.Path(scratch).glob("*.deb")}
            for package in absent:
                if package.sha256 not in by_digest:
                    raise ImageProblem(
                        f"apt fetched {package.name} {package.version} with another SHA-256 than the lock has: "
                        "look at the mirror, and run make image-lock if the package is the one you want"
                    )
                by_digest[package.sha256].rename(self.deb(package))

    def _described(self, names: Sequence[str]) -> Iterator[Package]:
        """Yield name, version and SHA-256 of every version of these packages that is served."""
        printed = self._run("apt-cache", "show", *names)
        for stanza in printed.split("\n\n"):
            fields = dict(line.split(": ", 1) for line in stanza.splitlines() if ": " in line and line[0] != " ")
            if "SHA256" in fields:
                yield Package(fields["Package"], fields["Version"], fields["SHA256"])

    def _update(self) -> None:
        if self._is_current:
            return
        for name in ("state/lists/partial", "cache/archives/partial"):
            (self._folder / name).mkdir(parents=True, exist_ok=True)
        stanza = "Package: {}\nStatus: install ok installed\nArchitecture: all\nMulti-Arch: foreign\nVersion: 999\n"
        status = "\n".join(stanza.format(name) for name in LEFT_OUT)
        (self._folder / "status").write_text(status)
        self._run("apt-get", "update", "-qq", "-o", "APT::Update::Error-Mode=any")
        self._is_current = True

    def _run(self, program: str, verb: str, *arguments: str, folder: pathlib.Path | None = None) -> str:
        if shutil.which(program) is None:
            raise ImageProblem(f"{program} is missing: build the image on Debian or Ubuntu")
        options = {
            "Dir::State": self._folder / "state",
            "Dir::State::status": self._folder / "status",
            "Dir::Cache": self._folder / "cache",
            "APT::Architecture": self._arch,
            "APT::Architectures": self._arch,
            "APT::Sandbox::User": "",
            "Acquire::Languages": "none",
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
        }
        command = [program, *(word for pair in options.items() for word in ("-o", f"{pair[0]}={pair[1]}")), verb]
        done = subprocess.run([*command, *arguments], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
            raise ImageProblem(f"{program} {verb} failed: {lines[0] if lines else f'exit code {done.returncode}'}")
        return done.stdout
