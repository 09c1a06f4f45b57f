"""What argocd-cm says about kinds, in one block and in split keys."""

import pytest

from syncline.core.settings import overrides
from syncline.model.errors import InvalidSpec
from syncline.model.settings.resources import (
    ActionDefinition,
    IgnoredFields,
    KnownTypeField,
    ResourceActions,
    ResourceOverride,
)

BLOCK = """
cert-manager.io/Certificate:
  health.lua: |
    return {}
  health.lua.useOpenLibs: true
"*.example.com/*":
  health.lua: return nil
  actions: |
    discovery.lua: return {a={}}
    definitions:
    - name: a
      action.lua: return obj
    mergeBuiltinActions: true
apps/Deployment:
  ignoreDifferences: |
    jsonPointers: [/spec/replicas]
    jqPathExpressions: ['.spec.template.spec.containers[] | select(.name == "x")']
  knownTypeFields:
  - field: spec.pod
    type: core/v1/PodSpec
"""


def test_the_block_gives_every_part_of_a_kind() -> None:
    actions = ResourceActions(
        discovery_lua="return {a={}}",
        definitions=(ActionDefinition(name="a", action_lua="return obj"),),
        merge_builtin=True,
    )
    ignored = IgnoredFields(
        json_pointers=("/spec/replicas",),
        jq_path_expressions=('.spec.template.spec.containers[] | select(.name == "x")',),
    )
    assert overrides.parse({"resource.customizations": BLOCK}) == (
        ResourceOverride(pattern="*.example.com/*", health_lua="return nil", actions=actions),
        ResourceOverride(
            pattern="apps/Deployment",
            ignore_differences=ignored,
            known_type_fields=(KnownTypeField("spec.pod", "core/v1/PodSpec"),),
        ),
        ResourceOverride(pattern="cert-manager.io/Certificate", health_lua="return {}\n", use_open_libs=True),
    )


@pytest.mark.parametrize(
    ("key", "text", "override"),
    [
        (
            "health.cert-manager.io_Certificate",
            "return {}",
            ResourceOverride(pattern="cert-manager.io/Certificate", health_lua="return {}"),
        ),
        ("health.Pod", "return {}", ResourceOverride(pattern="Pod", health_lua="return {}")),
        ("useOpenLibs.Pod", "true", ResourceOverride(pattern="Pod", use_open_libs=True)),
        (
            "ignoreDifferences.all",
            "managedFieldsManagers: [kube-controller-manager]",
            ResourceOverride(
                pattern="*/*", ignore_differences=IgnoredFields(managed_fields_managers=("kube-controller-manager",))
            ),
        ),
        (
            "ignoreResourceUpdates.Pod",
            "jsonpointers: [/status]",
            ResourceOverride(pattern="Pod", ignore_resource_updates=IgnoredFields(json_pointers=("/status",))),
        ),
        (
            "actions.Pod",
            "discovery.lua: return {}",
            ResourceOverride(pattern="Pod", actions=ResourceActions(discovery_lua="return {}")),
        ),
        (
            "knownTypeFields.a.io_B",
            "- field: spec\n  type: core/v1/PodSpec",
            ResourceOverride(pattern="a.io/B", known_type_fields=(KnownTypeField("spec", "core/v1/PodSpec"),)),
        ),
    ],
)
def test_a_split_key_names_its_part_and_kind(key: str, text: str, override: ResourceOverride) -> None:
    assert overrides.parse({f"resource.customizations.{key}": text}) == (override,)


@pytest.mark.parametrize("name", ["Secret", "_Secret"])
def test_ignored_fields_of_a_core_kind_may_be_written_with_an_underscore(name: str) -> None:
    """Argo CD finds trusted managers of core kinds under this spelling alone."""
    key = f"resource.customizations.ignoreDifferences.{name}"
    assert overrides.parse({key: "managedFieldsManagers: [operator]"}) == (
        ResourceOverride(pattern="Secret", ignore_differences=IgnoredFields(managed_fields_managers=("operator",))),
    )


def test_a_split_key_replaces_its_part_of_the_block_only() -> None:
    settings = {
        "resource.customizations": "Pod: {health.lua: old, health.lua.useOpenLibs: true}",
        "resource.customizations.health.Pod": "new",
    }
    assert overrides.parse(settings) == (ResourceOverride(pattern="Pod", health_lua="new", use_open_libs=True),)


def test_other_settings_are_left_alone() -> None:
    assert overrides.parse({"url": "https://x", "resource.exclusions": "[]", "resource.customizations": ""}) == ()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"resource.customizations": "Pod: ["}, "resource.customizations:"),
        ({"resource.customizations": "- Pod"}, "resource.customizations is not a map"),
        ({"resource.customizations.health.a_b_C": "x"}, "resource.customizations.health.a_b_C does not name a kind"),
        ({"resource.customizations.useOpenLibs.Pod": "maybe"}, "useOpenLibs.Pod is not true or false"),
        (
            {"resource.customizations.ignoreDifferences.Pod": "jsonPointers: /spec"},
            "ignoreDifferences.Pod has a field that is not a list of strings",
        ),
    ],
)
def test_a_setting_that_cannot_be_read_is_named(settings: dict[str, str], words: str) -> None:
    with pytest.raises(InvalidSpec) as caught:
        overrides.parse(settings)
    assert words in str(caught.value)
