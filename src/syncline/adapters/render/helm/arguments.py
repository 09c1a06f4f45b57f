"""The argument list of `helm template` for a source.

Called by `syncline.adapters.render.helm.chart` with files already on disk. Every text of an Application stands
behind an `=` or after `--`, so none can become an option. Precedence is Helm's own: parameters over value files, later
files over earlier.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from syncline.adapters.render.build_environment import substitute
from syncline.adapters.render.kube_versions import as_semver
from syncline.model.errors import RenderError
from syncline.model.sources.source import HelmParameter, HelmSource
from syncline.ports.render import RenderRequest

_RELEASE = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_MAX_RELEASE = 53
_COMMA = re.compile(r"(?<!\\),")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class FileOnDisk:
    """A file handed to helm under a name of ours, and the parameter it sets."""

    path: str
    parameter: str = ""


def template(
    request: RenderRequest,
    helm: HelmSource,
    variables: Mapping[str, str],
    values: Sequence[FileOnDisk],
    files: Sequence[FileOnDisk],
) -> list[str]:
    """Return the arguments of helm."""
    arguments = ["template", f"--namespace={helm.namespace or request.namespace}"]
    if kube_version := helm.kube_version or request.kube_version:
        arguments.append(f"--kube-version={as_semver(_plain(kube_version, 'kubeVersion'))}")
    if api_versions := helm.api_versions or request.api_versions:
        arguments.append(f"--api-versions={_plain(','.join(api_versions), 'apiVersions')}")
    arguments += [f"--values={file.path}" for file in values]
    arguments += [_parameter(parameter, variables) for parameter in helm.parameters]
    arguments += [f"--set-file={file.parameter}={file.path}" for file in files]
    if not helm.skip_crds:
        arguments.append("--include-crds")
    if helm.skip_schema_validation:
        arguments.append("--skip-schema-validation")
    if helm.skip_tests:
        arguments.append("--skip-tests")
    return [*arguments, "--", release_name(request, helm), "."]


def release_name(request: RenderRequest, helm: HelmSource) -> str:
    """Return the release name; refuse what Helm would, and what could be taken for something else."""
    name = helm.release_name or request.app_name
    if not _RELEASE.fullmatch(name) or len(name) > _MAX_RELEASE:
        hint = f"lower-case letters, digits, dots and dashes, at most {_MAX_RELEASE}: set helm.releaseName"
        raise RenderError(f"invalid release name {name[:80]!r}", hint=hint)
    return name


def _parameter(parameter: HelmParameter, variables: Mapping[str, str]) -> str:
    value = substitute(parameter.value, variables)
    if not (value.startswith("{") and value.endswith("}")):
        value = _COMMA.sub(r"\\,", value)
    if "\0" in value or "\0" in parameter.name or not parameter.name:
        raise RenderError(f"invalid Helm parameter {parameter.name!r}", hint="a parameter needs a name and a value")
    return f"--set{'-string' if parameter.force_string else ''}={parameter.name}={value}"


def _plain(text: str, field: str) -> str:
    if _CONTROL.search(text):
        raise RenderError(f"invalid {field} {text[:80]!r}")
    return text
