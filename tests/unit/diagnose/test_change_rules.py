"""What rules find in a change from one revision of a repository to another."""

from pathlib import Path

import pytest

from syncline.core.diagnose.engine import run
from syncline.core.diagnose.registry import checks
from syncline.core.diagnose.subjects import Change
from syncline.model.errors import Place
from syncline.model.finding import Finding, Severity
from tests.unit.diagnose.repos import repo

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: {replicas}
  selector:
    matchLabels: {{app: {label}}}
  template:
    metadata:
      labels: {{app: {label}}}
    spec:
      containers: [{{name: web, image: shop/web}}]
"""
CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
spec:
  accessModes: [ReadWriteOnce]
  resources:
    requests:
      storage: 20Gi
"""
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n"


def found(folder: Path, base: dict[str, str | None], head: dict[str, str | None]) -> tuple[Finding, ...]:
    return run(checks(Change), Change(repo(folder / "base", base), repo(folder / "head", head)))


def test_a_selector_that_changes_is_refused_before_the_merge_with_file_and_line(tmp_path: Path) -> None:
    before, after = (DEPLOYMENT.format(replicas=1, label=label) for label in ("web", "front"))
    (finding,) = found(tmp_path, {"web": before}, {"web": after})
    assert (finding.code, finding.severity, finding.subject) == ("OWN-007", Severity.ERROR, "Deployment/web")
    assert finding.message == "Deployment/web: spec.selector cannot change once the object exists"
    assert finding.evidence[0].place == Place(str(tmp_path / "head/web/all.yaml"), 7)


def test_a_field_that_may_change_is_fine(tmp_path: Path) -> None:
    before, after = (DEPLOYMENT.format(replicas=replicas, label="web") for replicas in (1, 2))
    assert found(tmp_path, {"web": before}, {"web": after}) == ()


def test_an_immutable_field_is_seen_when_the_object_moves_to_another_app(tmp_path: Path) -> None:
    before, after = (DEPLOYMENT.format(replicas=1, label=label) for label in ("web", "front"))
    assert [one.code for one in found(tmp_path, {"web": before}, {"front": after})] == ["OWN-007"]


def test_an_object_that_is_replaced_by_force_may_change(tmp_path: Path) -> None:
    before, after = (DEPLOYMENT.format(replicas=1, label=label) for label in ("web", "front"))
    option = "  name: web\n  annotations: {argocd.argoproj.io/sync-options: 'Force=true,Replace=true'}\n"
    assert found(tmp_path, {"web": before}, {"web": after.replace("  name: web\n", option, 1)}) == ()


def test_a_volume_claim_that_is_deleted_names_where_it_was(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, {"web": f"{CONFIG}---\n{CLAIM}"}, {"web": CONFIG})
    assert (finding.code, finding.subject) == ("OWN-002", "PersistentVolumeClaim/data")
    assert finding.message == (
        "PersistentVolumeClaim/data of argocd/web is no longer in Git; when it is pruned,"
        " the data of its volume may be lost"
    )
    assert finding.evidence[0].place == Place(str(tmp_path / "base/web/all.yaml"), 6)


@pytest.mark.parametrize(
    ("base", "head", "why"),
    [
        ({"web": CLAIM}, {"api": CLAIM}, "another app has it now"),
        ({"web": CLAIM.replace("data\n", "data\n  annotations: {argocd.argoproj.io/sync-options: Prune=false}\n")},
         {"web": CONFIG}, "it says that it must not be pruned"),
        ({"web": CLAIM}, {"web": None}, "what the head delivers is not known"),
        ({"web": f"{CLAIM}---\n{CONFIG}"}, {"web": CLAIM}, "a ConfigMap can be made again"),
    ],
)  # fmt: skip
def test_nothing_is_said_where_no_data_is_deleted(
    tmp_path: Path, base: dict[str, str | None], head: dict[str, str | None], why: str
) -> None:
    assert found(tmp_path, base, head) == (), why
