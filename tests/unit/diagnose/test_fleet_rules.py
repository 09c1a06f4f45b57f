"""What rules find in a fleet of running apps."""

from syncline.core.decide import decide
from syncline.core.diagnose.engine import run
from syncline.core.diagnose.registry import checks
from syncline.core.diagnose.subjects import App, Fleet
from syncline.model.application import Destination
from syncline.model.desired import DesiredObject
from syncline.model.errors import Place
from syncline.model.finding import Finding
from tests.support.objects import application_object, assessed, config_map, desired, origin


def app(name: str, file: str, *objects: str, server: str = "https://one.example") -> App:
    """Return an app that desires ConfigMaps of these names."""
    wanted = desired(*(DesiredObject(config_map(one), origin(file, 4)) for one in objects))
    assessment = assessed(
        application_object(name), wanted=wanted, destination=Destination(server=server, namespace="shop")
    )
    return App(assessment, decide(assessment, ()))


def found(*apps: App) -> tuple[Finding, ...]:
    return run(checks(Fleet), Fleet(apps=apps))


def test_an_object_that_two_apps_desire_names_both_with_file_and_line() -> None:
    (finding,) = found(app("common", "common/all.yaml", "spark", "trainer"), app("spark", "spark/all.yaml", "spark"))
    assert (finding.code, finding.subject) == ("OWN-001", "ConfigMap/spark")
    assert finding.message == (
        "ConfigMap/spark is delivered by 2 apps: argocd/common (common/all.yaml:4), argocd/spark (spark/all.yaml:4)"
    )
    assert [one.place for one in finding.evidence] == [Place("common/all.yaml", 4), Place("spark/all.yaml", 4)]


def test_the_order_of_the_apps_makes_no_difference() -> None:
    apps = [app(name, f"{name}.yaml", "a", "b") for name in ("one", "two", "three")]
    assert found(*apps) == found(*reversed(apps))


def test_an_object_that_many_apps_desire_names_some_and_has_all_as_evidence() -> None:
    (finding,) = found(*(app(f"app-{number}", f"{number}.yaml", "a") for number in range(5)))
    assert finding.message.endswith("argocd/app-2 (2.yaml:4), and 2 more")
    assert len(finding.evidence) == 5


def test_one_object_on_two_clusters_is_two_objects() -> None:
    assert found(app("one", "a.yaml", "a"), app("two", "b.yaml", "a", server="https://two.example")) == ()


def test_apps_that_share_nothing_are_fine() -> None:
    assert found(app("one", "a.yaml", "a"), app("two", "b.yaml", "b")) == ()
