"""Cases about sources: folders, Jsonnet, Helm, Kustomize, and several at once."""

from tests.support.referee.case import Case, Json, config, obj

_CHART: Json = {"apiVersion": "v2", "name": "shop", "version": "1.2.3", "appVersion": "4.5"}
_TEMPLATE = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-settings
  labels: {chart: {{ .Chart.Name }}, release: {{ .Release.Service }}}
data:
  colour: {{ .Values.colour | quote }}
  size: {{ .Values.size | quote }}
  namespace: {{ .Release.Namespace }}
  revision: {{ .Release.Revision | quote }}
  upgrade: {{ .Release.IsUpgrade | quote }}
  note: {{ .Values.note | default "none" | quote }}
"""
_VALUES = "colour: blue\nsize: 1\nnote: null\n"


def _chart(**files: object) -> Json:
    named = {name.replace("__", "/").replace("_yaml", ".yaml"): content for name, content in files.items()}
    return {"Chart.yaml": _CHART, "values.yaml": _VALUES, "templates/settings.yaml": _TEMPLATE, **named}


def _helm(name: str, helm: Json, **files: object) -> Case:
    return Case(f"helm-{name}", _chart(**files), source={"helm": helm})


_DEFINITION = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %s.charts.example.com}
spec:
  group: charts.example.com
  scope: Namespaced
  names: {plural: %s, singular: %s, kind: %s}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""


def _definition(kind: str) -> str:
    low = kind.lower()
    return _DEFINITION % (f"{low}s", f"{low}s", low, kind)


_HELM_HOOK = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: %s
  annotations: {"helm.sh/hook": "%s", "helm.sh/hook-weight": "%s", "helm.sh/hook-delete-policy": %s}
data: {colour: blue}
"""

HELM = (
    _helm("plain", {}),
    _helm("release-name", {"releaseName": "other"}),
    _helm("values", {"values": "colour: red\n"}),
    _helm("values-object", {"valuesObject": {"colour": "red", "size": 7}}),
    _helm("values-and-object", {"values": "colour: red\n", "valuesObject": {"colour": "green"}}),
    _helm("parameters", {"parameters": [{"name": "colour", "value": "red"}, {"name": "size", "value": "5"}]}),
    _helm("parameter-of-text", {"parameters": [{"name": "size", "value": "005", "forceString": True}]}),
    _helm("parameters-over-values", {"values": "colour: red\n", "parameters": [{"name": "colour", "value": "green"}]}),
    _helm("value-files", {"valueFiles": ["prod.yaml"]}, prod_yaml="colour: black\n"),
    _helm("value-files-in-order", {"valueFiles": ["a.yaml", "b.yaml"]}, a_yaml="size: 2\n", b_yaml="size: 3\n"),
    _helm("value-file-missing", {"valueFiles": ["absent.yaml"]}),
    _helm("value-file-missing-ignored", {"valueFiles": ["absent.yaml"], "ignoreMissingValueFiles": True}),
    _helm("file-parameters", {"fileParameters": [{"name": "note", "path": "note.txt"}]}, **{"note.txt": "from a file"}),
    _helm("namespace", {"namespace": "elsewhere"}),
    _helm("kube-version", {"kubeVersion": "1.30.0", "apiVersions": ["example.com/v1/Widget"]}),
    _helm("skip-crds", {"skipCrds": True}, crds__one_yaml=_definition("Skipped")),
    _helm("crds", {}, crds__one_yaml=_definition("Bolt")),
    _helm(
        "skip-tests", {"skipTests": True}, templates__check_yaml=_HELM_HOOK % ("check", "test", "0", "hook-succeeded")
    ),
    _helm("tests", {}, templates__check_yaml=_HELM_HOOK % ("check", "test", "0", "hook-succeeded")),
    _helm("skip-schema", {"skipSchemaValidation": True}, **{"values.schema.json": {"required": ["absent"]}}),
    _helm("schema", {}, **{"values.schema.json": {"required": ["absent"]}}),
    _helm("pass-nothing", {"passCredentials": False, "version": "v3"}),
    _helm("template-error", {}, templates__bad_yaml="{{ .Values.absent.deeper }}\n"),
    _helm("template-required", {}, templates__bad_yaml='{{ required "say which colour" .Values.absent }}\n'),
    _helm("no-yaml", {}, templates__bad_yaml="a: b: c\n"),
    _helm(
        "subchart",
        {},
        **{
            "Chart.yaml": {**_CHART, "dependencies": [{"name": "inner", "version": "0.1.0"}]},
            "charts/inner/Chart.yaml": {"apiVersion": "v2", "name": "inner", "version": "0.1.0"},
            "charts/inner/templates/inner.yaml": _TEMPLATE.replace("-settings", "-inner"),
            "charts/inner/values.yaml": _VALUES,
        },
    ),
    _helm(
        "subchart-off",
        {"parameters": [{"name": "inner.enabled", "value": "false"}]},
        **{
            "Chart.yaml": {
                **_CHART,
                "dependencies": [{"name": "inner", "version": "0.1.0", "condition": "inner.enabled"}],
            },
            "charts/inner/Chart.yaml": {"apiVersion": "v2", "name": "inner", "version": "0.1.0"},
            "charts/inner/templates/inner.yaml": _TEMPLATE.replace("-settings", "-inner"),
            "charts/inner/values.yaml": _VALUES,
        },
    ),
    _helm(
        "hooks",
        {},
        templates__before_yaml=_HELM_HOOK % ("before", "pre-install,pre-upgrade", "-1", "before-hook-creation"),
        templates__after_yaml=_HELM_HOOK % ("after", "post-install", "2", "hook-succeeded"),
        templates__gone_yaml=_HELM_HOOK % ("gone", "pre-delete", "0", "hook-succeeded"),
    ),
    _helm("hook-of-rollback", {}, templates__back_yaml=_HELM_HOOK % ("back", "pre-rollback", "0", "hook-failed")),
    _helm(
        "keep",
        {},
        templates__kept_yaml=(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kept\n  annotations: {helm.sh/resource-policy: keep}\n"
        ),
    ),
    _helm(
        "environment",
        {
            "parameters": [
                {"name": "colour", "value": "$ARGOCD_APP_NAME"},
                {"name": "note", "value": "$ARGOCD_APP_NAMESPACE"},
            ]
        },
    ),
    Case("helm-no-chart", {"values.yaml": _VALUES}, source={"helm": {}}),
)

DIRECTORY = (
    Case("folder-plain", {"one.yaml": config("one"), "two.yaml": config("two", colour="red")}),
    Case("folder-json", {"one.json": config("one")}),
    Case("folder-several-in-one-file", {"all.yaml": [config("one"), config("two"), config("three")]}),
    Case("folder-list", {"list.yaml": {"apiVersion": "v1", "kind": "List", "items": [config("one"), config("two")]}}),
    Case(
        "folder-of-a-kind-of-list",
        {
            "list.yaml": {
                "apiVersion": "v1",
                "kind": "ConfigMapList",
                "items": [config("one"), config("two")],
            }
        },
    ),
    Case("folder-not-recursed", {"one.yaml": config("one"), "deep/two.yaml": config("two")}),
    Case(
        "folder-recursed",
        {"one.yaml": config("one"), "deep/down/two.yaml": config("two")},
        source={"directory": {"recurse": True}},
    ),
    Case(
        "folder-include",
        {"one.yaml": config("one"), "two.yaml": config("two"), "three.json": config("three")},
        source={"directory": {"include": "{one,three}.*"}},
    ),
    Case(
        "folder-exclude",
        {"one.yaml": config("one"), "two.yaml": config("two")},
        source={"directory": {"exclude": "two.*"}},
    ),
    Case(
        "folder-include-and-exclude",
        {"a/one.yaml": config("one"), "a/two.yaml": config("two"), "b/x.yaml": config("x")},
        source={"directory": {"recurse": True, "include": "a/*", "exclude": "*/two.yaml"}},
    ),
    Case("folder-other-files", {"one.yaml": config("one"), "README.md": "# a page\n", "script.sh": "exit 1\n"}),
    Case("folder-empty-documents", {"one.yaml": "---\n---\n# nothing\n", "two.yaml": config("two")}),
    Case("folder-nothing", {"README.md": "# nothing here\n"}),
    Case(
        "folder-jsonnet",
        {
            "one.jsonnet": """\
{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "one"}, data: {sum: std.toString(1 + 2)}}
"""
        },
    ),
    Case(
        "folder-jsonnet-list",
        {
            "all.jsonnet": """\
local made(name) = {apiVersion: "v1", kind: "ConfigMap", metadata: {name: name}, data: {name: name}};
[made("one"), made("two")]
"""
        },
    ),
    Case(
        "folder-jsonnet-variables",
        {
            "one.jsonnet": """\
function(size=1, text="none") {apiVersion: "v1", kind: "ConfigMap", metadata: {name: "one"},
  data: {colour: std.extVar("colour"), size: std.toString(size), text: text, app: std.extVar("app")}}
"""
        },
        source={
            "directory": {
                "jsonnet": {
                    "extVars": [{"name": "colour", "value": "red"}, {"name": "app", "value": "$ARGOCD_APP_NAME"}],
                    "tlas": [{"name": "size", "value": "1 + 4", "code": True}, {"name": "text", "value": "said"}],
                }
            }
        },
    ),
    Case(
        "folder-jsonnet-libraries",
        {
            "main/one.jsonnet": '(import "made.libsonnet")("one")',
            "library/made.libsonnet": 'function(name) {apiVersion: "v1", kind: "ConfigMap", metadata: {name: name}}',
        },
        source={"path": "main", "directory": {"jsonnet": {"libs": ["folder-jsonnet-libraries/library"]}}},
    ),
    Case("folder-jsonnet-error", {"one.jsonnet": '{apiVersion: "v1", kind: error "no kind"}'}),
    Case("folder-namespaces", {"one.yaml": config("one"), "two.yaml": obj("ConfigMap", "far", namespace="default")}),
    Case(
        "folder-cluster-wide",
        {
            "role.yaml": obj(
                "ClusterRole",
                "referee",
                "rbac.authorization.k8s.io/v1",
                rules=[
                    {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]},
                ],
            )
        },
    ),
    Case(
        "folder-same-object-twice", {"one.yaml": config("one", colour="red"), "two.yaml": config("one", colour="green")}
    ),
    Case(
        "folder-generated-name",
        {
            "one.yaml": {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"generateName": "made-"},
                "data": {"a": "1"},
            }
        },
    ),
)


def _kustomize(name: str, kustomize: Json, files: Json | None = None, **kustomization: object) -> Case:
    base = {"kustomization.yaml": {"resources": ["one.yaml"], **kustomization}, "one.yaml": _WEB}
    return Case(f"kustomize-{name}", {**base, **(files or {})}, source={"kustomize": kustomize} if kustomize else {})


_WEB = [
    config("settings"),
    {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "report"},
        "spec": {
            "schedule": "0 0 1 1 *",
            "jobTemplate": {
                "spec": {
                    "template": {
                        "spec": {
                            "restartPolicy": "Never",
                            "containers": [
                                {
                                    "name": "main",
                                    "image": "example/report:1",
                                    "envFrom": [{"configMapRef": {"name": "settings"}}],
                                }
                            ],
                        }
                    }
                }
            },
        },
    },
]

KUSTOMIZE = (
    _kustomize("plain", {}),
    _kustomize("own-fields", {}, namePrefix="a-", nameSuffix="-z", commonAnnotations={"by": "kustomize"}),
    _kustomize(
        "generator", {}, {"colours.txt": "red\n"}, configMapGenerator=[{"name": "made", "files": ["colours.txt"]}]
    ),
    _kustomize("name-prefix", {"namePrefix": "pre-"}),
    _kustomize("name-suffix", {"nameSuffix": "-suf"}),
    _kustomize("images", {"images": ["example/report:2"]}),
    _kustomize("images-renamed", {"images": ["example/report=mirror.example/report:3"]}),
    _kustomize("common-labels", {"commonLabels": {"team": "blue"}}),
    _kustomize("labels-without-selector", {"commonLabels": {"team": "blue"}, "labelWithoutSelector": True}),
    _kustomize(
        "common-annotations", {"commonAnnotations": {"note": "of $ARGOCD_APP_NAME"}, "commonAnnotationsEnvsubst": True}
    ),
    _kustomize("common-annotations-plain", {"commonAnnotations": {"note": "of $ARGOCD_APP_NAME"}}),
    _kustomize(
        "force-common-labels",
        {"commonLabels": {"team": "red"}, "forceCommonLabels": True},
        labels=[{"pairs": {"team": "blue"}}],
    ),
    _kustomize("namespace", {"namespace": "default"}),
    _kustomize(
        "patches",
        {
            "patches": [
                {
                    "target": {"kind": "ConfigMap", "name": "settings"},
                    "patch": '[{"op": "replace", "path": "/data/colour", "value": "patched"}]',
                }
            ]
        },
    ),
    _kustomize(
        "patch-of-fields",
        {
            "patches": [
                {
                    "patch": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {size: '5'}\n",
                }
            ]
        },
    ),
    _kustomize(
        "components",
        {"components": ["extra"]},
        {
            "extra/kustomization.yaml": {
                "apiVersion": "kustomize.config.k8s.io/v1alpha1",
                "kind": "Component",
                "namePrefix": "extra-",
            },
        },
    ),
    _kustomize("component-missing", {"components": ["absent"]}),
    _kustomize("component-missing-ignored", {"components": ["absent"], "ignoreMissingComponents": True}),
    _kustomize("broken", {}, {"kustomization.yaml": {"resources": ["absent.yaml"]}}),
    _kustomize("two-names", {}, {"more.yaml": config("settings")}, resources=["one.yaml", "more.yaml"]),
    Case(
        "kustomize-base-and-overlay",
        {
            "base/kustomization.yaml": {"resources": ["one.yaml"]},
            "base/one.yaml": _WEB,
            "prod/kustomization.yaml": {"resources": ["../base"], "namePrefix": "prod-"},
        },
        source={"path": "prod", "kustomize": {"nameSuffix": "-1"}},
    ),
    Case(
        "kustomize-replicas",
        {
            "kustomization.yaml": {"resources": ["one.yaml"]},
            "one.yaml": obj(
                "ReplicationController",
                "old",
                spec={
                    "replicas": 0,
                    "selector": {"app": "old"},
                    "template": {
                        "metadata": {"labels": {"app": "old"}},
                        "spec": {"containers": [{"name": "main", "image": "example/web:1"}]},
                    },
                },
            ),
        },
        source={"kustomize": {"replicas": [{"name": "old", "count": 0}]}},
    ),
)

SEVERAL = (
    Case(
        "sources-two",
        {"a/one.yaml": config("one"), "b/two.yaml": config("two")},
        sources=({"path": "a"}, {"path": "b"}),
    ),
    Case(
        "sources-of-one-object",
        {"a/one.yaml": config("one", colour="red"), "b/one.yaml": config("one", colour="green")},
        sources=({"path": "a"}, {"path": "b"}),
    ),
    Case(
        "sources-values-by-reference",
        {**{f"chart/{path}": text for path, text in _chart().items()}, "values/prod.yaml": "colour: black\n"},
        sources=(
            {"path": "chart", "helm": {"valueFiles": ["$values/sources-values-by-reference/values/prod.yaml"]}},
            {"ref": "values"},
        ),
    ),
    Case(
        "sources-reference-missing",
        {f"chart/{path}": text for path, text in _chart().items()},
        sources=({"path": "chart", "helm": {"valueFiles": ["$absent/prod.yaml"]}}, {"ref": "values"}),
    ),
    Case(
        "sources-file-by-reference-missing",
        {f"chart/{path}": text for path, text in _chart().items()},
        sources=({"path": "chart", "helm": {"valueFiles": ["$values/absent.yaml"]}}, {"ref": "values"}),
    ),
    Case(
        "sources-reference-with-path",
        {**{f"chart/{path}": text for path, text in _chart().items()}, "plain/one.yaml": config("one")},
        sources=({"path": "chart"}, {"path": "plain", "ref": "values"}),
    ),
    Case("sources-one", {"a/one.yaml": config("one")}, sources=({"path": "a"},)),
    Case(
        "sources-of-three-types",
        {
            **{f"chart/{path}": text for path, text in _chart().items()},
            "plain/one.yaml": config("one"),
            "built/kustomization.yaml": {"resources": ["two.yaml"]},
            "built/two.yaml": config("two"),
        },
        sources=({"path": "chart"}, {"path": "plain"}, {"path": "built"}),
    ),
    Case("sources-one-missing", {"a/one.yaml": config("one")}, sources=({"path": "a"}, {"path": "absent"})),
)

CASES = (*DIRECTORY, *HELM, *KUSTOMIZE, *SEVERAL)
