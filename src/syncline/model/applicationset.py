"""The ApplicationSet: Applications made by generators from one template. Argo CD's object, field by field.

Read from the API server by `parse`, and entry by entry by `parse_generator`, which is for entries that outer
parameters were filled into. Provider blocks (`github`, `gitlab` and so on) are free-form: they gain fields with
every release of Argo CD, and a typed block would lose the new ones.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.model import misread
from syncline.model.application import ApplicationSpec, HealthStatus, Metadata, ResourceStatus
from syncline.model.errors import InvalidSpec
from syncline.model.operation import Time
from syncline.model.sources.source import Value

Provider = dict[str, Any]
"""How to reach one code hosting service, in the words of that service."""


class LabelRequirement(Value, frozen=True):
    """One `matchExpressions` entry of a label selector."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


class LabelSelector(Value, frozen=True):
    """Labels to match; all of it must hold."""

    match_labels: dict[str, str] = {}
    match_expressions: tuple[LabelRequirement, ...] = ()


class TemplateMetadata(Value, frozen=True):
    """Metadata of a generated Application."""

    name: str = ""
    namespace: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    finalizers: tuple[str, ...] = ()


class Template(Value, frozen=True):
    """What generated Applications look like; any text in it may hold placeholders."""

    metadata: TemplateMetadata
    spec: ApplicationSpec


class ListGenerator(Value, frozen=True):
    """Parameters written out: any JSON, or a text that becomes YAML once its placeholders are filled."""

    elements: tuple[Any, ...] = ()
    elements_yaml: str = ""
    template: Template | None = None


class ClusterGenerator(Value, frozen=True):
    """One set of parameters for each known cluster."""

    selector: LabelSelector | None = None
    template: Template | None = None
    values: dict[str, str] = {}
    flat_list: bool = False


class GitItem(Value, frozen=True):
    """A path pattern to take or to leave out."""

    path: str
    exclude: bool = False


class GitGenerator(Value, frozen=True):
    """One set of parameters for each directory or file of a repository."""

    repo_url: str = msgspec.field(name="repoURL")
    revision: str
    directories: tuple[GitItem, ...] = ()
    files: tuple[GitItem, ...] = ()
    requeue_after_seconds: int | None = None
    template: Template | None = None
    path_param_prefix: str = ""
    values: dict[str, str] = {}


class RepositoryFilter(Value, frozen=True):
    """Which repositories (and branches) count; all that is given must hold."""

    repository_match: str | None = None
    paths_exist: tuple[str, ...] = ()
    paths_do_not_exist: tuple[str, ...] = ()
    label_match: str | None = None
    branch_match: str | None = None


class SCMProviderGenerator(Value, frozen=True):
    """One set of parameters for each repository of an organization."""

    github: Provider | None = None
    gitlab: Provider | None = None
    bitbucket: Provider | None = None
    bitbucket_server: Provider | None = None
    gitea: Provider | None = None
    azure_dev_ops: Provider | None = None
    aws_code_commit: Provider | None = None
    filters: tuple[RepositoryFilter, ...] = ()
    clone_protocol: str = ""
    requeue_after_seconds: int | None = None
    template: Template | None = None
    values: dict[str, str] = {}


class ClusterDecisionGenerator(Value, frozen=True):
    """One set of parameters for each cluster that another object's status lists."""

    config_map_ref: str
    name: str = ""
    requeue_after_seconds: int | None = None
    label_selector: LabelSelector | None = None
    template: Template | None = None
    values: dict[str, str] = {}


class PullRequestFilter(Value, frozen=True):
    """Which pull requests count; all that is given must hold."""

    branch_match: str | None = None
    target_branch_match: str | None = None
    title_match: str | None = None


class PullRequestGenerator(Value, frozen=True):
    """One set of parameters for each open pull request."""

    github: Provider | None = None
    gitlab: Provider | None = None
    gitea: Provider | None = None
    bitbucket_server: Provider | None = None
    bitbucket: Provider | None = None
    azuredevops: Provider | None = None
    filters: tuple[PullRequestFilter, ...] = ()
    requeue_after_seconds: int | None = None
    template: Template | None = None
    values: dict[str, str] = {}
    continue_on_repo_not_found_error: bool = False


class PluginConfigMap(Value, frozen=True):
    """The ConfigMap that says where a generator plugin listens."""

    name: str


class PluginInput(Value, frozen=True):
    """What a generator plugin is sent."""

    parameters: dict[str, Any] = {}


class PluginGenerator(Value, frozen=True):
    """One set of parameters for each answer of a plugin."""

    config_map_ref: PluginConfigMap
    input: PluginInput | None = None
    requeue_after_seconds: int | None = None
    template: Template | None = None
    values: dict[str, str] = {}


class MatrixGenerator(Value, frozen=True):
    """Every pairing of what two generators give."""

    generators: tuple[Generator, ...]
    template: Template | None = None


class MergeGenerator(Value, frozen=True):
    """The first generator's parameters, overridden by later ones with equal merge keys."""

    generators: tuple[Generator, ...]
    merge_keys: tuple[str, ...]
    template: Template | None = None


class Generator(Value, frozen=True):
    """One generator (exactly one block besides the selector is given), and a filter on what it gives."""

    list: ListGenerator | None = None
    clusters: ClusterGenerator | None = None
    git: GitGenerator | None = None
    scm_provider: SCMProviderGenerator | None = None
    cluster_decision_resource: ClusterDecisionGenerator | None = None
    pull_request: PullRequestGenerator | None = None
    matrix: MatrixGenerator | None = None
    merge: MergeGenerator | None = None
    plugin: PluginGenerator | None = None
    selector: LabelSelector | None = None


class SetSyncPolicy(Value, frozen=True):
    """What may be done to generated Applications."""

    preserve_resources_on_deletion: bool = False
    applications_sync: Literal["create-only", "create-update", "create-delete", "sync"] | None = None


class MatchExpression(Value, frozen=True):
    """One label condition of a rolling sync step."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class RollingStep(Value, frozen=True):
    """The Applications of one step, and how many of them at a time (a number or a percentage)."""

    match_expressions: tuple[MatchExpression, ...] = ()
    max_update: int | str | None = None


class RollingSync(Value, frozen=True):
    """Steps, one after the other."""

    steps: tuple[RollingStep, ...] = ()


class RolloutStrategy(Value, frozen=True):
    """All at once or step by step; in which order generated Applications are deleted."""

    type: str = ""
    rolling_sync: RollingSync | None = None
    deletion_order: str = ""


class PreservedFields(Value, frozen=True):
    """Annotations and labels of generated Applications that others may set."""

    annotations: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


class IgnoreApplicationDifference(Value, frozen=True):
    """Fields of generated Applications that others may set."""

    name: str = ""
    json_pointers: tuple[str, ...] = ()
    jq_path_expressions: tuple[str, ...] = ()


class ApplicationSetSpec(Value, frozen=True):
    """Generators and the template they fill."""

    generators: tuple[Generator, ...]
    template: Template
    go_template: bool = False
    go_template_options: tuple[str, ...] = ()
    template_patch: str | None = None
    sync_policy: SetSyncPolicy | None = None
    strategy: RolloutStrategy | None = None
    preserved_fields: PreservedFields | None = None
    ignore_application_differences: tuple[IgnoreApplicationDifference, ...] = ()
    apply_nested_selectors: bool = False


class SetCondition(Value, frozen=True):
    """Something people should know about an ApplicationSet."""

    type: str
    status: str
    reason: str
    message: str
    last_transition_time: Time | None = None


class SetApplicationStatus(Value, frozen=True):
    """How far one Application is in a rolling sync."""

    application: str
    step: str
    status: str
    message: str
    target_revisions: tuple[str, ...]
    last_transition_time: Time | None = None


class ApplicationSetStatus(Value, frozen=True):
    """How it is going."""

    conditions: tuple[SetCondition, ...] = ()
    application_status: tuple[SetApplicationStatus, ...] = ()
    resources: tuple[ResourceStatus, ...] = ()
    resources_count: int = 0
    health: HealthStatus | None = None


class ApplicationSet(Value, frozen=True):
    """An ApplicationSet as a typed value."""

    metadata: Metadata
    spec: ApplicationSetSpec
    status: ApplicationSetStatus = ApplicationSetStatus()


_FREE_FORM = frozenset({"elements", "input", "valuesObject"})
"""Blocks in which null is a value and not the absence of one."""


_HOLDERS = (dict, list)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: _without_nulls(member) if isinstance(member, _HOLDERS) and name not in _FREE_FORM else member
            for name, member in value.items()
            if member is not None
        }
    if isinstance(value, list):
        return [_without_nulls(member) if isinstance(member, _HOLDERS) else member for member in value]
    return value


def parse(obj: Object) -> ApplicationSet:
    """Return the typed ApplicationSet; raises `InvalidSpec` naming the field that cannot be read."""
    wanted = {name: obj[name] for name in ("metadata", "spec", "status") if name in obj}
    try:
        return msgspec.convert(_without_nulls(wanted), ApplicationSet)
    except msgspec.ValidationError as error:
        name = meta.name(obj) or "?"
        raise InvalidSpec(f"ApplicationSet {name} cannot be read: {misread.sentence(error)}") from None


def parse_generator(entry: Object) -> Generator:
    """Return one typed entry of `generators`; raises `InvalidSpec` naming the field that cannot be read."""
    try:
        return msgspec.convert(_without_nulls(entry), Generator)
    except msgspec.ValidationError as error:
        raise InvalidSpec(str(error)) from None
