"""Sets with Go templates, Sprig, and patches of templates."""

from tests.support.judged_sets.case import Case, elements, fast, go

_A = elements({"name": "a", "text": "Feature/Some_Branch-With.Dots", "n": 3, "l": ["x", "y"], "m": {"k": "v"}})


def _shown(name: str, **texts: str) -> Case:
    return go(name, _A, show=texts)


_GO: tuple[Case, ...] = (
    _shown(
        "go-control",
        r="{{range $i, $e := .l}}{{$i}}{{$e}} {{end}}",
        w="{{with .m}}{{.k}}{{else}}none{{end}}",
        i="{{if eq .n 3.0}}three{{else if .x}}x{{end}}",
    ),
    _shown("go-if-number", i="{{if eq .n 3}}three{{end}}"),
    _shown("go-define", d='{{define "t"}}<{{.}}>{{end}}{{template "t" .name}}{{block "u" .n}}[{{.}}]{{end}}'),
    _shown("go-variables", v='{{$x := .name}}{{$x = printf "%s-%s" $x "b"}}{{$x}}', t="{{- .name -}}  x"),
    _shown("go-printf", p='{{printf "%05.1f|%q|%v|%T|%-5s|%x" .n .name .l .m .name .name}}'),
    _shown("go-and-or", a='{{and .name .x}}|{{or .x "d"}}|{{not .name}}|{{len .l}}|{{index .l 0}}|{{slice .name 0 1}}'),
    _shown(
        "go-strings",
        s=(
            '{{upper .name}} {{.text | lower | replace "/" "-"}} {{trunc 5 .text}} {{trimPrefix '
            '"Feature/" .text}} {{quote .name}} {{.text | splitList "/" | last}}'
        ),
    ),
    _shown(
        "go-default",
        d=(
            '{{default "d" .x}} {{.x | default .name}} {{coalesce .x .name}} {{ternary "y" "n" '
            '(eq .name "a")}} {{empty .x}}'
        ),
    ),
    _shown(
        "go-lists",
        l=(
            '{{join "," .l}} {{first .l}} {{has "x" .l}} {{list 1 2 | toJson}} {{append .l "z" | '
            'join "-"}} {{until 3}} {{sortAlpha (list "b" "a")}}'
        ),
    ),
    _shown(
        "go-dicts",
        d=(
            '{{dict "a" 1 "b" .name | toJson}} {{get .m "k"}} {{hasKey .m "z"}} {{keys .m}} {{dig '
            '"m" "z" "none" .}} {{merge (dict "a" 1) .m | toJson}}'
        ),
    ),
    _shown(
        "go-math",
        m="{{add 1 2}} {{sub 5 2}} {{mul 2 3}} {{div 7 2}} {{mod 7 2}} {{max 1 5 3}} {{round 1.256 2}} {{add .n 1}}",
    ),
    _shown(
        "go-encodings",
        e=(
            '{{b64enc .name}} {{b64dec "YQ=="}} {{sha256sum .name | trunc 8}} {{adler32sum '
            '.name}} {{urlParse "https://u@h:1/p?q=1#f" | toJson}}'
        ),
    ),
    _shown(
        "go-regex",
        r=(
            '{{regexMatch "^F.*" .text}} {{regexReplaceAll "[^a-z]" .text "-"}} {{regexFind '
            '"[A-Z][a-z]+" .text}} {{regexSplit "/" .text -1}}'
        ),
    ),
    _shown("go-semver", s='{{semver "1.2.3-beta" | toJson}} {{semverCompare ">=1.2" "1.3.0"}}'),
    _shown(
        "go-normalize",
        n="{{normalize .text}} {{.text | normalize}}",
        s="{{slugify .text}} {{slugify 10 .text}} {{slugify 10 true .text}} {{slugify 10 false .text}}",
    ),
    _shown(
        "go-yaml",
        y="{{toYaml .m}} {{toYaml .l}}",
        f='{{(fromYaml "a: {b: 1}").a.b}}',
        a='{{index (fromYamlArray "- x\\n- y") 1}}',
    ),
    _shown("go-yaml-broken", f='{{fromYaml "a: ["}}'),
    _shown(
        "go-casts",
        c=(
            '{{int "7"}} {{int .n}} {{toString .n}} {{float64 "1.5"}} {{atoi "x"}} {{kindOf .n}} '
            "{{typeOf .l}} {{toStrings .l}}"
        ),
    ),
    _shown(
        "go-indent",
        i=(
            '{{ "a\\nb" | indent 2 }} {{ "a" | nindent 2 }} {{ cat "a" 1 }} {{ repeat 3 "x" }} {{ '
            'nospace "a b" }} {{ camelcase "a_b" }} {{ snakecase "aB" }} {{ kebabcase "aB" }}'
        ),
    ),
    _shown("go-comment", c="{{/* nothing */}}x{{- /* nothing */ -}} y"),
    _shown("go-raw-braces", r="{{`{{ .Values.x }}`}}"),
    _shown("go-no-value", n="{{.nothing}} {{.m.nothing}} {{.nothing | default 1}}"),
    _shown("go-nil-deeper", n="{{.nothing.deeper}}"),
    _shown("go-field-of-text", n="{{.name.deeper}}"),
    _shown("go-index-too-far", n="{{index .l 7}}"),
    _shown("go-env", e='{{env "HOME"}}'),
    _shown("go-expandenv", e='{{expandenv "$HOME"}}'),
    _shown("go-host", e='{{getHostByName "localhost"}}'),
    _shown("go-fail", f='{{fail "no way"}}'),
    _shown("go-required", f='{{required "needed" .x}}'),
    _shown("go-unknown-function", f="{{nothing .name}}"),
    _shown("go-unclosed", f="{{.name"),
    _shown("go-no-end", f="{{if .name}}x"),
    _shown("go-fast-text", f="{{name}}"),
    _shown("go-wrong-arguments", f="{{upper .n}}"),
    _shown("go-html", h='{{html "<a>"}} {{js "\'x\'"}} {{urlquery "a b"}} {{print 1 2 "x"}} {{println "x"}}'),
    go("go-missing-error", elements("a"), show={"x": "{{.nothing}}"}, goTemplateOptions=["missingkey=error"]),
    go(
        "go-missing-error-guarded",
        elements("a"),
        show={"x": '{{default "d" .nothing}}'},
        goTemplateOptions=["missingkey=error"],
    ),
    go(
        "go-missing-error-index",
        elements({"name": "a", "m": {}}),
        show={"x": '{{index .m "nothing"}} {{dig "m" "x" "d" .}}'},
        goTemplateOptions=["missingkey=error"],
    ),
    go("go-missing-zero", elements("a"), show={"x": "{{.nothing}}"}, goTemplateOptions=["missingkey=zero"]),
    go("go-missing-default", elements("a"), show={"x": "{{.nothing}}"}, goTemplateOptions=["missingkey=default"]),
    go("go-missing-invalid", elements("a"), show={"x": "{{.nothing}}"}, goTemplateOptions=["missingkey=invalid"]),
    go(
        "go-two-options",
        elements("a"),
        show={"x": "{{.nothing}}"},
        goTemplateOptions=["missingkey=error", "missingkey=zero"],
    ),
    go("go-option-unknown", elements("a"), goTemplateOptions=["missingkey=never"]),
    go("go-option-empty", elements("a"), goTemplateOptions=[""]),
    fast("go-options-without-go", elements("a"), show={"x": "{{nothing}}"}, goTemplateOptions=["missingkey=error"]),
    go("go-keys", elements({"name": "a", "k": "key"}), labels={"{{.k}}": "{{.name}}"}),
    go(
        "go-one-fails",
        elements({"name": "a", "x": "1"}, "b"),
        show={"x": "{{.x}}"},
        goTemplateOptions=["missingkey=error"],
    ),
)

_PATCHES: tuple[Case, ...] = (
    go(
        "patch-go",
        elements({"name": "a", "auto": True, "files": ["x.yaml", "y.yaml"]}, {"name": "b", "auto": False}),
        templatePatch=(
            "spec:\n  source:\n    helm:\n      valueFiles:\n      {{- range .files }}\n      - "
            "{{ . }}\n      {{- end }}\n{{- if .auto }}\n  syncPolicy:\n    automated:\n      "
            "prune: true\n{{- end }}\n"
        ),
    ),
    go(
        "patch-labels",
        elements("a"),
        labels={"one": "1", "two": "2"},
        templatePatch='metadata:\n  labels:\n    two: "x"\n    three: "{{.name}}"\n    one: null\n',
    ),
    fast("patch-fast", elements("a"), templatePatch="spec:\n  source:\n    path: patched/{{name}}\n"),
    fast(
        "patch-fast-unknown",
        elements("a"),
        show={"x": "y"},
        templatePatch="metadata:\n  annotations:\n    x: '{{nothing}}'\n",
    ),
    go("patch-json", elements("a"), templatePatch='{"spec": {"source": {"path": "patched/{{.name}}"}}}'),
    go("patch-project", elements("a"), templatePatch="spec:\n  project: other\n"),
    go("patch-name", elements("a"), templatePatch="metadata:\n  name: CASE-patched\n"),
    go("patch-namespace", elements("a"), templatePatch="metadata:\n  namespace: elsewhere\n"),
    go("patch-empty", elements("a"), templatePatch=""),
    go("patch-only-spaces", elements("a"), templatePatch="  \n"),
    go("patch-broken", elements("a"), templatePatch="spec: [\n"),
    go("patch-a-text", elements("a"), templatePatch="just text\n"),
    go("patch-a-list", elements("a"), templatePatch="- a\n"),
    go("patch-wrong-type", elements("a"), templatePatch="spec: text\n"),
    go("patch-wrong-field-type", elements("a"), templatePatch="spec:\n  revisionHistoryLimit: many\n"),
    go("patch-unknown-field", elements("a"), templatePatch="spec:\n  colour: blue\n"),
    go(
        "patch-missing",
        elements("a"),
        templatePatch="spec:\n  source: {path: '{{.nothing}}'}\n",
        goTemplateOptions=["missingkey=error"],
    ),
    go("patch-parse-error", elements("a"), templatePatch="{{ if }}"),
    go("patch-finalizers", elements("a"), templatePatch="metadata:\n  finalizers: [example.com/more]\n"),
    go(
        "patch-finalizers-added",
        elements("a"),
        meta={"finalizers": ["example.com/one"]},
        templatePatch="metadata:\n  finalizers: [example.com/more]\n",
    ),
    go(
        "patch-lists",
        elements("a"),
        app={"syncPolicy": {"syncOptions": ["A=true", "B=true"]}, "info": [{"name": "x", "value": "1"}]},
        templatePatch="spec:\n  syncPolicy: {syncOptions: [C=true]}\n  info: [{name: other, value: '2'}]\n",
    ),
    go(
        "patch-sources",
        elements("a"),
        templatePatch=(
            "spec:\n  source: null\n  sources:\n  - {repoURL: 'REPO', path: one}\n  - {repoURL: 'REPO', path: two}\n"
        ),
    ),
    go(
        "patch-values-object",
        elements({"name": "a", "v": {"deep": {"x": 1}}}),
        templatePatch="spec:\n  source:\n    helm:\n      valuesObject: {{ .v | toJson }}\n",
    ),
    go(
        "patch-documents",
        elements("a"),
        templatePatch="spec:\n  source: {path: one}\n---\nspec:\n  source: {path: two}\n",
    ),
    go(
        "patch-delete",
        elements("a"),
        app={"syncPolicy": {"automated": {}, "syncOptions": ["A=true"]}},
        templatePatch="spec:\n  syncPolicy:\n    automated: null\n",
    ),
    go(
        "patch-directive",
        elements("a"),
        labels={"one": "1"},
        templatePatch="metadata:\n  labels:\n    $patch: replace\n    two: '2'\n",
    ),
    go(
        "patch-kind",
        elements("a"),
        templatePatch="kind: Other\napiVersion: v1\nstatus: {sync: {status: Synced}}\noperation: {sync: {}}\n",
    ),
)

CASES = (*_GO, *_PATCHES)
