"""Sets with list generators, and what may stand in a template."""

from tests.support.judged_sets.case import SERVER, Case, elements, fast, go, template

_WITH_ENV = ({"name": "a", "env": "prod"}, {"name": "b", "env": "stage"}, {"name": "c"})

CASES: tuple[Case, ...] = (
    fast("list-plain", elements("a", "b")),
    fast("list-go", elements("a"), called="CASE-{{ name }}"),
    go("list-go-plain", elements("a", "b")),
    fast("list-two-generators", elements("a"), elements("b")),
    fast(
        "list-one-entry-two-generators", {**elements("a"), "clusters": {"selector": {"matchLabels": {"env": "stage"}}}}
    ),
    fast("list-empty", elements()),
    fast("list-no-generators"),
    fast("list-entry-without-generator", {"selector": {"matchLabels": {"a": "b"}}}),
    fast("list-names-twice", elements({"name": "a", "x": "1"}, {"name": "a", "x": "2"}, "b"), show={"x": "{{x}}"}),
    fast("list-name-that-is-refused", elements("Not_A_Name", "b")),
    fast("list-name-too-long", elements("x" * 300)),
    fast("list-name-empty", elements({"name": "", "x": "1"}), called="{{name}}"),
    fast("list-number-as-text", elements({"name": "a", "port": 80}), show={"port": "{{port}}"}),
    fast("list-bool-as-text", elements({"name": "a", "on": True})),
    fast("list-values", elements({"name": "a", "values": {"env": "prod"}}), show={"env": "{{values.env}}"}),
    fast("list-values-number", elements({"name": "a", "values": {"env": 1}})),
    fast("list-nested", elements({"name": "a", "deep": {"env": "prod"}})),
    fast("list-null", elements({"name": "a", "x": None}), show={"x": "{{x}}"}),
    go("list-go-null", elements({"name": "a", "x": None}), show={"x": "{{.x}}"}),
    go(
        "list-go-any-json",
        elements({"name": "a", "n": 3, "f": 1.5, "big": 12345678, "on": True, "l": [1, "b", None], "m": {"k": "v"}}),
        show={
            "n": "{{.n}}",
            "f": "{{.f}}",
            "big": "{{.big}}",
            "on": "{{.on}}",
            "l": "{{.l}}",
            "m": "{{.m}}",
            "in": "{{index .l 1}}{{.m.k}}",
            "int": '{{int .big}} {{printf "%d" (int64 .big)}} {{printf "%v" .big}}',
        },
    ),
    fast(
        "list-elements-yaml",
        {"list": {"elementsYaml": "- name: a\n  x: '1'\n- name: b\n  x: '2'\n"}},
        show={"x": "{{x}}"},
    ),
    fast("list-elements-yaml-json", {"list": {"elementsYaml": '[{"name": "a"}, {"name": "b"}]'}}),
    fast("list-elements-yaml-after-elements", {"list": {"elements": [{"name": "a"}], "elementsYaml": "- name: b\n"}}),
    fast("list-elements-yaml-broken", {"list": {"elementsYaml": "- name: [a\n"}}),
    fast("list-elements-yaml-a-map", {"list": {"elementsYaml": "name: a\n"}}),
    fast("list-elements-yaml-number", {"list": {"elementsYaml": "- name: a\n  n: 3\n"}}, show={"n": "{{n}}"}),
    go("list-go-elements-yaml-number", {"list": {"elementsYaml": "- name: a\n  n: 3\n"}}, show={"n": "{{.n}}"}),
    fast("list-selector", {**elements(*_WITH_ENV), "selector": {"matchLabels": {"env": "prod"}}}),
    fast(
        "list-selector-in",
        {
            **elements(*_WITH_ENV),
            "selector": {"matchExpressions": [{"key": "env", "operator": "In", "values": ["prod", "stage"]}]},
        },
    ),
    fast(
        "list-selector-not-in",
        {
            **elements(*_WITH_ENV),
            "selector": {"matchExpressions": [{"key": "env", "operator": "NotIn", "values": ["prod"]}]},
        },
    ),
    fast(
        "list-selector-exists",
        {**elements(*_WITH_ENV), "selector": {"matchExpressions": [{"key": "env", "operator": "Exists"}]}},
    ),
    fast(
        "list-selector-does-not-exist",
        {**elements(*_WITH_ENV), "selector": {"matchExpressions": [{"key": "env", "operator": "DoesNotExist"}]}},
    ),
    fast(
        "list-selector-wrong-operator",
        {
            **elements(*_WITH_ENV),
            "selector": {"matchExpressions": [{"key": "env", "operator": "Like", "values": ["p"]}]},
        },
    ),
    fast(
        "list-selector-in-nothing",
        {**elements(*_WITH_ENV), "selector": {"matchExpressions": [{"key": "env", "operator": "In"}]}},
    ),
    fast(
        "list-selector-any-text",
        {**elements({"name": "a", "x": "a/b c, d"}, "b"), "selector": {"matchLabels": {"x": "a/b c, d"}}},
    ),
    go(
        "list-go-selector-nested",
        {
            **elements({"name": "a", "m": {"env": "prod"}}, {"name": "b", "m": {"env": "x"}}),
            "selector": {"matchLabels": {"m.env": "prod"}},
        },
    ),
    go(
        "list-go-selector-number",
        {**elements({"name": "a", "n": 3}, {"name": "b", "n": 4}), "selector": {"matchLabels": {"n": "3"}}},
    ),
    fast("list-selector-empty", {**elements(*_WITH_ENV), "selector": {}}),
    fast(
        "list-own-template",
        elements(
            "a",
            template={
                "metadata": {"name": "", "labels": {"from": "generator"}},
                "spec": {"project": "", "source": {"repoURL": "", "path": "own/{{name}}"}, "destination": {}},
            },
        ),
        elements("b"),
        labels={"from": "set", "more": "{{name}}"},
    ),
    fast(
        "list-own-template-name",
        elements("a", template=template("CASE-own-{{name}}", show={"x": "1"}, app={"project": "default"})),
        show={"y": "2"},
    ),
    fast("text-spaces", elements("a"), show={"x": "{{ name }}|{{name }}|{{  name}}"}),
    fast("text-unknown-name", elements("a"), show={"x": "{{nothing}} {{ nothing }} {{name}}"}),
    fast("text-unclosed", elements("a"), show={"x": "{{name"}),
    fast("text-unclosed-after-one", elements("a"), show={"x": "{{name}} {{name"}),
    fast("text-go-in-fast", elements("a"), show={"x": "{{.name}} {{ if name }}x{{ end }}"}),
    fast("text-three-braces", elements("a"), show={"x": "{{{name}}}"}),
    fast("text-empty-name", elements("a"), show={"x": "{{}} {{ }}"}),
    fast("text-quotes", elements({"name": "a", "x": 'say "hi"\\\n<&>'}), show={"x": "{{x}}"}),
    fast("text-placeholder-in-value", elements({"name": "a", "x": "{{name}}"}), show={"x": "{{x}}"}),
    fast("text-keys", elements({"name": "a", "k": "key", "v": "value"}), labels={"{{k}}": "{{v}}", "x-{{k}}": "y"}),
    fast("text-label-refused", elements({"name": "a", "v": "not a label!"}, "b"), labels={"v": "{{v}}"}),
    fast("app-number-stays", elements("a"), app={"revisionHistoryLimit": 3}),
    fast("app-finalizers", elements("a"), meta={"finalizers": ["resources-finalizer.argocd.argoproj.io/background"]}),
    fast("app-finalizers-templated", elements("a"), meta={"finalizers": ["example.com/{{name}}"]}),
    fast("app-finalizers-empty", elements("a"), meta={"finalizers": []}),
    fast("app-namespace", elements("a"), meta={"namespace": "elsewhere"}),
    fast("app-preserve", elements("a"), syncPolicy={"preserveResourcesOnDeletion": True}),
    fast(
        "app-preserve-finalizers",
        elements("a"),
        syncPolicy={"preserveResourcesOnDeletion": True},
        meta={"finalizers": ["resources-finalizer.argocd.argoproj.io"]},
    ),
    fast(
        "app-sync-policy",
        elements({"name": "a", "option": "CreateNamespace=true"}),
        app={
            "syncPolicy": {
                "automated": {"prune": True, "selfHeal": True},
                "syncOptions": ["{{option}}", "x={{name}}"],
                "retry": {"limit": 2, "backoff": {"duration": "5s", "factor": 2, "maxDuration": "3m"}},
                "managedNamespaceMetadata": {"labels": {"of": "{{name}}"}},
            }
        },
    ),
    fast("app-sync-policy-empty", elements("a"), app={"syncPolicy": {}}),
    fast("app-automated-off", elements("a"), app={"syncPolicy": {"automated": {"enabled": False}}}),
    fast(
        "app-sources",
        elements("a"),
        app={
            "source": None,
            "sources": [
                {"repoURL": "REPO", "path": "apps/{{name}}", "targetRevision": "main", "ref": "{{name}}"},
                {"repoURL": "https://charts.example", "chart": "{{name}}", "targetRevision": "1.x"},
            ],
        },
    ),
    fast(
        "app-helm",
        elements("a"),
        app={
            "source": {
                "repoURL": "REPO",
                "path": "charts",
                "helm": {
                    "releaseName": "{{name}}",
                    "valueFiles": ["values-{{name}}.yaml"],
                    "values": "a: '{{name}}'\nb: {{other}}\n",
                    "parameters": [{"name": "x", "value": "{{name}}", "forceString": True}],
                    "valuesObject": {"deep": {"of": "{{name}}", "n": 3, "l": ["{{name}}", None, False]}},
                },
            }
        },
    ),
    go(
        "app-go-values-object",
        elements({"name": "a", "n": 3}),
        app={
            "source": {
                "repoURL": "REPO",
                "path": "charts",
                "helm": {"valuesObject": {"{{.name}}": "{{.n}}", "plain": {"e": {}, "z": 0, "s": ""}}},
            }
        },
    ),
    fast(
        "app-kustomize",
        elements("a"),
        app={
            "source": {
                "repoURL": "REPO",
                "path": "k",
                "kustomize": {
                    "namePrefix": "{{name}}-",
                    "images": ["web=example/web:{{name}}"],
                    "commonLabels": {"of": "{{name}}"},
                    "replicas": [{"name": "web", "count": 3}],
                    "patches": [{"target": {"kind": "Deployment"}, "patch": "- op: remove\n  path: /{{name}}\n"}],
                },
            }
        },
    ),
    fast(
        "app-empty-blocks",
        elements("a"),
        app={"source": {"repoURL": "REPO", "path": "x", "helm": {}, "kustomize": {}, "directory": {}}},
    ),
    fast(
        "app-directory",
        elements("a"),
        app={
            "source": {
                "repoURL": "REPO",
                "path": "x",
                "directory": {"recurse": True, "include": "{{name}}*.yaml", "jsonnet": {}},
            }
        },
    ),
    fast(
        "app-plugin",
        elements("a"),
        app={
            "source": {
                "repoURL": "REPO",
                "path": "x",
                "plugin": {
                    "name": "p",
                    "env": [{"name": "OF", "value": "{{name}}"}],
                    "parameters": [{"name": "l", "array": ["{{name}}"]}],
                },
            }
        },
    ),
    fast(
        "app-ignore-and-info",
        elements("a"),
        app={
            "ignoreDifferences": [
                {
                    "group": "apps",
                    "kind": "Deployment",
                    "name": "{{name}}",
                    "jsonPointers": ["/spec/replicas"],
                    "jqPathExpressions": ['.a[] | select(.b == "{{name}}")'],
                }
            ],
            "info": [{"name": "of", "value": "{{name}}"}],
        },
    ),
    fast("app-destination-name", elements("a"), app={"destination": {"name": "east", "namespace": "web"}}),
    fast("app-destination-in-cluster", elements("a"), app={"destination": {"name": "in-cluster", "namespace": "web"}}),
    fast(
        "app-destination-unknown-name",
        elements({"name": "a", "c": "nowhere"}, {"name": "b", "c": "east"}),
        app={"destination": {"name": "{{c}}", "namespace": "web"}},
    ),
    fast(
        "app-destination-unknown-server",
        elements("a"),
        app={"destination": {"server": "https://nowhere.example", "namespace": "web"}},
    ),
    fast(
        "app-destination-both",
        elements("a"),
        app={"destination": {"server": SERVER, "name": "in-cluster", "namespace": "web"}},
    ),
    fast("app-destination-neither", elements("a"), app={"destination": {"namespace": "web"}}),
    fast(
        "app-project-unknown",
        elements({"name": "a", "p": "none"}, {"name": "b", "p": "default"}),
        app={"project": "{{p}}"},
    ),
    fast("app-project-empty", elements("a"), app={"project": ""}),
)
