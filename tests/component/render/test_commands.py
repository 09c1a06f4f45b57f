"""`syncline app manifests`, `syncline render` and `syncline blame` on files, as somebody in a checkout uses them."""

import json
import pathlib
import textwrap
from collections.abc import Callable

import pytest

from syncline.apimachinery import yaml
from syncline.cli.main import main
from tests.support import chart_server, registry
from tests.support.git_http import Repository

APP = """\
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata: {name: shop}
    spec:
      project: default
      destination: {server: https://kubernetes.default.svc, namespace: store}
      sources:
      - repoURL: https://git.example/team/shop
        path: chart
        helm:
          valueFiles: [$values/globals.yaml, $values/shared/agents.yaml]
          parameters: [{name: image.tag, value: "7", forceString: true}]
      - repoURL: https://git.example/team/shop
        ref: values
      - repoURL: https://git.example/team/shop
        path: over
"""
FILES = {
    "chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "chart/values.yaml": "image:\n  name: web\n  tag: '1'\ntolerations: []\npassword: hunter2\n",
    "chart/templates/web.yaml": """\
        apiVersion: v1
        kind: Pod
        metadata: {name: web}
        spec:
          {{- with .Values.tolerations }}
          tolerations: {{ toJson . }}
          {{- end }}
          containers:
          - name: web
            image: {{ .Values.image.name }}:{{ .Values.image.tag }}
        ---
        apiVersion: v1
        kind: Secret
        metadata: {name: keys}
        stringData: {password: {{ .Values.password }}}
    """,
    "globals.yaml": "# of all\ntolerations:\n- key: env\n",
    "shared/agents.yaml": "tolerations: []\n",
    "over/kustomization.yaml": "resources: [../base]\npatches: [{path: more.yaml}]\n",
    "over/more.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  colour: red\n",
    "base/kustomization.yaml": "resources: [settings.yaml]\n",
    "base/settings.yaml": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  colour: blue\n  size: '1'\n"
    ),
}
Run = Callable[..., str]


@pytest.fixture
def checkout(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("SYNCLINE_CACHE", str(tmp_path / "cache"))
    repository = Repository(tmp_path / "shop")
    repository.commit({name: textwrap.dedent(text) for name, text in FILES.items()})
    repository.git("remote", "add", "origin", "git@git.example:team/shop.git")
    (repository.folder / "app.yaml").write_text(textwrap.dedent(APP))
    monkeypatch.chdir(repository.folder)
    return repository


@pytest.fixture
def run(checkout: Repository, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str, code: int = 0) -> str:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        printed = capsys.readouterr()
        assert ended.value.code == code, printed.err
        assert "hunter2" not in printed.out + printed.err
        return printed.out if code == 0 else printed.err

    return run


def test_the_checkout_at_hand_stands_for_its_remotes_and_every_object_for_its_line(run: Run) -> None:
    printed = run("app", "manifests", "app.yaml", "--show-origin")
    origins = [line for line in printed.splitlines() if line.startswith("# ")]
    # Helm prints Secrets before Pods.
    assert origins == ["# chart/templates/web.yaml:13", "# chart/templates/web.yaml:2", "# base/settings.yaml:2"]
    objects = {obj["kind"]: obj for obj in (doc.value for doc in yaml.load_documents(printed.encode(), source="x"))}
    assert objects["Pod"]["spec"]["containers"][0]["image"] == "web:7"
    assert objects["ConfigMap"]["data"] == {"colour": "red", "size": "1"}
    assert objects["Secret"]["data"] == {"password": "++++++++"}


def test_local_files_count_before_they_are_committed(run: Run, checkout: Repository) -> None:
    (checkout.folder / "chart/values.yaml").write_text("image: {name: new, tag: x}\ntolerations: []\n")
    committed = json.loads(run("app", "manifests", "app.yaml", "-o", "json"))
    local = json.loads(run("app", "manifests", "app.yaml", "-o", "json", "--local"))
    images = [
        next(obj for obj in objects if obj["kind"] == "Pod")["spec"]["containers"][0]["image"]
        for objects in (committed, local)
    ]
    assert images == ["web:7", "new:7"]


def test_a_revision_is_named_for_each_source(run: Run, checkout: Repository) -> None:
    first = checkout.git("rev-parse", "HEAD").strip()
    checkout.commit({"over/more.yaml": FILES["over/more.yaml"].replace("red", "green")})
    newest, older = (
        json.loads(run("app", "manifests", "app.yaml", "-o", "json", *given))
        for given in ((), ("--revision", "", "--revision", "", "--revision", first))
    )
    colours = [
        next(obj for obj in objects if obj["kind"] == "ConfigMap")["data"]["colour"] for objects in (newest, older)
    ]
    assert colours == ["green", "red"]


def test_another_folder_is_read_in_place_of_a_repository(
    run: Run, checkout: Repository, tmp_path: pathlib.Path
) -> None:
    other = Repository(tmp_path / "elsewhere")
    other.commit({"x/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"})
    app = textwrap.dedent(APP).split("  sources:")[0] + "  source: {repoURL: ssh://git@far.example/x, path: x}\n"
    (checkout.folder / "app.yaml").write_text(app)
    printed = run("app", "manifests", "app.yaml", "--repo", f"https://far.example/x={other.folder}")
    assert "name: other" in printed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("app", "manifests", "chart/values.yaml"), "this is not a Kubernetes object"),
        (("app", "manifests", "base/settings.yaml"), "contains no Application"),
        (("app", "manifests", "base/settings.yaml"), "contains no Application (it contains ConfigMap)"),
        (("app", "manifests", "gone.yaml"), "gone.yaml: no such file or folder"),
        (("app", "manifests", "apps.yaml"), "(did you mean app.yaml?)"),
        (("app", "manifests", "./base"), "base contains no Application"),
        (("render", "app.yaml"), "app.yaml is a file (render the folder that contains it; for Applications in a file"),
        (("render", "chrt"), "chrt: no such folder (did you mean chart?)"),
        (("render", "chart", "-f", "vales.yaml"), "did you mean chart/values.yaml?"),
        (("app", "manifests", "app.yaml", "--repo", "nonsense"), "is not URL=PATH"),
        (("app", "manifests", "app.yaml", *("--revision", "main") * 4), "4 revisions given for 3 sources"),
        (("app", "manifests", "app.yaml", "--revision", "nope"), "unable to resolve 'nope'"),
        (("render", "chart", "--set", "nonsense"), "'nonsense' is not NAME=VALUE"),
        (("render", "chart", "-f", "gone.yaml"), "no such file"),
        (("blame", "--app", "app.yaml", "Pod/web"), "name an object and a field"),
        (
            ("blame", "--app", "app.yaml", "Pod/gone", "spec"),
            "no rendered object named Pod/gone (did you mean Pod/web?)",
        ),
        (("blame", "--app", "app.yaml", "Pod/web", "spec["), "is not a field path"),
        (("blame", "--app", "app.yaml", "--value", "nothing.here"), "no chart has a value nothing.here"),
        (("blame", "--app", "app.yaml", "--value", "image.tga"), "(did you mean image.tag?)"),
    ],
)
def test_what_cannot_be_answered_is_one_sentence(run: Run, arguments: tuple[str, ...], words: str) -> None:
    said = run(*arguments, code=2)
    assert words in said
    assert said.count("\n") == 1


def test_a_field_that_is_not_there_is_told_with_the_one_that_may_be_meant(run: Run) -> None:
    said = run("blame", "--app", "app.yaml", "Pod/web", "spec.container")
    assert said.splitlines()[0] == "Pod/web spec.container: not there (did you mean spec.containers?)"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("chart",), "image: 'web:1'"),
        (("chart", "--set", "image.tag=9"), "web:9"),
        (("chart", "-f", "../globals.yaml"), "key: env"),
        (("over", "--show-origin"), "# base/settings.yaml:2"),
        (("base", "-o", "json", "--show-origin"), '"origin": "base/settings.yaml:2"'),
    ],
)
def test_a_folder_is_rendered_without_any_application(run: Run, arguments: tuple[str, ...], expected: str) -> None:
    assert expected.replace("'", "") in run("render", *arguments).replace("'", "")


@pytest.mark.parametrize(
    ("name", "path", "lines"),
    [
        (
            "Pod/web",
            "spec.tolerations",
            [
                "Pod/web spec.tolerations: not there",
                (
                    "  values    $values/shared/agents.yaml:1  tolerations: `tolerations: []` in"
                    " $values/shared/agents.yaml:1 hides $values/globals.yaml:2, chart/values.yaml:4"
                ),
                "  template  chart/templates/web.yaml:6",
            ],
        ),
        (
            "Pod/web",
            "spec.containers[name=web].image",
            [
                "Pod/web spec.containers[name=web].image: web:7",
                "  values    chart/values.yaml:2  image.name: `name: web` in chart/values.yaml:2",
                (
                    "  values    spec.source.helm.parameters[image.tag]  image.tag: `tag: 7` in"
                    " spec.source.helm.parameters[image.tag] hides chart/values.yaml:3"
                ),
                "  template  chart/templates/web.yaml:10",
            ],
        ),
        (
            "/ConfigMap:/settings",
            "data.colour",
            [
                "ConfigMap/settings data.colour: red",
                "  patch  over/more.yaml:5",
                "  file   base/settings.yaml:5",
            ],
        ),
        (
            "configmap/settings",
            "data.size",
            ["ConfigMap/settings data.size: 1", "  file  base/settings.yaml:6"],
        ),
        (
            "Secret/keys",
            "stringData.password",
            [
                "Secret/keys stringData.password: (hidden)",
                "  values    chart/values.yaml:5  password: `password` in chart/values.yaml:5",
            ],
        ),
    ],
)
def test_blame_names_file_line_layer_and_patch(run: Run, name: str, path: str, lines: list[str]) -> None:
    printed = run("blame", "--app", "app.yaml", "--local", name, path).splitlines()
    assert set(lines) <= set(printed)
    assert printed[0] == lines[0]


def test_blame_says_which_fields_a_value_moves(run: Run) -> None:
    printed = run("blame", "--app", "app.yaml", "--local", "--value", "image").splitlines()
    assert [line.strip() for line in printed if line.startswith("  ")] == ["Pod/web  spec.containers[0].image"] * 2
    assert "`password` in chart/values.yaml:5" in run("blame", "--app", "app.yaml", "--local", "--value", "password")
    answer = json.loads(run("blame", "--app", "app.yaml", "--local", "--value", "tolerations", "-o", "json"))
    assert answer["values"][0]["hides"] == ["$values/globals.yaml:2", "chart/values.yaml:4"]
    assert answer["values"][0]["moves"][0]["path"] == "spec.tolerations"


def test_of_several_applications_those_that_cannot_be_had_are_told_and_the_rest_goes_on(
    run: Run, checkout: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    far = textwrap.dedent(APP).split("  sources:")[0].replace("shop", "far")
    gone = textwrap.dedent(APP).split("  sources:")[0].replace("shop", "gone")
    texts = [
        textwrap.dedent(APP),
        far + "  source: {repoURL: 'http://127.0.0.1:1/far', path: x}\n",
        gone + "  source: {repoURL: https://git.example/team/shop, path: gone}\n",
    ]
    (checkout.folder / "app.yaml").write_text("---\n".join(texts))
    with pytest.raises(SystemExit) as ended:
        main(["app", "manifests", "app.yaml", "-o", "json", "--allow-local", "127.0.0.1:1"])
    printed = capsys.readouterr()
    assert ended.value.code == 1
    assert {obj["kind"] for obj in json.loads(printed.out)} == {"Pod", "Secret", "ConfigMap"}
    lines = printed.err.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["far", "gone"]
    assert "read a local copy with --repo URL=PATH" in lines[0]
    assert "app path does not exist" in lines[1]


@pytest.mark.parametrize(
    ("path", "lines"),
    [
        ("metadata.name", ["namePrefix  spec.source.kustomize.namePrefix  x-", "file        base/settings.yaml:3"]),
        (
            "data.colour",
            [
                "patch  spec.source.kustomize.patches[0]  an inline patch",
                "patch  over/more.yaml:5",
                "file   base/settings.yaml:5",
            ],
        ),
    ],
)
def test_blame_names_settings_of_the_application(run: Run, checkout: Repository, path: str, lines: list[str]) -> None:
    patch = '{target: {kind: ConfigMap}, patch: "- op: replace\\n  path: /data/colour\\n  value: grey\\n"}'
    source = (
        f"{{repoURL: https://git.example/team/shop, path: over, kustomize: {{namePrefix: x-, patches: [{patch}]}}}}"
    )
    app = textwrap.dedent(APP).split("  sources:")[0] + f"  source: {source}\n"
    (checkout.folder / "app.yaml").write_text(app)
    printed = run("blame", "ConfigMap/x-settings", path, "--app", "app.yaml").splitlines()
    assert [line.strip() for line in printed[1:]] == lines


def test_a_value_that_only_renames_the_object_did_not_make_its_fields(run: Run, checkout: Repository) -> None:
    template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Values.name }}}\ndata: {x: {{ .Values.x }}}\n"
    checkout.commit({"chart/templates/named.yaml": template, "chart/values.yaml": "name: named\nx: why\n"})
    told = run("blame", "ConfigMap/named", "data.x", "--app", "app.yaml")
    assert "chart/values.yaml:2  x: `x: why`" in told
    assert "chart/values.yaml:1" not in told
    assert "chart/values.yaml:1  name: `name: named`" in run(
        "blame", "ConfigMap/named", "metadata.name", "--app", "app.yaml"
    )


def test_value_files_are_named_from_here_or_from_the_chart(run: Run, checkout: Repository) -> None:
    (checkout.folder / "here.yaml").write_text("image: {tag: '9'}\n")
    (checkout.folder / "chart/there.yaml").write_text("image: {tag: '9'}\n")
    for name in ("here.yaml", "there.yaml", "chart/there.yaml"):
        assert "image: web:9" in run("render", "chart", "-f", name)
    (checkout.folder.parent / "outside.yaml").write_text("image: {tag: '9'}\n")
    assert "is outside" in run("render", "chart", "-f", "../outside.yaml", code=2)


def test_a_folder_that_makes_nothing_says_so(
    run: Run, checkout: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout.folder / "empty").mkdir()
    with pytest.raises(SystemExit):
        main(["render", "empty"])
    assert capsys.readouterr().err == "empty has no objects (read subfolders with --recurse)\n"


def test_images_are_looked_up_when_asked_for(
    run: Run, checkout: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    with registry.serve() as running:
        running.put("team/web", "7", [("application/vnd.oci.image.layer.v1.tar+gzip", b"layer")])
        values = f"image: {{name: {running.place}/team/web}}\ntolerations: []\n"
        checkout.commit({"chart/values.yaml": values})
        run("app", "manifests", "app.yaml", "--check-images")
        assert running.requests == []
        asked = ("app", "manifests", "app.yaml", "--check-images", "--allow-local", running.place)
        assert "image: " in run(*asked)
        (checkout.folder / "app.yaml").write_text(textwrap.dedent(APP).replace('value: "7"', 'value: "8"'))
        told = run(*asked, code=1)
        assert told == f"chart/templates/web.yaml:2: {running.place} has no team/web:8\n"
        count = len(running.requests)
        run("app", "manifests", "app.yaml")
        assert len(running.requests) == count


@pytest.mark.parametrize(
    ("first", "second", "named"),
    [
        ("one", "two", "one/shop (base/settings.yaml:2) and two/shop (base/settings.yaml:2)"),
        ("one", "", "one/shop (base/settings.yaml:2) and shop (base/settings.yaml:2)"),
        (
            "one",
            "one",
            "one/shop of apps/1.yaml:1 (base/settings.yaml:2) and one/shop of apps/2.yaml:1 (base/settings.yaml:2)",
        ),
    ],
)
def test_applications_of_one_name_are_told_apart_where_they_share_objects(
    checkout: Repository, capsys: pytest.CaptureFixture[str], first: str, second: str, named: str
) -> None:
    (checkout.folder / "apps").mkdir()
    for file, namespace in (("1", first), ("2", second)):
        app = (
            textwrap.dedent(APP)
            .split("  sources:")[0]
            .replace("{name: shop}", f"{{name: shop, namespace: {namespace}}}")
        )
        source = "  source: {repoURL: https://git.example/team/shop, path: base}\n"
        (checkout.folder / "apps" / f"{file}.yaml").write_text(app + source)
    with pytest.raises(SystemExit) as ended:
        main(["app", "manifests", "apps"])
    assert ended.value.code == 0
    assert f"warning: ConfigMap/settings is part of applications {named}\n" in capsys.readouterr().err


@pytest.mark.parametrize(("folder", "release"), [("my_Chart", "my-chart"), ("_x_", "x"), ("a" * 60, "a" * 53)])
def test_a_folder_whose_name_is_no_release_name_is_rendered_under_one(
    run: Run, checkout: Repository, folder: str, release: str
) -> None:
    chart = checkout.folder / folder / "templates"
    chart.mkdir(parents=True)
    (chart.parent / "Chart.yaml").write_text("apiVersion: v2\nname: web\nversion: 1.0.0\n")
    (chart / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}'}\n")
    assert f"name: {release}\n" in run("render", folder)


def test_a_server_that_many_applications_name_is_asked_once(
    checkout: Repository, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout.folder / "apps").mkdir()
    with chart_server.serve(tmp_path) as server:
        for number in range(12):
            app = textwrap.dedent(APP).split("  sources:")[0].replace("{name: shop}", f"{{name: shop-{number}}}")
            sources = f"  sources:\n  - {{repoURL: '{server.url}/gone', path: a}}\n"
            sources += f"  - {{repoURL: '{server.url}/gone.git', path: b}}\n"
            (checkout.folder / "apps" / f"{number}.yaml").write_text(app + sources)
        with pytest.raises(SystemExit) as ended:
            main(["app", "manifests", "apps"])
    assert ended.value.code == 2
    told = capsys.readouterr().err.splitlines()
    assert sum(line.startswith("shop-") for line in told) == 12
    assert sum("info/refs" in request for request in server.requests) <= 4
