"""Published advisories against the programs that Syncline runs, and which of them concern a version.

Asked by `syncline.cli.doctor_tools`. A small table, reviewed by hand: `REVIEWED` says when, and doctor says when that
is long ago. Ranges are those of the projects' own advisories; distributions also fix older versions, and keep their
numbers.
"""

from __future__ import annotations

from datetime import date
from typing import Final

import msgspec

REVIEWED: Final = date(2026, 11, 18)
STALE_AFTER_MONTHS: Final = 6


class VersionRange(msgspec.Struct, frozen=True):
    """Versions from one on (empty: from the first) up to the one that has the fix, which is not part of it."""

    first: str
    fixed: str


class Advisory(msgspec.Struct, frozen=True, kw_only=True):
    """One advisory: what it is about, in which versions, and how far it reaches where Syncline runs the program."""

    id: str
    cve: str
    program: str
    affected: tuple[VersionRange, ...]
    about: str
    here: str


ADVISORIES: Final = (
    Advisory(
        id="GHSA-vmx8-mqv2-9gmg",
        cve="CVE-2026-35204",
        program="helm",
        affected=(VersionRange("4.0.0", "4.1.4"),),
        about="a plugin that is installed writes files anywhere",
        here="Syncline installs no plugins",
    ),
    Advisory(
        id="GHSA-q5jf-9vfq-h4h7",
        cve="CVE-2026-35205",
        program="helm",
        affected=(VersionRange("4.0.0", "4.1.4"),),
        about="plugins without a signature are installed although one is required",
        here="Syncline installs no plugins",
    ),
    Advisory(
        id="GHSA-hr2v-4r36-88hr",
        cve="CVE-2026-35206",
        program="helm",
        affected=(VersionRange("", "3.20.2"), VersionRange("4.0.0", "4.1.4")),
        about="`helm pull --untar` of a crafted chart writes beside the folder it should write into",
        here="Syncline never runs `helm pull`: it unpacks charts itself",
    ),
    Advisory(
        id="GHSA-9h84-qmv7-982p",
        cve="CVE-2025-55199",
        program="helm",
        affected=(VersionRange("", "3.18.5"),),
        about="a values.schema.json that refers to a device uses all memory",
        here="schemas that refer to files outside of the chart are refused, and memory is limited",
    ),
    Advisory(
        id="GHSA-f9f8-9pmf-xv68",
        cve="CVE-2025-55198",
        program="helm",
        affected=(VersionRange("", "3.18.5"),),
        about="odd values in Chart.yaml or index.yaml end helm with a panic",
        here="a render that ends so is an error of its app alone; index.yaml is read by Syncline itself",
    ),
    Advisory(
        id="GHSA-557j-xg8c-q2mm",
        cve="CVE-2025-53547",
        program="helm",
        affected=(VersionRange("", "3.17.4"), VersionRange("3.18.0", "3.18.4")),
        about="updating the dependencies of a crafted chart with a linked Chart.lock runs code",
        here="the folder that helm works in holds copies of files and never a link",
    ),
    Advisory(
        id="GHSA-5xqw-8hwv-wg92",
        cve="CVE-2025-32387",
        program="helm",
        affected=(VersionRange("", "3.17.3"),),
        about="a deeply nested values.schema.json overflows the stack",
        here="a render that ends so is an error of its app alone",
    ),
    Advisory(
        id="GHSA-4hfp-h4cw-hj8p",
        cve="CVE-2025-32386",
        program="helm",
        affected=(VersionRange("", "3.17.3"),),
        about="a chart archive that expands to a multiple of its size uses all memory",
        here="archives are unpacked by Syncline, under limits",
    ),
    Advisory(
        id="GHSA-r53h-jv2g-vpx6",
        cve="CVE-2024-26147",
        program="helm",
        affected=(VersionRange("", "3.14.2"),),
        about="an index or plugin file without its fields ends helm with a panic",
        here="Syncline reads index files itself and uses no plugins",
    ),
    Advisory(
        id="GHSA-v53g-5gjp-272r",
        cve="CVE-2024-25620",
        program="helm",
        affected=(VersionRange("", "3.14.1"),),
        about="a chart whose name is a path is written outside of its folder",
        here="Syncline never runs `helm pull`: it unpacks charts itself",
    ),
    Advisory(
        id="GHSA-pwcw-6f5g-gxf8",
        cve="CVE-2023-25165",
        program="helm",
        affected=(VersionRange("", "3.11.1"),),
        about="templates look up names in DNS, which tells values to others",
        here="helm has no network where renders are shut in",
    ),
    Advisory(
        id="CVE-2019-11249",
        cve="CVE-2019-11249",
        program="kubectl",
        affected=(VersionRange("", "1.13.9"), VersionRange("1.14.0", "1.14.5"), VersionRange("1.15.0", "1.15.2")),
        about="`kubectl cp` lets a container write files on this machine",
        here="Syncline runs `kubectl kustomize` alone",
    ),
    Advisory(
        id="GHSA-vwqx-4fm8-6qc9",
        cve="CVE-2025-48384",
        program="git",
        affected=(
            VersionRange("", "2.43.7"),
            VersionRange("2.44.0", "2.44.4"),
            VersionRange("2.45.0", "2.45.4"),
            VersionRange("2.46.0", "2.46.4"),
            VersionRange("2.47.0", "2.47.3"),
            VersionRange("2.48.0", "2.48.2"),
            VersionRange("2.49.0", "2.49.1"),
            VersionRange("2.50.0", "2.50.1"),
        ),
        about="a recursive clone of a repository with a crafted submodule path runs a hook",
        here="Syncline fetches objects and has git check nothing out, submodules neither",
    ),
    Advisory(
        id="GHSA-8h77-4q3w-gfgv",
        cve="CVE-2024-32002",
        program="git",
        affected=(
            VersionRange("", "2.39.4"),
            VersionRange("2.40.0", "2.40.2"),
            VersionRange("2.41.0", "2.41.1"),
            VersionRange("2.42.0", "2.42.2"),
            VersionRange("2.43.0", "2.43.4"),
            VersionRange("2.44.0", "2.44.1"),
            VersionRange("2.45.0", "2.45.1"),
        ),
        about="a recursive clone on a file system that ignores case runs code of the repository",
        here="Syncline fetches objects and has git check nothing out, submodules neither",
    ),
)


def known(program: str, version: str) -> list[Advisory]:
    """Return the advisories that concern a version of a program."""
    found = numbers(version)
    return [one for one in ADVISORIES if one.program == program and any(_in(found, span) for span in one.affected)]


def safe_from(program: str, version: str) -> str:
    """Return the oldest version of the same line, else of any, that no advisory concerns; empty where it is one."""
    if not known(program, version):
        return ""
    fixed = {span.fixed for one in ADVISORIES if one.program == program for span in one.affected}
    good = sorted((text for text in fixed if not known(program, text)), key=numbers)
    newer = [text for text in good if numbers(text) > numbers(version)]
    return (newer or good or [""])[0]


def is_stale(today: date) -> bool:
    """Whether the table was reviewed so long ago that it says little about versions of today."""
    months = (today.year - REVIEWED.year) * 12 + today.month - REVIEWED.month
    return months - (today.day < REVIEWED.day) >= STALE_AFTER_MONTHS


def numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, to compare it; a part that is not said counts as 0."""
    parts = [int(part) for part in version.removeprefix("v").split(".")[:3] if part.isdecimal()]
    return tuple((*parts, 0, 0, 0)[:3])


def _in(version: tuple[int, ...], span: VersionRange) -> bool:
    return numbers(span.first) <= version < numbers(span.fixed)
