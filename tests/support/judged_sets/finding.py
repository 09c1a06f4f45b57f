"""Sets whose generators find something: clusters, folders, files, decisions of another controller."""

from tests.support.judged_sets.case import Case, fast, go
from tests.support.judged_sets.world import files, folders, git

_CALLED = "CASE-{{nameNormalized}}"
_GO_CALLED = "CASE-{{.nameNormalized}}"
_PROD = {"matchLabels": {"env": "prod"}}
_FOLDER = "CASE-{{path.basenameNormalized}}"
_GO_FOLDER = "CASE-{{.path.basenameNormalized}}"

_CLUSTERS: tuple[Case, ...] = (
    fast("clusters-all", {"clusters": {}}, called=_CALLED, show={"x": "{{name}} {{server}} {{project}}"}),
    fast("clusters-empty-selector", {"clusters": {"selector": {}}}, called=_CALLED),
    fast(
        "clusters-selector",
        {"clusters": {"selector": _PROD}},
        called=_CALLED,
        show={"x": "{{metadata.labels.region}} {{metadata.annotations.owner}}"},
    ),
    fast(
        "clusters-expressions",
        {
            "clusters": {
                "selector": {
                    "matchExpressions": [
                        {"key": "region", "operator": "Exists"},
                        {"key": "env", "operator": "NotIn", "values": ["stage"]},
                    ]
                }
            }
        },
        called=_CALLED,
    ),
    fast("clusters-none", {"clusters": {"selector": {"matchLabels": {"env": "none"}}}}, called=_CALLED),
    fast(
        "clusters-wrong-selector", {"clusters": {"selector": {"matchLabels": {"env": "not a label!"}}}}, called=_CALLED
    ),
    fast("clusters-missing-label", {"clusters": {}}, called=_CALLED, show={"x": "{{metadata.labels.region}}"}),
    fast(
        "clusters-label-with-slash",
        {"clusters": {"selector": _PROD}},
        called=_CALLED,
        show={"x": "{{metadata.labels.acme.io/tier}}"},
    ),
    fast(
        "clusters-values",
        {
            "clusters": {
                "selector": _PROD,
                "values": {
                    "plain": "x",
                    "of": "{{name}}-{{metadata.labels.env}}",
                    "own": "{{values.plain}}",
                    "un": "{{nothing}}",
                },
            }
        },
        called=_CALLED,
        show={"plain": "{{values.plain}}", "of": "{{values.of}}", "own": "{{values.own}}", "un": "{{values.un}}"},
    ),
    go(
        "clusters-go",
        {"clusters": {}},
        called=_GO_CALLED,
        show={"x": "{{.name}} {{.server}} {{.project}}", "m": "{{.metadata}}"},
    ),
    go(
        "clusters-go-labels",
        {"clusters": {"selector": _PROD}},
        called=_GO_CALLED,
        show={"x": '{{.metadata.labels.env}} {{index .metadata.labels "acme.io/tier"}}'},
    ),
    go(
        "clusters-go-missing-error",
        {"clusters": {"selector": _PROD}},
        called=_GO_CALLED,
        show={"x": "{{.metadata.labels.nothing}}"},
        goTemplateOptions=["missingkey=error"],
    ),
    go(
        "clusters-go-values",
        {"clusters": {"selector": _PROD, "values": {"of": "{{.name}}", "own": "{{.values.of}}"}}},
        called=_GO_CALLED,
        show={"of": "{{.values.of}}", "own": "{{.values.own}}"},
    ),
    go(
        "clusters-go-flat-list",
        {"clusters": {"selector": _PROD, "flatList": True, "values": {"of": "{{.name}}"}}},
        called="CASE-{{len .clusters}}",
        show={"x": "{{range .clusters}}{{.name}}={{.server}}/{{.values.of}};{{end}}"},
    ),
    go(
        "clusters-go-flat-list-none",
        {"clusters": {"selector": {"matchLabels": {"a": "b"}}, "flatList": True}},
        called="CASE-{{len .clusters}}",
    ),
    fast(
        "clusters-parameter-selector",
        {"clusters": {}, "selector": {"matchLabels": {"metadata.labels.env": "prod"}}},
        called=_CALLED,
    ),
    go(
        "clusters-go-parameter-selector",
        {"clusters": {}, "selector": {"matchLabels": {"metadata.labels.env": "stage"}}},
        called=_GO_CALLED,
    ),
)

_FOLDERS: tuple[Case, ...] = (
    fast(
        "folders-plain",
        folders("apps/*"),
        called=_FOLDER,
        show={"x": "{{path}} {{path.basename}} {{path[0]}} {{path[1]}} {{path[2]}}"},
    ),
    fast("folders-deep", folders("apps/*/*"), called="CASE-{{path[1]}}-{{path.basename}}"),
    fast("folders-two-patterns", folders("apps/web", "envs/*"), called=_FOLDER),
    fast("folders-pattern-twice", folders("apps/web", "apps/w*"), called=_FOLDER),
    fast("folders-exclude", folders("apps/*", exclude=("apps/old",)), called=_FOLDER),
    fast(
        "folders-exclude-first",
        git(directories=[{"path": "apps/*", "exclude": True}, {"path": "apps/web"}]),
        called=_FOLDER,
    ),
    fast("folders-exclude-all", folders("apps/*", exclude=("*/*",)), called=_FOLDER),
    fast("folders-top", folders("*"), called=_FOLDER),
    fast("folders-everything", folders("**"), called=_FOLDER),
    fast("folders-hidden", folders("apps/.hidden"), called=_FOLDER),
    fast("folders-none", folders("nothing/*"), called=_FOLDER),
    fast("folders-question-mark", folders("apps/[ow]?[bd]"), called=_FOLDER),
    fast("folders-malformed", folders("apps/[", "apps/web"), called=_FOLDER),
    fast("folders-slash-at-the-end", folders("apps/web/"), called=_FOLDER),
    fast("folders-dot-slash", folders("./apps/web"), called=_FOLDER),
    fast(
        "folders-values",
        folders("apps/web", values={"of": "{{path.basename}}", "x": "y"}),
        called=_FOLDER,
        show={"x": "{{values.of}} {{values.x}}"},
    ),
    fast(
        "folders-prefix",
        folders("apps/web", pathParamPrefix="my"),
        called="CASE-{{my.path.basename}}",
        show={"x": "{{my.path}} {{my.path[0]}} {{path}}"},
    ),
    go(
        "folders-go",
        folders("apps/*"),
        called=_GO_FOLDER,
        show={
            "x": "{{.path.path}} {{.path.basename}} {{.path.segments}} {{index .path.segments 1}}",
            "whole": "{{.path}}",
        },
    ),
    go(
        "folders-go-prefix",
        folders("apps/web", pathParamPrefix="my"),
        called="CASE-{{.my.path.basename}}",
        show={"x": "{{.my.path.path}} {{.path}}"},
    ),
    go(
        "folders-go-values",
        folders("apps/web", values={"of": "{{.path.basename}}"}),
        called=_GO_FOLDER,
        show={"x": "{{.values.of}}"},
    ),
    fast("folders-no-revision", git(revision="nothing", directories=[{"path": "*"}]), called=_FOLDER),
    fast("folders-no-repository", git(repoURL="file:///nowhere/at-all", directories=[{"path": "*"}]), called=_FOLDER),
    fast("folders-nor-files", git(), called=_FOLDER),
    fast(
        "folders-and-files", git(directories=[{"path": "apps/web"}], files=[{"path": "Top-Level.json"}]), called=_FOLDER
    ),
)

_FILES: tuple[Case, ...] = (
    fast(
        "files-json",
        files("envs/*/config.json"),
        show={
            "x": "{{cluster.size}} {{cluster.zones.0}} {{cluster.spot}} {{ratio}} {{cluster.zones}}",
            "p": "{{path}} {{path.basename}} {{path.filename}} {{path.filenameNormalized}} {{path[1]}}",
        },
    ),
    fast("files-one", files("envs/east/config.json")),
    fast("files-stars", files("envs/**/config.json"), show={"p": "{{path}}"}),
    fast("files-star-crosses", files("envs/*.json"), show={"p": "{{path}}"}),
    fast("files-exclude", files("envs/**/config.json", exclude=("envs/west/*",)), show={"p": "{{path}}"}),
    fast(
        "files-yaml",
        files("yaml/*.yaml"),
        show={"x": "{{labels.team}} {{labels.tier}} {{text}} {{empty}} {{nothing}} {{version}} {{when}}"},
    ),
    go(
        "files-go-yaml",
        files("yaml/*.yaml"),
        show={"x": "{{.labels.team}} {{.text}} {{.empty}} {{.nothing}} {{.version}} {{.when}}"},
    ),
    go(
        "files-go-json",
        files("envs/*/config.json"),
        show={
            "x": "{{.cluster.size}} {{.cluster.zones}} {{.ratio}} {{.cluster}}",
            "p": "{{.path.path}} {{.path.filename}} {{.path.filenameNormalized}} {{.path.segments}}",
        },
    ),
    fast("files-array", files("arrays/*"), show={"x": "{{port}} {{path}}"}),
    go("files-go-array", files("arrays/*"), show={"x": "{{.port}} {{.path.path}}"}),
    fast(
        "files-root",
        files("Top-Level.json"),
        show={"p": "{{path}}|{{path.basename}}|{{path[0]}}|{{path.filename}}|{{path.filenameNormalized}}"},
    ),
    go(
        "files-go-root",
        files("Top-Level.json"),
        show={"p": "{{.path.path}}|{{.path.basename}}|{{.path.segments}}|{{.path.filenameNormalized}}"},
    ),
    fast("files-none", files("nothing/*.json")),
    fast("files-scalar", files("odd/scalar.yaml")),
    fast("files-broken", files("odd/broken.yaml")),
    fast("files-empty", files("odd/empty.yaml"), called="CASE-{{path.basename}}"),
    fast("files-documents", files("odd/documents.yaml")),
    fast("files-mixed", files("odd/mixed.yaml")),
    fast("files-twice", files("odd/twice.yaml")),
    fast(
        "files-values",
        files("envs/east/config.json", values={"of": "{{name}}-{{path.basename}}"}),
        show={"x": "{{values.of}}"},
    ),
    fast(
        "files-prefix",
        files("envs/east/config.json", pathParamPrefix="my"),
        show={"x": "{{my.path}} {{my.path.filename}} {{path}}"},
    ),
    fast("files-selector", {**files("envs/**/config.json"), "selector": {"matchLabels": {"cluster.spot": "true"}}}),
    go("files-go-selector", {**files("envs/**/config.json"), "selector": {"matchLabels": {"cluster.size": "1"}}}),
    go("files-go-missing", files("envs/**/config.json"), show={"x": "{{.cluster.zones}} {{.ratio}}"}),
    go(
        "files-go-missing-error",
        files("envs/**/config.json"),
        show={"x": "{{.ratio}}"},
        goTemplateOptions=["missingkey=error"],
    ),
)


def _decided(ref: str, **more: object) -> dict[str, object]:
    return {"clusterDecisionResource": {"configMapRef": ref, "requeueAfterSeconds": 600, **more}}


_DECISIONS: tuple[Case, ...] = (
    fast(
        "decisions-name",
        _decided("placements", name="both"),
        show={"x": "{{server}} {{clusterName}} {{weight}} {{reason}}"},
    ),
    fast("decisions-labels", _decided("placements", labelSelector={"matchLabels": {"use": "all"}})),
    fast("decisions-unknown-cluster", _decided("placements", name="strange")),
    fast("decisions-no-object", _decided("placements", name="nothing")),
    fast("decisions-no-config", _decided("nothing", name="both")),
    fast("decisions-without-key", _decided("placements-without-key", name="both")),
    fast(
        "decisions-default-list",
        _decided("placements-by-default-list", name="clusters"),
        called="CASE-x",
        show={"n": "{{name}}"},
    ),
    fast(
        "decisions-values",
        _decided("placements", name="both", values={"of": "{{name}}", "x": "y"}),
        show={"x": "{{values.of}} {{values.x}}"},
    ),
    go(
        "decisions-go-values",
        _decided("placements", name="both", values={"of": "{{.name}}", "x": "y"}),
        show={"x": "{{.values.of}} {{.values.x}}"},
    ),
    fast("decisions-numbers", _decided("placements", name="numbers"), show={"x": "{{weight}}"}),
    fast("decisions-neither", _decided("placements")),
)

CASES = (*_CLUSTERS, *_FOLDERS, *_FILES, *_DECISIONS)
