"""What `why` learns from the graph: causes outside of an app, and what of the app follows from them."""

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose import registry
from syncline.core.diagnose.graph.upstream import Search, Upstream, worth_telling
from syncline.core.diagnose.rule import Tells
from syncline.core.diagnose.rules.live import not_healthy
from syncline.core.diagnose.subjects import App
from tests.support.planted import image_tag, missing_secret, out_of_memory
from tests.support.sick_fleet import Fleet, condition, made

ES = "external-secrets.io"
KNOWN = {check.rule.code: check.rule.tells for check in registry.checks(App)}


def fleet_of(*apps: str) -> Fleet:
    fleet = Fleet()
    for app in apps:
        fleet.app(app)
        fleet.deploy(app, app=app)
    return fleet


def behind(fleet: Fleet, app: str) -> tuple[Upstream, ...]:
    own = [key for key in fleet.managed[app] if key in fleet.objects]
    return Search(fleet.snapshot(), ObjectKey("argoproj.io", "Application", "argocd", app), own).causes()


def told(fleet: Fleet, app: str) -> list[tuple[str, str]]:
    return [
        (one.finding.code, one.finding.subject)
        for one in worth_telling(f"Application/{app}", behind(fleet, app), [], KNOWN)
    ]


def broken_store(fleet: Fleet, app: str) -> None:
    """Give a store that cannot log in to one app, and an ExternalSecret that reads from it to the app web."""
    failing = {"conditions": [condition("Ready", "False", "InvalidProviderConfig", "Code: 403. permission denied")]}
    provider = {"vault": {"server": "https://vault.example.com"}}
    fleet.add(made(f"{ES}/v1", "ClusterSecretStore", "", "vault", spec={"provider": provider}, status=failing), app)
    spec = {"secretStoreRef": {"kind": "ClusterSecretStore", "name": "vault"}, "target": {"name": "web-login"}}
    said = {"conditions": [condition("Ready", "False", "SecretSyncedError", "could not get secret data")]}
    fleet.add(made(f"{ES}/v1", "ExternalSecret", "shop", "web-login", spec=spec, status=said), "web")


def test_a_store_of_another_app_is_the_cause_and_what_reads_from_it_follows() -> None:
    fleet = fleet_of("web", "stores")
    broken_store(fleet, "stores")
    missing_secret(fleet, "web")
    assert told(fleet, "web") == [("SEC-003", "ClusterSecretStore/vault")]
    (store,) = (one for one in behind(fleet, "web") if one.finding.code == "SEC-003")
    assert store.outside
    assert store.explains("Application/web", ["ExternalSecret/web-login"], not_healthy.RULE.code, Tells.STATE)
    assert store.explains("Application/web", ["Deployment/web"], "SEC-004", Tells.CAUSE)
    assert not store.explains("Application/web", ["Service/web"], "LIV-104", Tells.DRIFT)


def test_what_only_the_graph_knows_of_an_object_of_the_app_is_told() -> None:
    fleet = fleet_of("web")
    broken_store(fleet, "web")
    assert told(fleet, "web") == [("SEC-003", "ClusterSecretStore/vault")]
    assert not behind(fleet, "web")[0].outside


def test_what_the_rules_on_apps_tell_themselves_is_left_to_them() -> None:
    for plant in (out_of_memory, image_tag, missing_secret):
        fleet = fleet_of("web", "api")
        plant(fleet, "web")
        assert told(fleet, "web") == [], plant.__name__
        assert told(fleet, "api") == [], plant.__name__


def test_an_app_of_apps_is_told_what_is_wrong_below_its_children() -> None:
    fleet = fleet_of("web")
    fleet.app("root")
    fleet.managed["root"].append(ObjectKey("argoproj.io", "Application", "argocd", "web"))
    out_of_memory(fleet, "web")
    assert told(fleet, "root") == [("WKL-009", "Deployment/web in shop")]


def test_nothing_is_behind_an_app_that_is_well() -> None:
    fleet = fleet_of("web", "stores")
    assert behind(fleet, "web") == ()


def test_an_object_of_the_same_name_elsewhere_is_not_taken_for_one_of_the_app() -> None:
    fleet = fleet_of("web")
    fleet.app("root")
    fleet.managed["root"] += [
        ObjectKey("argoproj.io", "Application", "argocd", "web"),
        ObjectKey("apps", "Deployment", "other", "web"),
    ]
    fleet.deploy("web", namespace="other")
    out_of_memory(fleet, "web")
    (cause,) = behind(fleet, "root")
    assert cause.explains("Application/root", ["Application/web"], "LIV-106", Tells.STATE)
    assert not cause.explains("Application/root", ["Deployment/web"], "WKL-009", Tells.CAUSE)
