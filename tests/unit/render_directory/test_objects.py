"""What a file turns into: objects with places, warnings, or one error that names every broken file."""

from typing import Any

import pytest

from syncline.apimachinery import meta
from syncline.model.desired import DesiredObject, Origin, Positions
from syncline.model.errors import Place, RenderError
from tests.unit.render_directory.folders import SHA, config_map, names, render

MAP = config_map("a")
DEPLOYMENT = """\
# the web
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations:
    a.b/c: "1"
spec:
  template:
    spec:
      containers:
        - name: web
          image: web:1
"""


async def test_every_field_knows_its_line() -> None:
    desired = await render({"app/web.yaml": "---\n" + DEPLOYMENT})
    (item,) = desired.objects
    assert item.obj["metadata"] == {"name": "web", "annotations": {"a.b/c": "1"}}
    lines = dict(zip(item.origin.positions.paths, item.origin.positions.lines, strict=True))
    assert lines == {
        "apiVersion": 3,
        "kind": 4,
        "metadata": 5,
        "metadata.name": 6,
        "metadata.annotations": 7,
        'metadata.annotations["a.b/c"]': 8,
        "spec": 9,
        "spec.template": 10,
        "spec.template.spec": 11,
        "spec.template.spec.containers": 12,
        "spec.template.spec.containers[0]": 13,
        "spec.template.spec.containers[0].name": 13,
        "spec.template.spec.containers[0].image": 14,
    }
    assert item.origin.place("spec.template.spec.containers[0].image") == Place("app/web.yaml", 14)
    assert item.origin.place() == Place("app/web.yaml", 3)
    assert (item.origin.repo_url, item.origin.revision) == ("https://git.example/shop.git", SHA)
    assert (desired.revisions, desired.source_types, desired.files) == ((SHA,), ("Directory",), ("app/web.yaml",))


async def test_documents_of_a_file_are_objects_of_their_own() -> None:
    text = f"# first\n---\n{config_map('a')}---\n---\n# nothing\n---\n{config_map('b')}"
    desired = await render({"app/a.yaml": text})
    assert [(item.key.name, item.origin.line) for item in desired.objects] == [("a", 3), ("b", 11)]


LIST = """\
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: ConfigMap
    metadata:
      name: a
  - apiVersion: v1
    kind: ConfigMapList
    items:
      - apiVersion: v1
        kind: ConfigMap
        metadata: {name: b}
  - apiVersion: v1
    kind: List
    items: null
"""


async def test_lists_are_opened_and_their_items_keep_their_lines() -> None:
    desired = await render({"app/a.yaml": LIST})
    paths = ("apiVersion", "kind", "metadata", "metadata.name")
    origin = Origin("https://git.example/shop.git", SHA, "app/a.yaml")
    bodies = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}} for name in "ab"]
    assert desired.objects == (
        DesiredObject(bodies[0], _at(origin, 4, Positions(paths, (4, 5, 6, 7)))),
        DesiredObject(bodies[1], _at(origin, 11, Positions(paths, (11, 12, 13, 13)))),
    )


def _at(origin: Origin, line: int, positions: Positions) -> Origin:
    return Origin(origin.repo_url, origin.revision, origin.file, line, positions)


async def test_an_object_may_ask_for_a_generated_name() -> None:
    text = "apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: run-}\n"
    assert len((await render({"app/a.yaml": text})).objects) == 1


async def test_a_file_may_ask_not_to_be_rendered() -> None:
    files = {"app/a.yaml": "# +argocd:skip-file-rendering\n{ broken apiVersion: kind: metadata:", "app/b.yaml": ""}
    desired = await render({**files, "app/c.yaml": config_map("c")})
    assert (names(desired), desired.warnings) == (["c"], ())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("replicas: 2\nimage: web\n", "it has no kind"),
        ("- a\n- b\n", "it has no kind"),
        ("just words\n", "it has no kind"),
        ("a: {{ .Values.x }}\nb: [\n", "line "),
        ("on: push\njobs: {}\n", "it has no kind"),
    ],
)
async def test_files_that_are_no_manifests_are_left_out_with_a_warning(text: str, reason: str) -> None:
    desired = await render({"app/a.yaml": config_map("a"), "app/values.yaml": text})
    assert (names(desired), desired.files) == (["a"], ("app/a.yaml",))
    (warning,) = desired.warnings
    assert warning.startswith(f"app/values.yaml is skipped: it is not a Kubernetes manifest ({reason}")


@pytest.mark.parametrize(
    ("file", "text", "sentence"),
    [
        (
            "a.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: [\n",
            'app/a.yaml:6:1: Failed to unmarshal "a.yaml": ',
        ),
        ("a.json", '{"kind": "Pod"', "app/a.json:1:"),
        ("a.json", "{}\n{}", "app/a.json:2:"),
        ("a.json", "kind: Pod", "app/a.json:1:"),
        ("a.yaml", "-> ../../etc/passwd", "app/a.yaml: out of bounds symlink: app/a.yaml"),
    ],
)
async def test_what_is_wrong_with_a_file_is_said_with_its_line(file: str, text: str, sentence: str) -> None:
    with pytest.raises(RenderError) as caught:
        await render({f"app/{file}": text, "app/good.yaml": config_map("good")})
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


async def test_all_broken_files_are_reported_together() -> None:
    broken = "apiVersion: v1\nkind: Pod\nmetadata: {]\n"
    with pytest.raises(RenderError) as caught:
        await render({f"app/{name}.yaml": broken for name in "abc"} | {"app/good.yaml": config_map("good")})
    assert str(caught.value).startswith('app/a.yaml:3:12: Failed to unmarshal "a.yaml": ')
    assert str(caught.value).endswith(" (2 more files are broken: app/b.yaml:3:12, app/c.yaml:3:12)")


async def test_an_object_without_a_usable_name_does_not_keep_the_others_back() -> None:
    unnamed = "apiVersion: v1\nkind: Pod\nmetadata: {NAME}\n"
    texts = ("", "name: 12", "labels: {}", "name: a, namespace: yes")
    files = {f"app/{number}.yaml": unnamed.replace("NAME", text) for number, text in enumerate(texts)}
    desired = await render({**files, "app/good.yaml": config_map("good")})
    assert [item.obj["kind"] for item in desired.objects] == ["Pod"] * 4 + ["ConfigMap"]


@pytest.mark.parametrize(
    ("file", "text", "line", "lacks"),
    [
        ("a.yaml", "kind: ConfigMap\nmetadata:\n  name: a\n", 1, "apiVersion"),
        ("a.yaml", "apiVersion: v1\nkind:\nmetadata:\n  name: a\n", 1, "kind"),
        ("a.yaml", "apiVersion: v1\nkind: 12\nmetadata:\n  name: a\n", 1, "kind"),
        ("a.yaml", config_map("a") + "---\nreplicas: 2\n", 6, "apiVersion and kind"),
        ("a.yaml", config_map("a") + "---\n- just\n- words\n", 6, "apiVersion and kind"),
        ("a.yaml", "apiVersion: v1\nkind: List\nitems:\n- x\n", 4, "apiVersion and kind"),
        ("a.json", "[]", 1, "apiVersion and kind"),
    ],
)
async def test_what_is_no_object_does_not_keep_the_others_back_and_is_told(
    file: str, text: str, line: int, lacks: str
) -> None:
    desired = await render({f"app/{file}": text, "app/good.yaml": config_map("good")})
    assert "good" in names(desired)
    (odd,) = [item for item in desired.objects if meta.untyped(item.obj)]
    assert odd.origin.place().line == line
    assert f"app/{file}:{line}: this is not a Kubernetes object: it has no {lacks}" in desired.warnings


async def test_of_a_key_that_is_given_twice_the_last_one_counts_and_both_lines_are_told() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: one\n  b: two\n  a: three\n"
    desired = await render({"app/a.yaml": text, "app/good.yaml": config_map("good")})
    assert desired.objects[0].obj["data"] == {"a": "three", "b": "two"}
    told = 'app/a.yaml:7: key "a" is given twice: first on line 5, again here; the last one counts'
    assert desired.manifest_warnings == (told,)
    assert told in desired.warnings
    assert desired.objects[0].origin.place("data.a").line == 7
    assert desired.objects[0].origin.place("data.b").line == 6


async def test_the_size_limit_is_named() -> None:
    files = {f"app/{name}.yaml": config_map(name) + "#" * 500_000 for name in "ab"}
    assert names(await render(files, max_bytes=2_000_000)) == ["a", "b"]
    with pytest.raises(RenderError) as caught:
        await render({**files, "app/ignored.txt": "x" * 9_000_000}, max_bytes=1_000_000)
    size = sum(len(text) for text in files.values())
    assert str(caught.value) == (
        f"exceeded max combined manifest file size: {size} bytes in 2 files "
        "(1M are allowed: split the application or exclude files)"
    )


async def test_equal_objects_have_equal_digests_wherever_they_stand() -> None:
    first = await render({"app/a.yaml": config_map("a")})
    moved = await render({"app/z.yaml": "# moved\n\nkind: ConfigMap\nmetadata: {name: a}\napiVersion: v1\n"})
    other = await render({"app/a.yaml": config_map("b")})
    assert first.digest == moved.digest
    assert first.digest != other.digest


@pytest.mark.parametrize(
    ("files", "directory", "why"),
    [
        ({"app/below/a.yaml": MAP}, {}, "its manifests are in folders below it, which are read with spec.source"),
        ({"app/a.yaml": MAP}, {"exclude": "*"}, "spec.source.directory.include and exclude leave out all of its"),
        ({"app/a.yaml": MAP}, {"include": "b*"}, "spec.source.directory.include and exclude leave out all of its"),
        ({"app/notes.txt": "hello"}, {}, "it has no files that end in .yaml, .yml, .json, .jsonnet"),
        ({"app/values.yaml": "a: b\n"}, {}, "none of the 1 files that were read holds one"),
    ],
)
async def test_a_folder_that_makes_no_objects_says_why(
    files: dict[str, str], directory: dict[str, Any], why: str
) -> None:
    (told,) = (await render(files, directory=directory)).manifest_warnings
    assert told.startswith(f"app makes no objects: {why}")


@pytest.mark.parametrize("fields", ["spec:\n  entries: []\n", "spec: {}\nitems: []\n", "items: many\n"])
async def test_a_custom_kind_that_ends_in_list_is_an_object(fields: str) -> None:
    text = f"apiVersion: example.io/v1\nkind: AllowList\nmetadata:\n  name: a\n{fields}"
    assert names(await render({"app/a.yaml": text})) == ["a"]
