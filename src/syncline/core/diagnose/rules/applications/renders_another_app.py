"""An app that renders the folder of another app too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from syncline.core.diagnose.repository.pointing import at, line_of
from syncline.core.diagnose.repository.rendered import sources_with_paths
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Evidence, Finding, Fix, Severity

RULE = Rule(
    code="APP-004",
    name="renders-another-app",
    severity=Severity.ERROR,
    summary="An app renders another app's folder in addition to its own.",
    fix="remove the folder from what the app renders, or delete the other app",
    looks_at=(LooksAt.FILES, LooksAt.RENDERED),
    why="Both apps own the same objects; shared-object lists them. The cause is one line: a base of several components "
    "lists the folder of another app, so every app that renders the base delivers that app too, in a different order "
    "and with different options. The finding names that line.",
    bad="""\
# apps/common/kustomization.yaml
resources: [../spark, ../trainer]
---
# apps/spark-app/kustomization.yaml
resources: [../spark]
""",
    good="""\
# apps/common/kustomization.yaml
resources: [../trainer]
---
# apps/spark-app/kustomization.yaml
resources: [../spark]
""",
)
_MOST = 0.5


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per app and other app whose folder it renders."""
    by_folder: dict[str, list[Delivery]] = defaultdict(list)
    for one in repo.world.deliveries:
        if folder := _folder(one):
            by_folder[folder].append(one)
    for outer in repo.world.deliveries:
        for folder in sorted(_read_in(outer).difference(_folders(outer)) & by_folder.keys()):
            for inner in by_folder[folder]:
                if outer is not inner and _together(outer, inner) and _contains(outer, inner):
                    yield _finding(repo, outer, inner, folder)


def _contains(outer: Delivery, inner: Delivery) -> bool:
    """Whether most objects of an app are among those of another, which has more."""
    mine, theirs = ({item.key for item in one.prepared.objects} for one in (inner, outer))
    return bool(mine) and len(mine & theirs) > _MOST * len(mine) and not theirs <= mine


def _finding(repo: Repo, outer: Delivery, inner: Delivery, folder: str) -> Finding:
    shared = {one.key for one in outer.prepared.objects} & {one.key for one in inner.prepared.objects}
    lines = _listed_at(repo, outer, folder)
    where = f", listed at {lines[0].place}" if lines else ""
    return RULE.finding(
        str(outer),
        f"{outer} renders {folder} of {inner} too{where}: {len(shared)} of its {len(inner.prepared.objects)} objects",
        evidence=[
            *lines,
            at(outer.app.manifest, "spec.source.path", str(outer)),
            at(inner.app.manifest, "spec.source.path", str(inner)),
        ],
        fix=Fix(text=f"remove {folder} from what {outer} renders, or delete {inner}"),
    )


def _listed_at(repo: Repo, outer: Delivery, folder: str) -> list[Evidence]:
    """Return the line of the kustomization that brings the folder into an app."""
    lists = repo.kustomizations
    waiting, seen = [one for one in _folders(outer) if one in lists], set()
    while waiting:
        here = waiting.pop()
        seen.add(here)
        for name in lists[here]:
            if name == folder or name.startswith(f"{folder}/"):
                texts = {file: repo.files[file] for file in repo.files if _is_kustomization(file, here)}
                return line_of(texts, folder.rpartition("/")[2], subject=folder)
            if name in lists and name not in seen:
                waiting.append(name)
    return []


def _is_kustomization(file: str, folder: str) -> bool:
    above, _, name = file.rpartition("/")
    return above == folder and name.lower().startswith("kustomization")


def _together(one: Delivery, other: Delivery) -> bool:
    return one.cluster == other.cluster and bool(set(one.app.roots or ("",)) & set(other.app.roots or ("",)))


def _read_in(delivery: Delivery) -> set[str]:
    """Return the folders, all the way up, of the files that an app is rendered from."""
    desired = delivery.app.desired
    if desired is None:
        return set()
    made = {item.origin.file for item in desired.objects}
    found: set[str] = set()
    for name in {*desired.files, *made, *(entry.path for entry in desired.inputs if not entry.ref)}:
        folder = name.rpartition("/")[0]
        while folder and folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def _folders(delivery: Delivery) -> list[str]:
    found = (str(source.get("path") or "") for _, source in sources_with_paths(delivery.app.manifest.obj))
    return [path.strip("/").removeprefix("./").removesuffix("/.") for path in found]


def _folder(delivery: Delivery) -> str:
    """Return the folder of an app that has just one."""
    found = _folders(delivery)
    return found[0] if len(found) == 1 and found[0] != "." else ""
