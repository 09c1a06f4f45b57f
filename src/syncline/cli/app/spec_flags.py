"""The flags of `argocd app create|set|add-source`, and what each one writes into an Application.

`spec_flags` adds them to a command, which gets those that were given as `syncline.verbs.settings.SpecSetting`s. One row
of the table is one flag: a new one is a row, not code.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import click
import msgspec

from syncline.model.errors import NeedsUser
from syncline.verbs.settings import Merge, SpecSetting

Kind = Literal["text", "texts", "flag", "number", "file", "pairs", "named", "names"]
"""text, flag and number are one value; texts a list; pairs a map of `key=value`; named a list of name and value."""


class Flag(msgspec.Struct, frozen=True):
    """One flag: where it goes (below the source, or below the Application for paths that start with `spec`)."""

    name: str
    path: str
    help: str
    kind: Kind = "text"
    extra: tuple[tuple[str, Any], ...] = ()
    """What each entry of a `named` list carries besides name and value."""
    value: str = "value"
    """What the value of a `named` entry is called."""

    @property
    def parameter(self) -> str:
        """The name of the command's parameter."""
        return self.name.lstrip("-").replace("-", "_")


_CODE = (("code", True),)
APPLICATION_FLAGS = (
    Flag("--project", "spec.project", "Project of the Application."),
    Flag("--dest-server", "spec.destination.server", "Address of the cluster to deliver to."),
    Flag("--dest-name", "spec.destination.name", "Name of the cluster to deliver to."),
    Flag("--dest-namespace", "spec.destination.namespace", "Namespace for objects that name none."),
    Flag("--revision-history-limit", "spec.revisionHistoryLimit", "How many syncs to remember.", "number"),
    Flag("--sync-retry-limit", "spec.syncPolicy.retry.limit", "How often a failed sync is retried.", "number"),
    Flag("--sync-retry-backoff-duration", "spec.syncPolicy.retry.backoff.duration", "First delay, such as 5s."),
    Flag(
        "--sync-retry-backoff-max-duration", "spec.syncPolicy.retry.backoff.maxDuration", "Maximum delay, such as 3m."
    ),
    Flag(
        "--sync-retry-backoff-factor", "spec.syncPolicy.retry.backoff.factor", "Factor by which delays grow.", "number"
    ),
    Flag("--sync-retry-refresh", "spec.syncPolicy.retry.refresh", "Retry with the newest revision.", "flag"),
    Flag("--dry-source-repo", "spec.sourceHydrator.drySource.repoURL", "Repository that a hydrator renders from."),
    Flag("--dry-source-path", "spec.sourceHydrator.drySource.path", "Folder that a hydrator renders from."),
    Flag("--dry-source-revision", "spec.sourceHydrator.drySource.targetRevision", "Revision a hydrator renders from."),
    Flag("--sync-source-branch", "spec.sourceHydrator.syncSource.targetBranch", "Branch with the hydrated manifests."),
    Flag("--sync-source-path", "spec.sourceHydrator.syncSource.path", "Folder with the hydrated manifests."),
    Flag("--hydrate-to-branch", "spec.sourceHydrator.hydrateTo.targetBranch", "Branch that a hydrator writes to."),
)
SOURCE_FLAGS = (
    Flag("--repo", "repoURL", "Repository URL."),
    Flag("--path", "path", "Folder in the repository."),
    Flag("--revision", "targetRevision", "Branch, tag, commit or chart version."),
    Flag("--helm-chart", "chart", "Chart of a Helm repository."),
    Flag("--ref", "ref", "Name under which other sources use this one's files."),
    Flag("--source-name", "name", "Name of the source."),
    Flag("--values", "helm.valueFiles", "Helm value file (can be repeated; replaces existing ones).", "texts"),
    Flag("--values-literal-file", "helm.values", "File with inline Helm values.", "file"),
    Flag("--ignore-missing-value-files", "helm.ignoreMissingValueFiles", "Leave out missing value files.", "flag"),
    Flag("--release-name", "helm.releaseName", "Helm release name."),
    Flag("--parameter", "helm.parameters", "Helm parameter NAME=VALUE (can be repeated).", "named"),
    Flag("--helm-set", "helm.parameters", "The same as --parameter.", "named"),
    Flag("--helm-set-string", "helm.parameters", "Helm parameter as a string.", "named", (("forceString", True),)),
    Flag("--helm-set-file", "helm.fileParameters", "Helm parameter read from a file.", "named", value="path"),
    Flag("--helm-version", "helm.version", "Helm version."),
    Flag("--helm-pass-credentials", "helm.passCredentials", "Pass credentials to all domains.", "flag"),
    Flag("--helm-skip-crds", "helm.skipCrds", "Leave out the chart's CRDs.", "flag"),
    Flag("--helm-skip-tests", "helm.skipTests", "Leave out the chart's tests.", "flag"),
    Flag("--helm-skip-schema-validation", "helm.skipSchemaValidation", "Do not check values.", "flag"),
    Flag("--helm-namespace", "helm.namespace", "Namespace to render for."),
    Flag("--helm-kube-version", "helm.kubeVersion", "Kubernetes version to render for."),
    Flag("--helm-api-versions", "helm.apiVersions", "API version to render for (can be repeated).", "texts"),
    Flag("--nameprefix", "kustomize.namePrefix", "Kustomize name prefix."),
    Flag("--namesuffix", "kustomize.nameSuffix", "Kustomize name suffix."),
    Flag("--kustomize-image", "kustomize.images", "Kustomize image NAME=NEW:TAG or NAME:TAG.", "names"),
    Flag("--kustomize-replica", "kustomize.replicas", "Replica count NAME=COUNT.", "named", value="count"),
    Flag("--kustomize-common-label", "kustomize.commonLabels", "Label KEY=VALUE for all objects.", "pairs"),
    Flag("--kustomize-common-annotation", "kustomize.commonAnnotations", "Annotation KEY=VALUE for all.", "pairs"),
    Flag("--kustomize-force-common-label", "kustomize.forceCommonLabels", "Overwrite labels.", "flag"),
    Flag("--kustomize-force-common-annotation", "kustomize.forceCommonAnnotations", "Overwrite annotations.", "flag"),
    Flag("--kustomize-label-without-selector", "kustomize.labelWithoutSelector", "Keep selectors.", "flag"),
    Flag("--kustomize-label-include-templates", "kustomize.labelIncludeTemplates", "Label templates too.", "flag"),
    Flag("--ignore-missing-components", "kustomize.ignoreMissingComponents", "Leave out missing components.", "flag"),
    Flag("--kustomize-namespace", "kustomize.namespace", "Kustomize namespace."),
    Flag("--kustomize-version", "kustomize.version", "Kustomize version."),
    Flag("--kustomize-kube-version", "kustomize.kubeVersion", "Kubernetes version to render for."),
    Flag("--kustomize-api-versions", "kustomize.apiVersions", "API version to render for.", "texts"),
    Flag("--directory-recurse", "directory.recurse", "Read subfolders too.", "flag"),
    Flag("--directory-include", "directory.include", "Read only files that match."),
    Flag("--directory-exclude", "directory.exclude", "Leave out files that match."),
    Flag("--jsonnet-tla-str", "directory.jsonnet.tlas", "Jsonnet top-level argument.", "named"),
    Flag("--jsonnet-tla-code", "directory.jsonnet.tlas", "The same, as code.", "named", _CODE),
    Flag("--jsonnet-ext-var-str", "directory.jsonnet.extVars", "Jsonnet external variable.", "named"),
    Flag("--jsonnet-ext-var-code", "directory.jsonnet.extVars", "The same, as code.", "named", _CODE),
    Flag("--jsonnet-libs", "directory.jsonnet.libs", "Jsonnet library folder (can be repeated).", "texts"),
    Flag("--config-management-plugin", "plugin.name", "Name of the plugin."),
    Flag("--plugin-env", "plugin.env", "Environment of the plugin NAME=VALUE.", "named"),
)
_MERGES = {"pairs": Merge.MAP, "named": Merge.NAMED, "names": Merge.IMAGES}
_SHORT = {"--parameter": "-p"}
_ALIASES = {"--helm-kube-version": "--kube-version", "--helm-api-versions": "--api-versions"}


def spec_flags(*, application: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the source flags, and those of the Application where wanted; the command takes them as `settings`."""
    flags = (*(APPLICATION_FLAGS if application else ()), *SOURCE_FLAGS)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def with_flags(*args: Any, **options: Any) -> Any:
            given = {flag: options.pop(flag.parameter) for flag in flags}
            present = {flag: value for flag, value in given.items() if value not in (None, ())}
            return command(*args, settings=_settings(present), **options)

        wrapped: Callable[..., Any] = with_flags
        for flag in reversed(flags):
            wrapped = _option(flag)(wrapped)
        return wrapped

    return decorate


def _option(flag: Flag) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    names = [flag.parameter, *([_SHORT[flag.name]] if flag.name in _SHORT else []), flag.name]
    if flag.name in _ALIASES:
        names.append(_ALIASES[flag.name])
    if flag.kind == "flag":
        names[names.index(flag.name)] = f"{flag.name}/--no-{flag.name.lstrip('-')}"
        return click.option(*names, default=None, help=flag.help)
    types: dict[str, Any] = {
        "number": click.INT,
        "file": click.Path(exists=True, dir_okay=False, path_type=Path),
    }
    several = flag.kind in ("texts", "pairs", "named", "names")
    return click.option(*names, type=types.get(flag.kind), multiple=several, default=None, help=flag.help)


def _settings(given: Mapping[Flag, Any]) -> tuple[SpecSetting, ...]:
    """Return what the flags that were given set."""
    return tuple(
        SpecSetting(flag.path, _value(flag, value), _MERGES.get(flag.kind, Merge.REPLACE))
        for flag, value in given.items()
    )


def _value(flag: Flag, value: Any) -> Any:
    match flag.kind:
        case "texts" | "names":
            return list(value)
        case "file":
            return value.read_text()
        case "pairs":
            return dict(_pair(flag, item) for item in value)
        case "named":
            pairs = [_pair(flag, item) for item in value]
            return [{"name": name, flag.value: _count(flag, text), **dict(flag.extra)} for name, text in pairs]
    return value


def _count(flag: Flag, value: str) -> int | str:
    return int(value) if flag.value == "count" and value.isdigit() else value


def _pair(flag: Flag, item: str) -> tuple[str, str]:
    name, equals, value = item.partition("=")
    if not equals or not name:
        raise NeedsUser(f"{flag.name} {item} is not of the form NAME=VALUE")
    return name, value
