"""Parts of the settings that belong together: rendering tools, shards, limits, projects of all, permissions.

Filled by `syncline.core.settings`, carried inside `syncline.model.settings.settings.Settings`. Times are in
seconds, sizes in bytes.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from syncline.apimachinery.selectors import Requirement


class KustomizeVersion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Another Kustomize that an Application may ask for by name, and the flags it gets."""

    name: str
    path: str = ""
    build_options: str = ""


class ToolSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which rendering tools may run, and how."""

    helm: bool = True
    kustomize: bool = True
    jsonnet: bool = True
    values_file_schemes: tuple[str, ...] = ("https", "http")
    kustomize_build_options: str = ""
    kustomize_versions: tuple[KustomizeVersion, ...] = ()


class SourceSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Limits and habits of reading repositories and rendering them; a limit of 0 means none."""

    parallelism: int = 0
    max_directory_bytes: int = 10_000_000
    max_streamed_tar_bytes: int = 100_000_000
    max_streamed_bytes: int = 1_000_000_000
    max_helm_bytes: int = 1_000_000_000
    max_oci_bytes: int = 1_000_000_000
    helm_size_limited: bool = True
    oci_size_limited: bool = True
    oci_media_types: tuple[str, ...] = ()
    git_timeout: float = 15.0
    git_ls_remote_parallelism: int = 0
    git_submodules: bool = True
    git_builtin_config: bool = True
    hidden_directories: bool = False
    outside_symlinks: bool = False
    cache_seconds: float = 86400.0
    exec_timeout: float = 90.0
    project_processor_seconds: float = 60.0
    plugin_tar_exclusions: tuple[str, ...] = ()
    plugin_generate_paths: bool = False
    look_up_images: bool = False


class ShardingAlgorithm(StrEnum):
    """How clusters are dealt out to controllers."""

    LEGACY = "legacy"
    ROUND_ROBIN = "round-robin"
    CONSISTENT_HASHING = "consistent-hashing"


class Sharding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How many controllers share the clusters, and which of them this one is (-1: found out at start)."""

    algorithm: ShardingAlgorithm = ShardingAlgorithm.LEGACY
    replicas: int = 1
    shard: int = -1
    heartbeat: float = 10.0


class ControllerLimits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How much a controller does at a time, and how long it keeps or waits for answers."""

    status_processors: int = 20
    operation_processors: int = 10
    hydration_processors: int = 5
    kubectl_parallelism: int = 20
    client_qps: float = 50.0
    client_burst: int = 100
    client_retries: int = 0
    client_retry_backoff: float = 0.1
    app_cache_seconds: float = 3600.0
    list_page_size: int = 500
    list_parallelism: int = 50
    cluster_resync: float = 43200.0
    watch_resync: float = 600.0
    cluster_retry: float = 10.0
    event_batch: float = 0.1


class Safety(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is asked before much is deleted, and the switch that stops all writes.

    A sync that would delete more than `prune_objects` objects (0: any number), or more than `prune_percent` percent of
    an app's and more than a handful, asks first. While `freeze` says why, no object of any app is written or deleted.
    """

    freeze: str = ""
    prune_objects: int = 0
    prune_percent: int = 50


class GlobalProject(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A project whose rules are added to every project its requirements match; none match all projects."""

    project: str
    requirements: tuple[Requirement, ...] = ()


class MatchMode(StrEnum):
    """How objects are written in permissions."""

    GLOB = "glob"
    REGEX = "regex"


class Permissions(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The texts of argocd-rbac-cm as they stand; whoever decides on requests reads them."""

    policy: str = ""
    default: str = ""
    scopes: tuple[str, ...] = ("groups",)
    match_mode: MatchMode = MatchMode.GLOB


class ApplicationSets(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the operator lets ApplicationSets do. An empty policy lets each ApplicationSet choose."""

    policy: str = ""
    policy_override: bool = False
    namespaces: tuple[str, ...] = ()
    requeue_after: float = 180.0
    reconciliations: int = 10
    progressive_syncs: bool = False
    new_file_globs: bool = False
    scm_providers: bool = True
    allowed_scm_providers: tuple[str, ...] = ()
    preserved_annotations: tuple[str, ...] = ()
    preserved_labels: tuple[str, ...] = ()
    strict_token_refs: bool = False
    project_hosts: tuple[str, ...] = ()
    """More addresses of code hosts that sets of projects may ask, each with `PROJECT=` before it where not for all."""
    project_plugins: tuple[str, ...] = ()
    """ConfigMaps of plugins that sets of projects may ask, written in the same way."""
    max_status_resources: int = 5000
    dry_run: bool = False
