"""Reads charts and other artifacts of container registries.

Used by `syncline.adapters.charts.source`. A chart's version is its tag, with `_` for the `+` that a tag cannot have. An
artifact has one layer, of a kind that is known to hold files; provenance files beside a chart are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from syncline.adapters.charts import doors
from syncline.model.errors import SourceError
from syncline.model.sources import repository_urls, semver
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Repository
from syncline.net import registries, urls

CHART_LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
LAYERS = (
    CHART_LAYER,
    "application/vnd.oci.image.layer.v1.tar",
    "application/vnd.oci.image.layer.v1.tar+gzip",
)
_PROVENANCE = "application/vnd.cncf.helm.chart.provenance.v1.prov"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Layer:
    """The one layer of an artifact that holds its files."""

    manifest: str
    digest: str
    media_type: str


class Artifacts:
    """One repository of a registry, such as `charts/web` of a registry host."""

    def __init__(
        self,
        repository: Repository,
        access: SourceAccess,
        reach: urls.Reach,
        chart: str,
        media_types: Sequence[str] = LAYERS,
    ) -> None:
        text = repository.url if "://" in repository.url else f"oci://{repository.url}"
        try:
            place = urls.parse(text.rstrip("/"), schemes=("oci",))
        except urls.RefusedAddress as refused:
            raise SourceError(f"invalid repoURL {urls.scrub(repository.url)!r}: {refused}") from None
        self.shown = "/".join(part for part in (f"oci://{place.authority}{place.path}", chart) if part)
        self._media_types = media_types
        self._name = "/".join(part for part in (place.path.strip("/"), chart) if part)
        door = doors.door(repository, access, reach)
        self._registry = registries.RegistryClient(place.authority, door, plain_http=repository.way.plain_http)

    async def check(self) -> None:
        """Raise `SourceError` where the registry does not let us in."""
        try:
            await self._registry.check()
        except registries.RegistryError as error:
            raise self._refused(error) from None

    async def resolve(self, version: str) -> str:
        """Return the newest version that a constraint allows; a version is taken as it is written."""
        if not semver.is_constraint(version):
            return version
        try:
            tags = [tag.replace("_", "+") for tag in await self._registry.tags(self._name)]
        except registries.RegistryError as error:
            raise self._refused(error) from None
        newest = semver.newest(version, tags)
        if newest is None:
            known = sorted((one for tag in tags if (one := semver.parse(tag))), reverse=True)
            hint = f"newest versions: {', '.join(one.text for one in known[:5]) or 'none'}"
            raise SourceError(f"version '{version}' not found in {self.shown}", hint=hint)
        return newest

    async def layer(self, version: str) -> Layer:
        """Return the layer a version (or digest) has its files in."""
        reference = version if _DIGEST.fullmatch(version) else version.replace("+", "_")
        try:
            manifest = await self._registry.manifest(self._name, reference)
        except registries.RegistryError as error:
            raise self._refused(error, version) from None
        layers = [one for one in manifest.content.get("layers") or () if isinstance(one, dict)]
        layers = [one for one in layers if one.get("mediaType") != _PROVENANCE]
        if len(layers) != 1:
            what = f"expected only a single oci layer, got {len(layers)}: {self.shown} {version}"
            raise SourceError(what, hint="an image is not a source: push a chart or an artifact with one layer")
        kind, digest = str(layers[0].get("mediaType")), str(layers[0].get("digest"))
        if kind not in self._media_types:
            raise SourceError(f"oci layer media type {kind} is not in the list of allowed media types: {self.shown}")
        return Layer(manifest.digest, digest, kind)

    async def content(self, layer: Layer, limit: int) -> bytes:
        """Return the bytes of a layer."""
        try:
            return await self._registry.blob(self._name, layer.digest, limit=limit)
        except registries.RegistryError as error:
            raise self._refused(error) from None

    def _refused(self, error: registries.RegistryError, version: str = "") -> SourceError:
        if error.status in (401, 403):
            hint = repository_urls.login_hint(self.shown)
            return SourceError(f"authentication required: {self.shown}", hint=hint)
        if error.status == 404:
            named = f" version '{version}'" if version else ""
            return SourceError(f"not found: {self.shown}{named}", hint="check repoURL, chart and targetRevision")
        return SourceError(str(error))
