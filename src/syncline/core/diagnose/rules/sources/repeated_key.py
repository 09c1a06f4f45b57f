"""Keys that a file gives twice."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from syncline.apimachinery import yaml
from syncline.core.diagnose.repository.charts import keys
from syncline.core.diagnose.repository.rendered import repo_apps
from syncline.core.diagnose.repository.values import value_files
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.model.errors import Place
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="SRC-107",
    name="repeated-key",
    severity=Severity.WARNING,
    summary="A manifest or values file gives a key twice.",
    fix="keep one of the two",
    looks_at=(LooksAt.FILES,),
    why="The last one counts, and everything below the first is dropped without a message: often a block that was "
    "added at the end of a long file which had it already.",
)
_TOLD = re.compile(r'(?P<file>[^:]+):(?P<line>\d+): (?P<what>key ".*" is given twice: first on line \d+), again here')


@RULE.on_each(Repo, repo_apps)
def check(repo: Repo, app: RepoApp) -> Iterator[Finding]:
    """Yield a finding per key: of the manifests of an app, as whoever rendered them was told, and of its values."""
    for warning in app.desired.manifest_warnings if app.desired is not None else ():
        if told := _TOLD.match(warning):
            yield _finding(told["file"], int(told["line"]), told["what"])
    for name in value_files(app.manifest.obj):
        for line, message in _repeated(repo.files.get(name, b"")):
            yield _finding(name, line, message)


@functools.lru_cache(maxsize=1024)
def _repeated(content: bytes) -> tuple[tuple[int, str], ...]:
    """Return the keys that values give twice; only where their lines look like it, they are read as YAML."""
    paths = [path for path, _ in keys(content)]
    if len(set(paths)) == len(paths):
        return ()
    repeated: list[yaml.YamlError] = []
    try:
        yaml.load_documents(content, repeated=repeated)
    except yaml.YamlError:
        return ()
    return tuple((one.line, one.message.removesuffix(", again here")) for one in repeated)


def _finding(file: str, line: int, what: str) -> Finding:
    evidence = [Evidence(kind=EvidenceKind.FILE, text=what, place=Place(file, line))]
    return RULE.finding(file, f"{file}: {what}, so that one has no effect", evidence=evidence, fix=RULE.usual_fix)
