"""Makes the images that test nodes run, from programs of this machine, and pushes images to a registry.

Used by `tests.node.cluster`. An image here is one layer: a folder of files as an OCI archive, the format that
`ctr images import` reads. Busybox is Debian's static one (its `wget -T` crashes: use `timeout`); CoreDNS is built by
`tests.node.build`.
"""

import dataclasses
import gzip
import hashlib
import io
import json
import pathlib
import shutil
import subprocess
import tarfile
import urllib.parse
import urllib.request
from typing import Any

from tests.real.build import BuildError

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
ACCOUNTS = "root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\napp:x:1000:1000:app:/:/bin/sh\n"


@dataclasses.dataclass(frozen=True, slots=True)
class Image:
    """One image: its name, the files in it by path, and what it runs."""

    name: str
    files: dict[str, bytes | pathlib.Path]
    links: dict[str, str] = dataclasses.field(default_factory=dict)
    command: tuple[str, ...] = ()
    entrypoint: tuple[str, ...] = ()
    user: str = ""
    architecture: str = "amd64"


def busybox(name: str, *, user: str = "", architecture: str = "amd64", command: tuple[str, ...] = ("sh",)) -> Image:
    """Return an image with busybox and all its applets."""
    program = _busybox()
    applets = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout.split()
    files: dict[str, bytes | pathlib.Path] = {"bin/busybox": program, "etc/passwd": ACCOUNTS.encode()}
    links = {f"bin/{applet}": "busybox" for applet in applets if applet != "busybox"}
    return Image(name, files, links, command, user=user, architecture=architecture)


def write(image: Image, archive: pathlib.Path) -> pathlib.Path:
    """Write an image as an OCI archive and return its path."""
    blobs: dict[str, bytes] = {}
    plain = _layer(image)
    layer = _keep(blobs, gzip.compress(plain, mtime=0), LAYER)
    config = {
        "architecture": image.architecture,
        "os": "linux",
        "config": {
            "Entrypoint": list(image.entrypoint),
            "Cmd": list(image.command),
            "User": image.user,
            "Env": ["PATH=/bin"],
        },
        "rootfs": {"type": "layers", "diff_ids": [_digest(plain)]},
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": _keep(blobs, json.dumps(config).encode(), CONFIG),
        "layers": [layer],
    }
    entry = _keep(blobs, json.dumps(manifest).encode(), MANIFEST)
    entry["annotations"] = {"io.containerd.image.name": image.name}
    entry["platform"] = {"os": "linux", "architecture": image.architecture}
    index = {"schemaVersion": 2, "manifests": [entry]}
    with tarfile.open(archive, "w") as tar:
        _add(tar, "oci-layout", b'{"imageLayoutVersion":"1.0.0"}')
        _add(tar, "index.json", json.dumps(index).encode())
        for digest, content in blobs.items():
            _add(tar, f"blobs/{digest.replace(':', '/')}", content)
    return archive


def push(
    archive: pathlib.Path, registry: str, repository: str, tag: str, headers: dict[str, str] | None = None
) -> None:
    """Push the first image of an archive to a registry that speaks plain HTTP, as REGISTRY/REPOSITORY:TAG."""
    with tarfile.open(archive) as tar:
        contents = {member.name: _read(tar, member) for member in tar.getmembers() if member.isfile()}
    entry = json.loads(contents["index.json"])["manifests"][0]

    def blob(digest: str) -> bytes:
        return contents[f"blobs/{digest.replace(':', '/')}"]

    manifest = json.loads(blob(entry["digest"]))
    base = f"http://{registry}/v2/{repository}"
    for part in (manifest["config"], *manifest["layers"]):
        with _send("POST", f"{base}/blobs/uploads/", b"", headers) as answer:
            place = urllib.parse.urljoin(base, answer.headers["Location"])
        separator = "&" if "?" in place else "?"
        _send("PUT", f"{place}{separator}digest={part['digest']}", blob(part["digest"]), headers).close()
    kind = {"Content-Type": manifest["mediaType"], **(headers or {})}
    _send("PUT", f"{base}/manifests/{tag}", blob(entry["digest"]), kind).close()


def _send(method: str, url: str, body: bytes, headers: dict[str, str] | None) -> Any:
    request = urllib.request.Request(url, data=body, method=method, headers=headers or {})
    if "Content-Type" not in (headers or {}):
        request.add_header("Content-Type", "application/octet-stream")
    return urllib.request.urlopen(request, timeout=120)


def _busybox() -> pathlib.Path:
    program = shutil.which("busybox")
    if program is None:
        raise BuildError("busybox is missing: install a static one (on Debian the package busybox-static).")
    return pathlib.Path(program)


def _layer(image: Image) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        folders = {parent for name in (*image.files, *image.links) for parent in pathlib.PurePosixPath(name).parents}
        for folder in sorted((*folders, pathlib.PurePosixPath("tmp")), key=str):
            if str(folder) != ".":
                info = tarfile.TarInfo(str(folder))
                info.type, info.mode = tarfile.DIRTYPE, 0o1777 if str(folder) == "tmp" else 0o755
                tar.addfile(info)
        for name, content in image.files.items():
            _add(tar, name, content if isinstance(content, bytes) else content.read_bytes(), 0o755)
        for name, target in image.links.items():
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, target
            tar.addfile(link)
    return buffer.getvalue()


def _add(tar: tarfile.TarFile, name: str, content: bytes, mode: int = 0o644) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(content), mode
    tar.addfile(info, io.BytesIO(content))


def _read(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(member)
    assert file is not None
    return file.read()


def _keep(blobs: dict[str, bytes], content: bytes, media_type: str) -> dict[str, Any]:
    digest = _digest(content)
    blobs[digest] = content
    return {"mediaType": media_type, "digest": digest, "size": len(content)}


def _digest(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()
