"""Lists what the image contains as a CycloneDX document: Debian packages, wheels, helm, kubectl and their Go modules.

Called by `tools.image.build`, which writes it beside the archive. It has neither a time nor a random number in it, so
the same image has the same document.
"""

from __future__ import annotations

import email
import json
import pathlib
import shutil
import subprocess
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from tools.image import cache
from tools.image.lock import Package
from tools.image.problem import ImageProblem
from tools.image.settings import PYTHON_PACKAGES

_HELM, _KUBECTL = "usr/local/bin/helm", "usr/local/bin/kubectl"


@dataclass(frozen=True, slots=True)
class Contents:
    """What an image was made of: its Debian packages, and the folders of its other layers."""

    debian: Sequence[Package]
    packages: pathlib.Path
    program: pathlib.Path


def sbom(contents: Contents, *, arch: str, version: str, digest: str) -> bytes:
    """Return the document of an image as JSON."""
    image = f"pkg:oci/syncline@{quote(digest, safe='')}?arch={arch}"
    components = {one["bom-ref"]: one for one in _components(contents, arch)}
    depends = {image: [*components]}
    for path in (_HELM, _KUBECTL):
        program, modules = go_modules(contents.packages / path)
        for module in (program, *modules):
            components.setdefault(module["bom-ref"], module)
        depends[program["bom-ref"]] = [module["bom-ref"] for module in modules]
        depends[image].append(program["bom-ref"])
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, image)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "container",
                "bom-ref": image,
                "name": "syncline",
                "version": version,
                "purl": image,
            }
        },
        "components": [components[name] for name in sorted(components)],
        "dependencies": [{"ref": name, "dependsOn": sorted({*depends[name]})} for name in sorted(depends)],
    }
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False).encode() + b"\n"


def _components(contents: Contents, arch: str) -> Iterator[dict[str, Any]]:
    for package in contents.debian:
        purl = f"pkg:deb/debian/{quote(package.name)}@{_version(package.version)}?arch={arch}&distro=debian-12"
        hashes = [{"alg": "SHA-256", "content": package.sha256}]
        yield {**_component(package.name, package.version, purl), "hashes": hashes}
    for root in (contents.packages, contents.program):
        for path in sorted((root / PYTHON_PACKAGES).glob("*.dist-info/METADATA")):
            yield _wheel(email.message_from_bytes(path.read_bytes()))


def _wheel(metadata: Any) -> dict[str, Any]:
    name, version = metadata["Name"], metadata["Version"]
    purl = f"pkg:pypi/{name.lower().replace('_', '-')}@{_version(version)}"
    licence = metadata["License-Expression"]
    licences = {"licenses": [{"expression": licence}]} if licence else {}
    return {**_component(name, version, purl), **licences}


def go_modules(program: pathlib.Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the component of a Go program, and those of the modules that were linked into it."""
    go = shutil.which("go")
    if go is None:
        raise ImageProblem("Go is missing: install it (https://go.dev/dl) to list the modules of helm and kubectl")
    digest = cache.file_digest(program)

    def fill(folder: pathlib.Path) -> None:
        done = subprocess.run([go, "version", "-m", str(program)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise ImageProblem(f"go version -m {program.name} failed: {done.stderr.strip()[-300:]}")
        (folder / "modules").write_text(done.stdout)

    printed = (cache.made_once(f"modules-{digest[:24]}", fill) / "modules").read_text()
    (path, version), *modules = module_versions(printed)
    main = _component(program.name, version, f"pkg:golang/{path.lower()}@{_version(version)}#cmd/{program.name}")
    main["type"] = "application"
    main["hashes"] = [{"alg": "SHA-256", "content": digest}]
    golang = (_component(path, version, f"pkg:golang/{path.lower()}@{_version(version)}") for path, version in modules)
    return main, list(golang)


def module_versions(printed: str) -> list[tuple[str, str]]:
    """Return path and version of what `go version -m` prints: the program's own module first, then Go and the others.

    A module that was replaced by another is listed as that one; a folder in its place has no version of its own.
    """
    lines = [line.strip().split("\t") for line in printed.splitlines()]
    main: list[tuple[str, str]] = []
    modules = [("stdlib", lines[0][0].rpartition(" go")[2])]
    for kind, *fields in lines[1:]:
        if kind == "mod":
            main.append((fields[0], fields[1]))
        elif kind == "dep":
            modules.append((fields[0], fields[1]))
        elif kind == "=>" and not fields[0].startswith("."):
            modules[-1] = (fields[0], fields[1])
    if not main:
        raise ImageProblem(f"{lines[0][0].partition(':')[0]} does not say which Go module it was built from")
    return [*main, *sorted(modules)]


def _component(name: str, version: str, purl: str) -> dict[str, Any]:
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}


def _version(text: str) -> str:
    return quote(text, safe=":~")
