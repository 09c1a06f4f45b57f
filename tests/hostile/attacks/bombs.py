"""M1 to M3: archives, remote bodies and manifests that are larger, slower or deeper than they say.

Charts come from the chart server and artifacts from the registry of the installation, both of which a repository Secret
of the operator permits.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import tarfile
import time
from collections.abc import Callable, Iterable

from tests.hostile.attack import Attack
from tests.hostile.installation import Installation, config
from tests.support import chart_server
from tests.support.chart_server import Handler

INDEX = "apiVersion: v1\nentries:\n  {name}:\n  - version: 1.0.0\n    urls:\n    - {url}\n"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
Member = tuple[tarfile.TarInfo, bytes]


def member(
    name: str, content: bytes = b"x", kind: bytes = tarfile.REGTYPE, link: str = "", mode: int = 0o644
) -> Member:
    """Return one entry of an archive."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname, entry.mode = kind, link, mode
    entry.size = len(content) if kind == tarfile.REGTYPE else 0
    return entry, content


def pack(members: Iterable[Member]) -> bytes:
    """Return an archive of entries."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as packed:
        for entry, content in members:
            packed.addfile(entry, io.BytesIO(content))
    return gzip.compress(out.getvalue(), mtime=0)


def zeros(size: int) -> bytes:
    """Return an archive of a few megabytes that unpacks to this many bytes, without making them."""
    entry = tarfile.TarInfo("web/zeros")
    entry.size = size
    # Members of gzip may follow one another, and all but the first are the same.
    return gzip.compress(entry.tobuf(), mtime=0) + gzip.compress(bytes(1 << 20), mtime=0) * (size >> 20)


CHART = member("web/Chart.yaml", b"apiVersion: v2\nname: web\nversion: 1.0.0\n")
PLAIN = member("web/templates/a.yaml", config("good").encode())


def _chart(name: str, content: Callable[[], bytes], reason: str) -> Attack:
    """Return a chart with this archive, from a Helm repository of its own folder."""

    def prepare(installation: Installation) -> None:
        folder = installation.folder / "charts" / name
        folder.mkdir()
        archive = content()
        (folder / "index.yaml").write_text(INDEX.format(name="web", url="web-1.0.0.tgz"))
        (folder / "web-1.0.0.tgz").write_bytes(archive)
        _permit(installation, name)

    return _chart_attack(name, reason, prepare)


def _answer(
    name: str, answer: Callable[[Handler], None], reason: str, file: str = "web-1.0.0.tgz", *, slow: bool = False
) -> Attack:
    """Return a chart whose server misbehaves for one file."""

    def prepare(installation: Installation) -> None:
        folder = installation.folder / "charts" / name
        folder.mkdir()
        (folder / "index.yaml").write_text(INDEX.format(name="web", url="web-1.0.0.tgz"))
        installation.charts.answers[f"/{name}/{file}"] = answer
        _permit(installation, name)

    return _chart_attack(name, reason, prepare, slow=slow)


def _permit(installation: Installation, name: str) -> None:
    from tests.hostile.installation import repository_secret

    installation.apply(repository_secret(name, f"{installation.charts.url}/{name}", type="helm", project="open-a"))


def _chart_attack(name: str, reason: str, prepare: Callable[[Installation], None], *, slow: bool = False) -> Attack:
    source = {"repoURL": f"@CHARTS@/{name}", "path": None, "chart": "web", "targetRevision": "1.0.0"}
    return Attack(name, reason, {}, source, prepare=prepare, project="open-a", endless=True, slow=slow)


def _artifact(name: str, layers: Callable[[Installation], list[tuple[str, bytes]]], reason: str) -> Attack:
    """Return an artifact of the registry with these layers."""

    def prepare(installation: Installation) -> None:
        installation.registry.put(name, "v1", layers(installation))
        _permit_artifact(installation, name)

    return _artifact_attack(name, reason, prepare)


def _permit_artifact(installation: Installation, name: str) -> None:
    from tests.hostile.installation import repository_secret

    url = f"oci://{installation.registry.place}/{name}"
    installation.apply(repository_secret(name, url, type="oci", insecureOCIForceHttp="true", project="open-a"))


def _artifact_attack(name: str, reason: str, prepare: Callable[[Installation], None]) -> Attack:
    source = {"repoURL": f"oci://@REGISTRY@/{name}", "path": ".", "targetRevision": "v1"}
    return Attack(name, reason, {}, source, prepare=prepare, project="open-a", endless=True)


def _lying_manifest(name: str, change: Callable[[dict[str, object]], None], reason: str) -> Attack:
    """Return an artifact whose manifest lies about its layer."""

    def prepare(installation: Installation) -> None:
        content = pack([member("a.yaml", config("good").encode())])
        digest = "sha256:" + hashlib.sha256(content).hexdigest()
        layer: dict[str, object] = {"mediaType": LAYER, "digest": digest, "size": len(content)}
        installation.registry.blobs[digest] = content
        change(layer)
        if str(layer["digest"]) not in installation.registry.blobs:
            installation.registry.blobs[str(layer["digest"])] = content
        kind = "application/vnd.oci.image.manifest.v1+json"
        body = json.dumps({"schemaVersion": 2, "mediaType": kind, "layers": [layer]}).encode()
        installation.registry.manifests[name, "v1"] = (kind, body)
        digest = "sha256:" + hashlib.sha256(body).hexdigest()
        installation.registry.manifests[name, digest] = (kind, body)
        _permit_artifact(installation, name)

    return _artifact_attack(name, reason, prepare)


def _wrong_digest(layer: dict[str, object]) -> None:
    layer["digest"] = "sha256:" + "0" * 64


def _path_digest(layer: dict[str, object]) -> None:
    layer["digest"] = "sha256:../../../../../canary"


def _foreign_layer(layer: dict[str, object]) -> None:
    layer["urls"] = ["http://169.254.169.254/layer"]
    layer["mediaType"] = "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip"


def endless(handler: Handler) -> None:
    handler.send_response(200)
    handler.end_headers()
    with contextlib.suppress(OSError):
        while True:
            handler.wfile.write(b"x" * 100_000)


def slow(handler: Handler) -> None:
    handler.send_response(200)
    handler.end_headers()
    with contextlib.suppress(OSError):
        for _ in range(600):
            handler.wfile.write(b"x")
            handler.wfile.flush()
            time.sleep(0.5)


def short(handler: Handler) -> None:
    chart_server.send(handler, 200, b"x", Content_Length="5000")


def redirected(place: str) -> Callable[[Handler], None]:
    return lambda handler: chart_server.send(handler, 302, Location=place)


def _many_files() -> bytes:
    return pack([CHART, *(member(f"web/files/{number}", b"") for number in range(12_000))])


ATTACKS = (
    _chart("m1-zeros", lambda: zeros(2 << 30), "unpacks to more than"),
    _chart("m1-many", _many_files, "more than 10000 files"),
    _chart("m1-deep", lambda: pack([CHART, member("web/" + "d/" * 600 + "x")]), "valid file path|archive"),
    _chart("m1-parent", lambda: pack([CHART, member("web/../../m1-parent-made")]), "outside the archive"),
    _chart("m1-absolute", lambda: pack([CHART, member("/tmp/m1-absolute-made")]), "outside the archive"),
    _chart(
        "m1-link", lambda: pack([CHART, member("web/values.yaml", kind=tarfile.SYMTYPE, link="/etc/passwd")]), "symlink"
    ),
    _chart("m1-hard-link", lambda: pack([CHART, member("web/v", kind=tarfile.LNKTYPE, link="/etc/passwd")]), "symlink"),
    _chart("m1-device", lambda: pack([CHART, member("web/null", kind=tarfile.CHRTYPE)]), "not a regular file"),
    _chart("m1-truncated", lambda: pack([CHART, PLAIN])[:-30], "cannot be read"),
    _answer("m2-index-endless", endless, "larger than", "index.yaml"),
    _answer("m2-endless", endless, "larger than"),
    _answer("m2-slow", slow, "sent no complete response within", "index.yaml", slow=True),
    _answer("m2-short", short, "ended early"),
    _answer("m2-loop", redirected("/m2-loop/web-1.0.0.tgz"), "redirects more than"),
    _answer("m2-redirect-metadata", redirected("http://169.254.169.254/canary"), "which is not a repository address"),
    _answer("m2-redirect-file", redirected("file:///etc/passwd"), "refused"),
    _artifact(
        "m2-oci-link",
        lambda _: [(LAYER, pack([member("a.yaml", kind=tarfile.SYMTYPE, link="/etc/passwd")]))],
        "symlink",
    ),
    _artifact(
        "m2-oci-parent",
        lambda _: [(LAYER, pack([member("../../a.yaml", config("x").encode())]))],
        "outside the archive",
    ),
    _artifact(
        "m2-oci-device", lambda _: [(LAYER, pack([member("a.yaml", kind=tarfile.CHRTYPE)]))], "not a regular file"
    ),
    _artifact("m2-oci-bomb", lambda _: [(LAYER, zeros(2 << 30))], "unpacks to more than"),
    _artifact("m2-oci-foreign", lambda _: [("application/x-executable", b"\x7fELF")], "media type|layer"),
    _artifact(
        "m2-oci-two-layers", lambda _: [(LAYER, pack([member("a.yaml")])), (LAYER, pack([member("b.yaml")]))], "layer"
    ),
    _artifact("m2-oci-none", lambda _: [], "layer"),
    _artifact("m2-oci-junk", lambda _: [(LAYER, b"\x1f\x8bjunk")], "cannot be read"),
    _lying_manifest("m2-oci-digest", _wrong_digest, "digest"),
    _lying_manifest("m2-oci-digest-path", _path_digest, "digest"),
    _lying_manifest("m2-oci-foreign-layer", _foreign_layer, "media type|layer"),
    Attack(
        "m3-directory",
        "exceeded max combined manifest file size",
        {f"{number}.yaml": config(f"c{number}", text="x" * 1_000_000) for number in range(11)},
    ),
)
