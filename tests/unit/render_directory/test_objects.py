"""What a file turns into: objects with places, warnings, or one error that names every broken file."""

import pytest

from syncline.model.desired import DesiredObject, Origin, Positions
from syncline.model.errors import Place, RenderError
from tests.unit.render_directory.folders import SHA, config_map, names, render

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
        ("a.yaml", "kind: ConfigMap\nmetadata:\n  name: a\n", "app/a.yaml:1: this object has no apiVersion"),
        ("a.yaml", "apiVersion: v1\nkind:\nmetadata:\n  name: a\n", "app/a.yaml:2: this object has no kind"),
        ("a.yaml", "apiVersion: v1\nkind: Config\n", "app/a.yaml:1: this Config has no metadata with a name"),
        (
            "a.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {}\n",
            "app/a.yaml:3: this Pod has neither metadata.name nor metadata.generateName",
        ),
        (
            "a.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: 12\n",
            "app/a.yaml:4: metadata.name of this Pod is not a string: quote it",
        ),
        (
            "a.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  namespace: yes\n",
            "app/a.yaml:5: metadata.namespace of this Pod is not a string: quote it",
        ),
        (
            "a.yaml",
            config_map("a") + "---\nreplicas: 2\n",
            "app/a.yaml:6: this document is not a Kubernetes object: it has no kind",
        ),
        (
            "a.yaml",
            "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {}\n",
            "app/a.yaml:6: this Pod has neither metadata.name nor metadata.generateName",
        ),
        ("a.yaml", "apiVersion: v1\nkind: List\nitems: [x]\n", "app/a.yaml:3: an item of this List is not an object"),
        ("a.yaml", "apiVersion: v1\nkind: List\nitems: x\n", "app/a.yaml:3: items of this List is not a list"),
        ("a.json", '{"kind": "Pod"', "app/a.json:1:"),
        ("a.json", "{}\n{}", "app/a.json:2:"),
        ("a.json", "kind: Pod", "app/a.json:1:"),
        ("a.json", "[]", "app/a.json:1: this document is not a Kubernetes object"),
        ("a.yaml", "-> ../../etc/passwd", "app/a.yaml: out of bounds symlink: app/a.yaml"),
    ],
)
async def test_what_is_wrong_with_a_file_is_said_with_its_line(file: str, text: str, sentence: str) -> None:
    with pytest.raises(RenderError) as caught:
        await render({f"app/{file}": text, "app/good.yaml": config_map("good")})
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


async def test_all_broken_files_are_reported_together() -> None:
    broken = "apiVersion: v1\nkind: Pod\nmetadata: {}\n"
    with pytest.raises(RenderError) as caught:
        await render({f"app/{name}.yaml": broken for name in "abc"} | {"app/good.yaml": config_map("good")})
    assert str(caught.value) == (
        "app/a.yaml:3: this Pod has neither metadata.name nor metadata.generateName "
        "(2 more files are broken: app/b.yaml:3, app/c.yaml:3)"
    )


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
