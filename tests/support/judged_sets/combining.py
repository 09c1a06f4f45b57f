"""Sets with generators inside of others."""

from typing import Any

from tests.support.judged_sets.case import Case, Json, elements, fast, go, template
from tests.support.judged_sets.world import files, folders


def _matrix(*generators: Json, **more: Any) -> Json:
    return {"matrix": {"generators": list(generators), **more}}


def _merge(*generators: Json, keys: tuple[str, ...] = ("name",), **more: Any) -> Json:
    return {"merge": {"generators": list(generators), "mergeKeys": list(keys), **more}}


_AB, _XY = elements("a", "b"), elements({"x": "1"}, {"x": "2"})
_BOTH = "CASE-{{name}}-{{x}}"
_GO_BOTH = "CASE-{{.name}}-{{.x}}"
_PROD = {"clusters": {"selector": {"matchLabels": {"env": "prod"}}}}

_MATRIX: tuple[Case, ...] = (
    fast("matrix-lists", _matrix(_AB, _XY), called=_BOTH),
    go("matrix-go-lists", _matrix(_AB, _XY), called=_GO_BOTH),
    fast(
        "matrix-clusters-folders",
        _matrix(_PROD, folders("apps/*", exclude=("apps/old",))),
        called="CASE-{{nameNormalized}}-{{path.basenameNormalized}}",
    ),
    fast(
        "matrix-second-filled",
        _matrix(elements({"dir": "web"}, {"dir": "old"}), folders("apps/{{dir}}")),
        called="CASE-{{path.basename}}",
    ),
    go(
        "matrix-go-second-filled",
        _matrix(elements({"dir": "web"}), folders("apps/{{.dir}}")),
        called="CASE-{{.path.basename}}",
    ),
    fast(
        "matrix-selector-filled",
        _matrix(elements({"e": "stage"}), {"clusters": {"selector": {"matchLabels": {"env": "{{e}}"}}}}),
    ),
    go(
        "matrix-go-selector-filled",
        _matrix(elements({"e": "stage"}), {"clusters": {"selector": {"matchLabels": {"env": "{{.e}}"}}}}),
    ),
    fast(
        "matrix-values-filled",
        _matrix(
            elements({"e": "east-1"}),
            {"clusters": {"selector": {"matchLabels": {"env": "stage"}}, "values": {"e": "{{e}}", "n": "{{name}}"}}},
        ),
        show={"x": "{{values.e}} {{values.n}}"},
    ),
    go(
        "matrix-go-values-filled",
        _matrix(
            elements({"e": "east-1"}),
            {"clusters": {"selector": {"matchLabels": {"env": "stage"}}, "values": {"e": "{{.e}}", "n": "{{.name}}"}}},
        ),
        show={"x": "{{.values.e}} {{.values.n}}"},
    ),
    go(
        "matrix-go-values-filled-strict",
        _matrix(
            elements({"e": "east-1"}),
            {"clusters": {"selector": {"matchLabels": {"env": "stage"}}, "values": {"e": "{{.e}}", "n": "{{.name}}"}}},
        ),
        show={"x": "{{.values.e}} {{.values.n}}"},
        goTemplateOptions=["missingkey=error"],
    ),
    fast("matrix-second-missing", _matrix(elements("a"), elements({"x": "{{nothing}}"})), show={"x": "{{x}}"}),
    go("matrix-go-second-missing", _matrix(elements("a"), elements({"x": "{{.nothing}}"})), show={"x": "{{.x}}"}),
    go(
        "matrix-go-second-missing-strict",
        _matrix(elements("a"), elements({"x": "{{.nothing}}"})),
        show={"x": "{{.x}}"},
        goTemplateOptions=["missingkey=error"],
    ),
    go(
        "matrix-go-elements-yaml",
        _matrix(files("lists/items.yaml"), {"list": {"elementsYaml": "{{ .items | toJson }}"}}),
        called="CASE-{{.port}}",
        show={"x": "{{.name}} {{.path.path}}"},
    ),
    fast(
        "matrix-clash-equal",
        _matrix(elements({"name": "a", "x": "1"}), elements({"x": "1", "y": "2"})),
        show={"x": "{{x}} {{y}}"},
    ),
    fast("matrix-clash", _matrix(elements({"name": "a", "x": "1"}), elements({"x": "2"})), show={"x": "{{x}}"}),
    go(
        "matrix-go-clash",
        _matrix(elements({"name": "a", "x": "1", "m": {"k": "1"}}), elements({"x": "2", "m": {"k": "2", "l": "3"}})),
        show={"x": "{{.x}} {{.m}}"},
    ),
    fast("matrix-one", _matrix(_AB)),
    fast("matrix-three", _matrix(_AB, _XY, elements({"y": "1"}))),
    fast("matrix-none", _matrix()),
    fast("matrix-two-in-one-entry", _matrix({**_AB, **_PROD}, _XY)),
    fast("matrix-empty-first", _matrix(elements(), _XY)),
    fast("matrix-empty-second", _matrix(_AB, elements())),
    fast(
        "matrix-in-matrix",
        _matrix(_matrix(_AB, _XY), elements({"y": "3"}, {"y": "4"})),
        called="CASE-{{name}}-{{x}}-{{y}}",
    ),
    fast(
        "matrix-in-matrix-second",
        _matrix(elements({"y": "3"}), _matrix(_AB, elements({"x": "{{y}}"}))),
        called="CASE-{{name}}-{{x}}-{{y}}",
    ),
    fast(
        "matrix-in-matrix-in-matrix",
        _matrix(_matrix(_matrix(_AB, _XY), elements({"y": "3"})), elements({"z": "4"})),
        called="CASE-{{name}}-{{x}}-{{y}}-{{z}}",
    ),
    fast(
        "matrix-of-merge",
        _matrix(_merge(_AB, elements({"name": "a", "x": "1"})), elements({"y": "3"})),
        show={"x": "{{x}} {{y}}"},
    ),
    fast(
        "matrix-own-template",
        _matrix(_AB, _XY, template=template("CASE-own-{{name}}-{{x}}", labels={"own": "yes"})),
        called=_BOTH,
    ),
    fast("matrix-inner-template", _matrix(elements("a", template=template("CASE-inner-{{name}}")), _XY), called=_BOTH),
    fast("matrix-selector", {**_matrix(_AB, _XY), "selector": {"matchLabels": {"name": "a", "x": "2"}}}, called=_BOTH),
    fast(
        "matrix-inner-selector",
        _matrix(
            {**_AB, "selector": {"matchLabels": {"name": "a"}}},
            {**_XY, "selector": {"matchExpressions": [{"key": "x", "operator": "NotIn", "values": ["1"]}]}},
        ),
        called=_BOTH,
    ),
    fast(
        "matrix-inner-selector-asked",
        _matrix({**_AB, "selector": {"matchLabels": {"name": "a"}}}, _XY),
        called=_BOTH,
        applyNestedSelectors=True,
    ),
    fast(
        "matrix-inner-selector-filled",
        _matrix(_AB, {**elements({"x": "a"}, {"x": "b"}), "selector": {"matchLabels": {"x": "{{name}}"}}}),
        called=_BOTH,
    ),
    fast(
        "matrix-git-twice",
        _matrix(folders("apps/web", pathParamPrefix="app"), folders("envs/*", pathParamPrefix="env")),
        called="CASE-{{app.path.basename}}-{{env.path.basename}}",
    ),
    fast("matrix-git-twice-clash", _matrix(folders("apps/web"), folders("envs/*")), called="CASE-{{path.basename}}"),
    fast(
        "matrix-files-clusters",
        _matrix(files("envs/east/config.json"), {"clusters": {"selector": {"matchLabels": {"env": "stage"}}}}),
        called="CASE-x",
    ),
    go(
        "matrix-go-files-clusters",
        _matrix(files("envs/east/config.json"), {"clusters": {"selector": {"matchLabels": {"env": "stage"}}}}),
        called="CASE-x",
        show={"x": "{{.name}} {{.server}} {{.cluster.size}}"},
    ),
    go(
        "matrix-go-flat-list",
        _matrix(elements("a"), {"clusters": {"selector": {"matchLabels": {"env": "prod"}}, "flatList": True}}),
        show={"x": "{{range .clusters}}{{.name}} {{end}}"},
    ),
)

_BASE = elements({"name": "a", "x": "1"}, {"name": "b", "x": "1"})
_MERGE: tuple[Case, ...] = (
    fast("merge-lists", _merge(_BASE, elements({"name": "a", "x": "2", "y": "3"})), show={"x": "{{x}} {{y}}"}),
    fast("merge-without-match", _merge(_BASE, elements({"name": "z", "x": "2"})), show={"x": "{{x}}"}),
    fast("merge-without-key", _merge(_BASE, elements({"x": "2"})), show={"x": "{{x}}"}),
    fast(
        "merge-base-without-key", _merge(elements({"x": "1"}), elements({"name": "a", "x": "2"})), called="CASE-{{x}}"
    ),
    fast(
        "merge-base-without-key-twice",
        _merge(elements({"x": "1"}, {"x": "2"}), elements({"name": "a", "x": "2"})),
        called="CASE-{{x}}",
    ),
    fast(
        "merge-three",
        _merge(_BASE, elements({"name": "a", "x": "2"}), elements({"name": "a", "x": "3"}, {"name": "b", "y": "4"})),
        show={"x": "{{x}} {{y}}"},
    ),
    fast(
        "merge-two-keys",
        _merge(
            elements({"name": "a", "e": "1"}, {"name": "a", "e": "2"}),
            elements({"name": "a", "e": "2", "x": "two"}),
            keys=("name", "e"),
        ),
        called="CASE-{{name}}-{{e}}",
        show={"x": "{{x}}"},
    ),
    fast(
        "merge-key-twice",
        _merge(elements({"name": "a", "x": "1"}, {"name": "a", "x": "2"}), elements({"name": "a", "y": "2"})),
        called="CASE-{{name}}-{{x}}",
    ),
    fast(
        "merge-override-twice",
        _merge(_BASE, elements({"name": "a", "x": "2"}, {"name": "a", "x": "3"})),
        show={"x": "{{x}}"},
    ),
    fast("merge-no-keys", _merge(_BASE, elements({"name": "a"}), keys=())),
    fast("merge-one", _merge(_BASE)),
    fast("merge-none", _merge()),
    fast(
        "merge-clusters",
        _merge(
            {"clusters": {"values": {"size": "small"}}},
            {"clusters": {"selector": {"matchLabels": {"env": "prod"}}, "values": {"size": "large"}}},
            elements({"server": "https://east.example", "values.size": "huge"}),
            keys=("server",),
        ),
        called="CASE-{{nameNormalized}}",
        show={"x": "{{values.size}}"},
    ),
    go(
        "merge-go-lists",
        _merge(elements({"name": "a", "m": {"k": "1", "l": "2"}}), elements({"name": "a", "m": {"k": "3"}})),
        show={"x": "{{.m}}"},
    ),
    go(
        "merge-go-nested-key",
        _merge(
            elements({"name": "a", "m": {"k": "1"}}, {"name": "b", "m": {"k": "2"}}),
            elements({"m": {"k": "2"}, "y": "z"}),
            keys=("m.k",),
        ),
        show={"x": "{{.y}}"},
    ),
    go(
        "merge-go-number-key",
        _merge(elements({"name": "a", "n": 1}), elements({"n": 1, "y": "z"}), keys=("n",)),
        show={"x": "{{.y}}"},
    ),
    go(
        "merge-go-clusters",
        _merge(
            {"clusters": {"values": {"size": "small", "more": "x"}}},
            elements({"name": "east", "values": {"size": "huge"}}),
        ),
        called="CASE-{{.nameNormalized}}",
        show={"x": "{{.values}}"},
    ),
    fast(
        "merge-selector", {**_merge(_BASE, elements({"name": "a", "x": "2"})), "selector": {"matchLabels": {"x": "2"}}}
    ),
    fast(
        "merge-inner-selector",
        _merge({**_BASE, "selector": {"matchLabels": {"name": "b"}}}, elements({"name": "b", "x": "2"})),
        show={"x": "{{x}}"},
    ),
    fast(
        "merge-of-matrix",
        _merge(_matrix(_AB, _XY), elements({"name": "a", "x": "2", "y": "over"}), keys=("name", "x")),
        called=_BOTH,
        show={"y": "{{y}}"},
    ),
    fast(
        "merge-of-merge",
        _merge(_merge(_BASE, elements({"name": "a", "y": "1"})), elements({"name": "b", "y": "2"})),
        show={"y": "{{y}}"},
    ),
    fast(
        "merge-own-template",
        _merge(_BASE, elements({"name": "a", "x": "2"}), template=template("CASE-own-{{name}}")),
        show={"x": "{{x}}"},
    ),
    fast(
        "merge-files",
        _merge(files("envs/*/config.json"), elements({"name": "east", "cluster.size": "99"})),
        show={"x": "{{cluster.size}}"},
    ),
    fast("merge-two-in-one-entry", _merge({**_BASE, **_PROD}, elements({"name": "a", "x": "2"}))),
)

CASES = (*_MATRIX, *_MERGE)
