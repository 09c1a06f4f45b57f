"""From symptoms to causes: one store that is not ready holds up many apps, and is named once."""

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model.desired import Desired, DesiredObject, Origin, Positions
from syncline.model.diagnosis import Diagnosis
from syncline.model.fleet import Rendered
from tests.support.sick_fleet import HOURS_AGO, Fleet, condition, made

GROUP = "external-secrets.io"


def codes(found: Diagnosis) -> list[tuple[str, str]]:
    return [(cause.finding.code, str(cause.thing)) for cause in found.causes]


def with_store(apps: int) -> Fleet:
    """Return a fleet in which every app needs a Secret that an ExternalSecret of one store makes."""
    fleet = Fleet()
    store = made(
        f"{GROUP}/v1",
        "ClusterSecretStore",
        "",
        "vault",
        spec={"provider": {"vault": {"server": "http://vault.vault.svc.cluster.local:8200"}}},
        status={"conditions": [condition("Ready", "True", "Valid")]},
    )
    fleet.app("secrets")
    fleet.add(store, "secrets")
    fleet.namespace("shop")
    for number in range(apps):
        name = f"web-{number}"
        fleet.app(name)
        fleet.deploy(name, app=name)
        for spec in fleet.change(name):
            spec["containers"][0]["env"] = [
                {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": f"{name}-login", "key": "password"}}}
            ]
        fleet.add(
            made(
                f"{GROUP}/v1",
                "ExternalSecret",
                "shop",
                f"{name}-login",
                spec={
                    "secretStoreRef": {"kind": "ClusterSecretStore", "name": "vault"},
                    "target": {"name": f"{name}-login"},
                },
                status={"conditions": [condition("Ready", "True", "SecretSynced")]},
            ),
            name,
        )
    return fleet


def break_store(fleet: Fleet) -> None:
    store = fleet.get("ClusterSecretStore", "vault", "", GROUP)
    said = "unable to create client: lookup vault.vault.svc.cluster.local: no such host"
    store["status"]["conditions"] = [condition("Ready", "False", "InvalidProviderConfig", said)]
    for key, obj in fleet.objects.items():
        if key.kind == "ExternalSecret":
            obj["status"]["conditions"] = [
                condition("Ready", "False", "SecretSyncedError", "could not get secret data from provider")
            ]
    for name in fleet.managed:
        if name != "secrets":
            fleet.waits(name, "CreateContainerConfigError", f'secret "{name}-login" not found')


def test_a_healthy_fleet_has_no_causes() -> None:
    found = diagnose(with_store(5).snapshot())
    assert (found.total, found.good, found.causes, found.unexplained) == (6, 6, (), ())


def test_one_store_is_the_cause_of_all_apps_that_need_it() -> None:
    fleet = with_store(5)
    break_store(fleet)
    found = diagnose(fleet.snapshot())
    [cause] = found.causes
    assert cause.finding.code == "SEC-003"
    assert cause.finding.message == 'ClusterSecretStore/vault: namespace "vault" of its provider does not exist'
    assert cause.finding.since == HOURS_AGO
    assert len(cause.affected) == 6
    assert [(link.count, link.kind, link.state) for link in cause.chain] == [
        (5, "ExternalSecret", "SecretSyncedError"),
        (5, "Secret", "absent"),
        (10, "Pod", "CreateContainerConfigError"),
        (5, "Deployment", "ProgressDeadlineExceeded"),
        (6, "Application", "Degraded"),
    ]
    assert [(one.cause, one.good_after) for one in found.repairs] == [(cause.id, 6)]
    assert found.unexplained == ()
    assert any("unsealed" in text for text in cause.assumptions)


def test_each_app_says_in_one_sentence_how_its_first_cause_shows_there() -> None:
    fleet = with_store(2)
    break_store(fleet)
    assert diagnose(fleet.snapshot()).ways == {"argocd/secrets": "held up by ClusterSecretStore/vault"} | {
        f"argocd/web-{number}": f"Deployment/web-{number} waits for Secret/web-{number}-login, "
        "because of ClusterSecretStore/vault"
        for number in range(2)
    }


def test_a_cause_keeps_its_id_while_it_spreads() -> None:
    few, many = with_store(2), with_store(7)
    break_store(few)
    break_store(many)
    assert diagnose(few.snapshot()).causes[0].id == diagnose(many.snapshot()).causes[0].id


def test_a_secret_that_nobody_makes_is_a_cause_of_its_own() -> None:
    fleet = with_store(4)
    break_store(fleet)
    fleet.drop("ExternalSecret", "web-2-login", "shop", GROUP)
    found = diagnose(fleet.snapshot())
    assert codes(found) == [("SEC-003", "ClusterSecretStore/vault"), ("SEC-004", "Secret/web-2-login in shop")]
    assert [cause.affected for cause in found.causes][1] == ("argocd/web-2",)
    assert [one.good_after for one in found.repairs] == [4, 5]


def rendered(fleet: Fleet, kind: str) -> None:
    """Let Git have the Deployment of `web`, applied as it stands or made by a chart."""
    path = "spec.template.spec.nodeSelector.pool"
    origin = Origin(file="apps/web/deploy.yaml", line=1, positions=Positions((path,), (14,)))
    item = DesiredObject(fleet.get("Deployment", "web", group="apps"), origin)
    app = ObjectKey("argoproj.io", "Application", "argocd", "web")
    fleet.rendered.append(Rendered(app=app, desired=Desired((item,), source_types=(kind,))))


def misplaced() -> Fleet:
    fleet = Fleet()
    fleet.app("web")
    fleet.deploy("web", app="web")
    for spec in fleet.change("web"):
        spec["nodeSelector"] = {"pool": "genral"}
    fleet.unscheduled("web", "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.")
    return fleet


def test_an_edit_is_offered_where_the_line_is_certain_and_the_right_value_follows_from_the_cluster() -> None:
    fleet = misplaced()
    rendered(fleet, "Directory")
    [cause] = diagnose(fleet.snapshot()).causes
    assert cause.finding.fix is not None
    assert [str(edit) for edit in cause.finding.fix.edits] == ["apps/web/deploy.yaml:14: genral → general"]


def test_of_a_chart_the_field_is_named_with_the_command_that_finds_its_line() -> None:
    fleet = misplaced()
    rendered(fleet, "Helm")
    [cause] = diagnose(fleet.snapshot()).causes
    assert cause.finding.fix is not None
    assert cause.finding.fix.edits == ()
    assert "syncline blame Deployment/web 'spec.template.spec.nodeSelector.pool' --app web" in cause.finding.fix.text
