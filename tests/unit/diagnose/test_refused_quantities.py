"""An amount that is not a quantity: `diagnose` names the field that the API server does not name."""

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model.desired import Desired, DesiredObject, Origin, Positions
from syncline.model.finding import Finding
from syncline.model.fleet import Rendered
from tests.support.sick_fleet import Fleet

_KEY = ObjectKey("apps", "Deployment", "shop", "web")
_PATH = "spec.template.spec.containers[0].resources.requests.cpu"
SAID = "unable to convert unstructured object: quantities must match the regular expression '^x$'"


def told(cpu: str, *, rendered: bool = True) -> Finding:
    fleet = Fleet()
    fleet.app("web")
    fleet.deploy("web", app="web")
    fleet.failed_sync("web", _KEY, SAID)
    if rendered:
        container = {"name": "main", "image": "x:1", "resources": {"requests": {"cpu": cpu}}}
        obj = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "shop"},
            "spec": {"template": {"spec": {"containers": [container]}}},
        }
        origin = Origin(file="web.yaml", line=1, positions=Positions((_PATH,), (18,)))
        app = ObjectKey("argoproj.io", "Application", "argocd", "web")
        desired = Desired((DesiredObject(obj, origin),), source_types=("Directory",))
        fleet.rendered.append(Rendered(app=app, desired=desired))
    [cause] = diagnose(fleet.snapshot()).causes
    return cause.finding


def test_the_field_its_line_and_the_right_form_are_named() -> None:
    finding = told("2cores")
    assert finding.code == "SRC-013"
    assert f'{_PATH} is "2cores", which is not a quantity; 2 must be meant' in finding.message
    assert finding.fix is not None
    assert [str(edit) for edit in finding.fix.edits] == ["web.yaml:18: 2cores → 2"]


def test_an_amount_that_could_be_anything_is_a_decision() -> None:
    finding = told("some")
    assert finding.fix is not None
    assert not finding.fix.edits
    assert "such as 500m or 2" in finding.fix.text


def test_without_the_source_the_words_of_the_server_are_all_there_is() -> None:
    finding = told("", rendered=False)
    assert finding.code == "SRC-013"
    assert "quantities must match" in finding.message
