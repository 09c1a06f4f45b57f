"""What one incident with 200 apps taught: effects that looked like causes, and causes that are one, not many."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.diagnose.findings.wording import counted
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.core.diagnose.graph.repairs import promised
from syncline.model.diagnosis import Diagnosis, RootCause
from tests.support.planted import image_tag, out_of_memory, selector
from tests.support.sick_fleet import JUST_NOW, Fleet, condition, made

ES = "external-secrets.io"
APPS = ("web", "api", "db")


def fleet_of(*apps: str) -> Fleet:
    fleet = Fleet()
    for app in apps or APPS:
        fleet.app(app)
        fleet.deploy(app, app=app)
    return fleet


def app(fleet: Fleet, name: str) -> Object:
    return fleet.get("Application", name, "argocd", "argoproj.io")


def named(found: Diagnosis) -> list[tuple[str, str]]:
    return sorted((cause.finding.code, str(cause.thing)) for cause in found.causes)


def only(found: Diagnosis) -> RootCause:
    [cause] = found.causes
    assert found.unexplained == ()
    return cause


def command(cause: RootCause) -> str:
    assert cause.finding.fix is not None
    return cause.finding.fix.command


# A sync that failed because an object it applied is not healthy.


def external_secret(fleet: Fleet, owner: str, *, ready: bool) -> ObjectKey:
    status = condition("Ready", str(ready), "SecretSyncedError", "could not get secret data from provider")
    spec = {"secretStoreRef": {"kind": "SecretStore", "name": "vault"}, "target": {"name": f"{owner}-login"}}
    key = ObjectKey(ES, "ExternalSecret", "shop", f"{owner}-login")
    fleet.add(made(f"{ES}/v1", key.kind, "shop", key.name, spec=spec, status={"conditions": [status]}), owner)
    return key


def store(fleet: Fleet, *, ready: bool) -> Object:
    found = condition("Ready", str(ready), "InvalidProviderConfig", "unable to create client")
    spec = {"provider": {"vault": {"server": "http://vault.shop.svc:8200"}}}
    return fleet.add(made(f"{ES}/v1", "SecretStore", "shop", "vault", spec=spec, status={"conditions": [found]}), "db")


def failed_by_health(fleet: Fleet, owner: str, key: ObjectKey, **row: str) -> None:
    """Make the last sync of an app fail as Argo CD fails one: what it applied got Degraded in an early wave."""
    fleet.failed_sync(owner, key, "could not get secret data from provider")
    [failed] = app(fleet, owner)["status"]["operationState"]["syncResult"]["resources"]
    failed.update({"status": "Synced", "hookPhase": "Failed", "syncPhase": "Sync", **row})


def test_an_object_that_was_applied_and_is_degraded_is_not_refused() -> None:
    fleet = fleet_of()
    store(fleet, ready=False)
    for owner in ("web", "api"):
        failed_by_health(fleet, owner, external_secret(fleet, owner, ready=False))
    found = diagnose(fleet.snapshot())
    assert named(found) == [("SEC-003", "SecretStore/vault in shop")]
    assert only(found).affected == ("argocd/api", "argocd/db", "argocd/web")


def test_an_object_that_the_server_refused_is_a_cause_beside_the_store() -> None:
    fleet = fleet_of()
    store(fleet, ready=False)
    failed_by_health(fleet, "web", external_secret(fleet, "web", ready=False), status="SyncFailed")
    assert named(diagnose(fleet.snapshot())) == [
        ("LIV-109", "ExternalSecret/web-login in shop"),
        ("SEC-003", "SecretStore/vault in shop"),
    ]


def test_with_the_object_well_again_only_the_syncs_are_left_and_one_command_repeats_them() -> None:
    fleet = fleet_of()
    store(fleet, ready=True)
    for owner in ("web", "api"):
        failed_by_health(fleet, owner, external_secret(fleet, owner, ready=True))
    cause = only(diagnose(fleet.snapshot()))
    assert (cause.finding.code, command(cause)) == ("LIV-109", "syncline app sync api web")
    assert "healthy now" in cause.finding.message


def test_a_sync_that_is_repeated_without_anybody_asking_is_no_cause() -> None:
    fleet = fleet_of()
    store(fleet, ready=True)
    failed_by_health(fleet, "web", external_secret(fleet, "web", ready=True))
    state = app(fleet, "web")["status"]["operationState"]
    state.update(phase="Running", startedAt=JUST_NOW, finishedAt=JUST_NOW, retryCount=1)
    assert diagnose(fleet.snapshot()).causes == ()


# Two apps that deliver one object.


def contested(fleet: Fleet, tracked: str) -> None:
    """Let two healthy apps differ in a role that both deliver, with the tracking id of one of them."""
    role = made("rbac.authorization.k8s.io/v1", "ClusterRole", "", "viewer")
    role["metadata"]["annotations"] = {"argocd.argoproj.io/tracking-id": tracked}
    fleet.add(role)
    key = ObjectKey("rbac.authorization.k8s.io", "ClusterRole", "", "viewer")
    for owner in ("web", "api"):
        fleet.managed[owner].append(key)
        fleet.differing.add((owner, key))


def test_apps_that_contest_an_object_are_named_both_and_neither_is_left_out() -> None:
    fleet = fleet_of()
    contested(fleet, "api:rbac.authorization.k8s.io/ClusterRole:shop/viewer")
    found = diagnose(fleet.snapshot())
    assert found.counts == {"OutOfSync": 2}
    cause = only(found)
    assert (cause.finding.code, str(cause.thing)) == ("OWN-001", "ClusterRole/viewer")
    assert "delivered by api and web" in cause.finding.message
    assert cause.affected == ("argocd/api", "argocd/web")


def test_a_copy_with_the_tracking_id_of_its_original_is_not_contested() -> None:
    fleet = fleet_of()
    contested(fleet, "api:rbac.authorization.k8s.io/ClusterRole:shop/editor")
    assert [code for code, _thing in named(diagnose(fleet.snapshot()))] == ["LIV-101"]


def test_an_app_that_rests_and_differs_is_unexplained_however_lately_it_was_synced() -> None:
    fleet = fleet_of()
    status = app(fleet, "web")["status"]
    status["sync"]["status"] = "OutOfSync"
    status["operationState"].update(startedAt=JUST_NOW, finishedAt=JUST_NOW)
    found = diagnose(fleet.snapshot())
    assert (found.causes, found.starting) == ((), ())
    assert [one.subject for one in found.unexplained] == ["Application/web in argocd"]


def test_an_app_that_just_began_is_named_as_starting() -> None:
    fleet = fleet_of()
    fleet.waits("web", "ContainerCreating")
    for pod in fleet.pods("web"):
        pod["metadata"]["creationTimestamp"] = pod["status"]["startTime"] = JUST_NOW
    top = fleet.get("Deployment", "web", group="apps")
    top["status"], top["metadata"]["creationTimestamp"] = {"starting": True}, JUST_NOW
    app(fleet, "web")["status"]["health"]["lastTransitionTime"] = JUST_NOW
    app(fleet, "web")["status"]["operationState"].update(startedAt=JUST_NOW, finishedAt=JUST_NOW)
    found = diagnose(fleet.snapshot())
    assert (found.causes, found.unexplained, found.starting) == ((), (), ("argocd/web",))


# Stores: the Event says what the condition does not.


def vault(fleet: Fleet, owner: str = "db", **labels: str) -> Object:
    template = {
        "metadata": {"labels": {"app": "vault", **labels}},
        "spec": {"containers": [{"name": "main", "image": "v:1"}]},
    }
    spec = {"replicas": 1, "template": template}
    top = fleet.add(made("apps/v1", "StatefulSet", "shop", "vault", spec=spec), owner)
    fleet.add(made("v1", "Service", "shop", "vault", spec={"selector": {"app": "vault"}, "ports": [{"port": 8200}]}))
    return fleet.pod(top, "vault-0", template)


LOGIN = "unable to log in with Kubernetes auth: Error making API request.\n\nCode: "
SAYS = {
    f"{LOGIN}503. Errors:\n\n* Vault is sealed": "its provider http://vault.shop.svc:8200 is sealed",
    f"{LOGIN}403. Errors:\n\n* permission denied": "its provider denies access: 403 permission denied",
    "dial tcp: lookup vault.shop.svc on 10.0.0.10:53: no such host": "the host of its provider cannot be resolved",
}


@pytest.mark.parametrize("said", SAYS)
def test_the_event_tells_why_a_store_is_not_ready(said: str) -> None:
    fleet = fleet_of()
    vault(fleet)
    fleet.event(store(fleet, ready=False), "InvalidProviderConfig", said)
    external_secret(fleet, "web", ready=False)
    cause = only(diagnose(fleet.snapshot()))
    assert SAYS[said] in cause.finding.message
    assert "unable to create client" not in cause.finding.message


def test_the_event_tells_which_key_an_external_secret_lacks() -> None:
    fleet = fleet_of()
    store(fleet, ready=True)
    external_secret(fleet, "web", ready=False)
    said = "error processing spec.data[0] (key: web-login), err: Secret does not exist"
    fleet.event(fleet.get("ExternalSecret", "web-login", "shop", ES), "UpdateFailed", said)
    cause = only(diagnose(fleet.snapshot()))
    assert cause.finding.code == "SEC-201"
    assert said in cause.finding.message


def test_a_sealed_vault_is_the_cause_and_its_store_is_an_effect() -> None:
    fleet = fleet_of()
    pod = vault(fleet, **{"vault-sealed": "true", "vault-initialized": "true"})
    pod["status"]["conditions"] = [condition("PodScheduled", "True"), condition("Ready", "False")]
    fleet.event(store(fleet, ready=False), "InvalidProviderConfig", f"{LOGIN}503. Errors:\n\n* Vault is sealed")
    external_secret(fleet, "web", ready=False)
    cause = only(diagnose(fleet.snapshot()))
    assert (cause.finding.code, str(cause.thing)) == ("SEC-205", "StatefulSet/vault in shop")
    assert "vault-0" in cause.finding.message
    assert command(cause) == "kubectl exec -it -n shop vault-0 -- vault operator unseal"
    assert cause.affected == ("argocd/db", "argocd/web")


def test_a_vault_that_is_not_sealed_does_not_explain_a_store_without_access() -> None:
    fleet = fleet_of()
    vault(fleet, **{"vault-sealed": "false"})
    fleet.event(store(fleet, ready=False), "InvalidProviderConfig", f"{LOGIN}403. Errors:\n\n* permission denied")
    assert named(diagnose(fleet.snapshot())) == [("SEC-003", "SecretStore/vault in shop")]


def test_a_store_with_a_wrong_address_is_promised_only_with_the_vaults_that_it_may_be_pointed_at() -> None:
    fleet = fleet_of()
    fleet.app("safe")
    pod = vault(fleet, "safe")
    pod["spec"]["nodeSelector"] = {"disk": "ssd"}
    fleet.unscheduled("vault", "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.")
    store(fleet, ready=False)["spec"]["provider"]["vault"]["server"] = "http://vault.safe.svc:8200"
    external_secret(fleet, "web", ready=False)
    found = diagnose(fleet.snapshot())
    by_code = {cause.finding.code: cause for cause in found.causes}
    assert sorted(by_code) == ["SEC-003", "WKL-001"]
    assert by_code["WKL-001"].affected == ("argocd/safe",), "the others do not meet it before the address is right"
    order = [(one.cause, one.good_after) for one in found.repairs]
    assert order == [(by_code["WKL-001"].id, 2), (by_code["SEC-003"].id, 4)]


def test_a_namespace_is_promised_without_the_vaults_of_others() -> None:
    fleet = fleet_of("web", "vaults")
    fleet.app("far")
    fleet.deploy("far", app="far", namespace="far")
    address = {"vault": {"server": "http://vault.safe.svc:8200"}}
    unready = [condition("Ready", "False", "InvalidProviderConfig", "unable to create client")]
    common = made(f"{ES}/v1", "ClusterSecretStore", "", "vault", spec={"provider": address})
    fleet.add({**common, "status": {"conditions": unready}})
    for owner, space in (("web", "shop"), ("far", "far")):
        fleet.deploy("vault", app="vaults", namespace=space)
        spec = {"secretStoreRef": {"kind": "ClusterSecretStore", "name": "vault"}, "target": {"name": "login"}}
        secret = made(f"{ES}/v1", "ExternalSecret", space, "login", spec=spec, status={"conditions": unready})
        fleet.add(secret, owner)
    fleet.crashes("vault", "error: no disk", namespace="far")
    found = diagnose(fleet.snapshot())
    by_code = {cause.finding.code: cause for cause in found.causes}
    assert by_code["SEC-003"].affected == ("argocd/far", "argocd/web")
    assert by_code["WKL-008"].later == ("argocd/far",)
    assert promised(found, {by_code["SEC-003"].id}) == 1
    assert promised(found, {by_code["WKL-008"].id}) == 1
    assert promised(found, {cause.id for cause in found.causes}) == found.total == 3


# Apps that nobody generates any more.


def generated(fleet: Fleet, *names: str, policy: str = "create-update") -> None:
    """Let a set have made all apps, and list those that it generates."""
    rows = [{"kind": "Application", "name": name} for name in names]
    spec = {"syncPolicy": {"applicationsSync": policy}}
    status = {"resources": rows, "resourcesCount": len(rows)}
    appset = fleet.add(made("argoproj.io/v1alpha1", "ApplicationSet", "argocd", "shop", spec=spec, status=status))
    reference = {"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "name": "shop", "controller": True}
    for name in fleet.managed:
        metadata = app(fleet, name)["metadata"]
        metadata["ownerReferences"] = [{**reference, "uid": appset["metadata"]["uid"]}]
        metadata["finalizers"] = ["resources-finalizer.argocd.argoproj.io"]


def test_what_is_wrong_with_an_app_that_nobody_generates_is_not_worth_a_repair() -> None:
    fleet = fleet_of()
    out_of_memory(fleet, "web")
    generated(fleet, "api", "db")
    found = diagnose(fleet.snapshot())
    cause = only(found)
    assert (cause.finding.code, str(cause.thing)) == ("APS-201", "ApplicationSet/shop in argocd")
    assert command(cause) == "kubectl delete applications.argoproj.io -n argocd web"
    assert cause.finding.fix is not None
    assert "1 ConfigMap, 1 Deployment, 1 Service" in cause.finding.fix.text
    [step] = found.repairs
    assert (step.good_after, step.gone_after) == (2, 1), "what is deleted is not OK afterwards"


@pytest.mark.parametrize("listed", [("web", "api", "db"), ()], ids=["generated", "nothing listed"])
def test_an_app_that_is_generated_has_its_own_cause(listed: tuple[str, ...]) -> None:
    fleet = fleet_of()
    out_of_memory(fleet, "web")
    generated(fleet, *listed)
    assert named(diagnose(fleet.snapshot())) == [("WKL-009", "Deployment/web in shop")]


def test_a_set_whose_pass_failed_tells_nothing_about_what_it_generates() -> None:
    fleet = fleet_of()
    out_of_memory(fleet, "web")
    generated(fleet, "api", "db")
    status = fleet.get("ApplicationSet", "shop", "argocd", "argoproj.io")["status"]
    status["conditions"] = [condition("ErrorOccurred", "True", "ApplicationGenerationFromParamsError", "no repository")]
    causes = [("APS-001", "ApplicationSet/shop in argocd"), ("WKL-009", "Deployment/web in shop")]
    assert named(diagnose(fleet.snapshot())) == causes


def test_an_object_that_an_orphan_contests_is_free_once_the_orphan_is_deleted() -> None:
    fleet = fleet_of()
    contested(fleet, "web:rbac.authorization.k8s.io/ClusterRole:shop/viewer")
    generated(fleet, "api", "db")
    app(fleet, "api")["spec"]["syncPolicy"] = {"automated": {}}
    found = diagnose(fleet.snapshot())
    cause = only(found)
    assert cause.finding.code == "APS-201"
    assert cause.affected == ("argocd/api", "argocd/web")
    assert cause.afterwards == ("syncline app sync api",)
    assert [(one.good_after, one.gone_after) for one in found.repairs] == [(2, 1)]


# What has given up, and what is one cause.


def test_a_job_that_gave_up_behind_a_cause_is_deleted_afterwards() -> None:
    fleet = fleet_of()
    selector(fleet, "db")
    job = fleet.add(made("batch/v1", "Job", "shop", "migrate", spec={}), "web")
    job["status"] = {"conditions": [condition("Failed", "True", "BackoffLimitExceeded", "too many failures")]}
    template = {"metadata": {"labels": {"app": "migrate"}}, "spec": {"containers": [{"name": "main", "image": "m:1"}]}}
    fleet.pod(job, "migrate-1", template)
    fleet.crashes("migrate", "dial tcp: lookup db: connect: connection refused")
    cause = only(diagnose(fleet.snapshot()))
    assert (cause.finding.code, cause.afterwards) == ("WKL-001", ("kubectl delete job -n shop migrate",))


def stuck(fleet: Fleet, space: str, image: str) -> None:
    """Put a StatefulSet into a namespace whose pod is of an old revision that fits no node."""
    fleet.app(f"{space}-db")
    fleet.namespace(space)
    old, new = (
        {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "main", "image": image}], **where}}
        for where in ({"nodeSelector": {"disk": "floppy"}}, {})
    )
    spec = {"replicas": 1, "template": new, "updateStrategy": {"type": "OnDelete"}}
    top = fleet.add(made("apps/v1", "StatefulSet", space, "db", spec=spec), f"{space}-db")
    top["status"] = {"currentRevision": "db-1", "updateRevision": "db-2"}
    fleet.pod(top, "db-0", old)["metadata"]["labels"]["controller-revision-hash"] = "db-1"
    said = "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector."
    fleet.unscheduled("db", said, space)


def test_one_program_that_is_stuck_in_several_namespaces_is_one_cause_with_all_commands() -> None:
    fleet = fleet_of("web")
    for space in ("dev", "prod"):
        stuck(fleet, space, "postgres:16")
    stuck(fleet, "else", "mysql:9")
    found = diagnose(fleet.snapshot())
    assert named(found) == [("WKL-007", "StatefulSet db"), ("WKL-007", "StatefulSet/db in else")]
    assert [command(cause) for cause in found.causes] == [
        "kubectl delete pod -n dev db-0 && kubectl delete pod -n prod db-0",
        "kubectl delete pod -n else db-0",
    ]
    assert "OnDelete replaces no pod" in found.causes[0].finding.message


def missing(fleet: Fleet, name: str, image: str) -> None:
    for spec in fleet.change(name):
        spec["containers"][0]["image"] = image
    said = f'Back-off pulling image "{image}": ErrImagePull: rpc error: code = NotFound: {image}: not found'
    fleet.waits(name, "ImagePullBackOff", said)


def test_images_of_one_owner_that_lack_the_same_tag_are_one_cause() -> None:
    fleet = fleet_of()
    for name in ("web", "api"):
        missing(fleet, name, f"ghcr.io/shop/{name}:main")
    cause = only(diagnose(fleet.snapshot()))
    assert str(cause.thing) == "images ghcr.io/shop/*:main"
    assert "2 images of ghcr.io/shop" in cause.finding.message
    assert "api and web" in cause.finding.message


@pytest.mark.parametrize("owner", ["", "library/", "docker.io/library/"])
def test_images_that_nobody_owns_together_stay_apart(owner: str) -> None:
    fleet = fleet_of()
    for name, image in (("web", "nginx"), ("api", "busybox")):
        missing(fleet, name, f"{owner}{image}:1-missing")
    things = [str(cause.thing) for cause in diagnose(fleet.snapshot()).causes]
    assert things == [f"image {owner}busybox:1-missing", f"image {owner}nginx:1-missing"]


def test_one_image_without_an_owner_is_one_cause_for_all_that_want_it() -> None:
    fleet = fleet_of()
    for name in ("web", "api"):
        missing(fleet, name, "nginx:1-missing")
    assert str(only(diagnose(fleet.snapshot())).thing) == "image nginx:1-missing"


@pytest.mark.parametrize("other", ["ghcr.io/shop/api:v2", "ghcr.io/other/api:main"])
def test_images_with_another_tag_or_owner_stay_apart(other: str) -> None:
    fleet = fleet_of()
    missing(fleet, "web", "ghcr.io/shop/web:main")
    missing(fleet, "api", other)
    assert named(diagnose(fleet.snapshot())) == [
        ("WKL-002", f"image {image}") for image in sorted(["ghcr.io/shop/web:main", other])
    ]


def test_a_cause_keeps_its_id_when_another_image_joins_it() -> None:
    fleet = fleet_of()
    image_tag(fleet, "web")
    alone = only(diagnose(fleet.snapshot()))
    image_tag(fleet, "api")
    both = only(diagnose(fleet.snapshot()))
    assert str(alone.thing) == "image registry.example.com/web:1.5"
    assert (both.id, len(both.affected)) == (alone.id, 2)


@pytest.mark.parametrize(
    ("count", "noun", "words"),
    [(1, "Ingress", "1 Ingress"), (2, "Ingress", "2 Ingresses"), (83, "Service", "83 Services"),
     (1200, "NetworkPolicy", "1,200 NetworkPolicies"), (2, "Gateway", "2 Gateways")],
)  # fmt: skip
def test_several_of_a_kind(count: int, noun: str, words: str) -> None:
    assert counted(count, noun) == words


def test_what_is_ruled_out_is_said_of_one_and_of_several() -> None:
    texts: dict[int, list[Any]] = {}
    for apps in (("web",), APPS):
        fleet = fleet_of()
        for name in apps:
            selector(fleet, name)
        found = diagnose(fleet.snapshot()).ruled_out
        texts[len(apps)] = [f"{one.text} ({one.because})" for one in found if "Service" in one.text]
    assert texts == {
        1: ["1 Service without endpoints (the pods behind it are not ready)"],
        3: ["3 Services without endpoints (the pods behind them are not ready)"],
    }
