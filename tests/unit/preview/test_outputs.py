"""How a preview is shown: rows that are the same are joined, and a comment is never longer than it may be."""

from __future__ import annotations

from syncline.cli.show.previewing.markdown import MAX_BYTES, comment
from syncline.cli.show.previewing.rows import rows
from syncline.cli.show.previewing.text import screen
from tests.support.previews import app, objects, previewed

CONFIG = "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {}}}, data: {{x: '{}'}}}}"
CLAIM = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {}}"


def test_a_comment_fits_and_has_the_dangers_first() -> None:
    before = [app(f"app-{n}", objects(CONFIG.format(f"c{n}", "a" * 50))) for n in range(1500)]
    after = [app(f"app-{n}", objects(CONFIG.format(f"c{n}", f"{n}-" + "b" * 50))) for n in range(1500)]
    found = previewed([*before, app("data", objects(CLAIM))], [*after, app("data", [])])
    text = comment(found)
    assert len(text.encode()) <= MAX_BYTES
    assert "1,501 apps: 1501 change" in text
    assert text.index("DANGER") < text.index("changes by field")
    assert "1301 more" in text


def test_what_changes_alike_in_many_apps_is_one_row() -> None:
    before = [app(name, objects(CONFIG.format("c", "old"))) for name in ("dev", "prod")]
    after = [app(name, objects(CONFIG.format("c", "new"))) for name in ("dev", "prod")]
    (row,) = rows(previewed(before, after))
    assert (row.app_words, row.object_words, row.path, row.before, row.after) == (
        "2 apps",
        "ConfigMap/c",
        "data.x",
        "old",
        "new",
    )


def test_apps_that_could_not_be_rendered_stand_in_the_first_line() -> None:
    unknown = app("far", None)
    shown = screen(previewed([unknown], [unknown]), 1.0)
    assert shown.splitlines()[0] == (
        "1 app: 0 change, 0 new, 0 deleted, 0 proven equal, 1 could not be rendered · 1.0 s"
    )
