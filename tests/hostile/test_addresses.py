"""P1 and P2: addresses that lead to this machine or to metadata services, and credentials sent to the wrong host."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.hostile import network, oracle
from tests.hostile.attack import Attack
from tests.hostile.attacks import addresses, chosen
from tests.hostile.canaries import forms
from tests.hostile.client import part
from tests.hostile.delivering import at_rest
from tests.hostile.installation import Installation, application, config, repository_secret
from tests.hostile.listener import Handler, answer


@pytest.mark.parametrize(
    "attack",
    [attack for attack in chosen(addresses.ATTACKS) if attack.name.startswith("p1-")],
    ids=lambda attack: attack.name,
)
def test_addresses_of_this_machine_and_of_metadata_services_are_not_asked(
    installation: Installation, delivered: Mapping[str, Any], attack: Attack
) -> None:
    oracle.judge(installation, delivered, attack)


REBOUND: dict[str, tuple[str, dict[str, Any]]] = {
    "git": ("http://{host}:{port}/{name}/x.git", {}),
    "chart": ("http://{host}:{port}/{name}", {"path": None, "chart": "web", "targetRevision": "1.0.0"}),
    "oci": ("oci://{host}:{port}/{name}", {"path": ".", "targetRevision": "v1"}),
}


@pytest.mark.parametrize("inner", ["127.0.0.1", "169.254.169.254", "10.255.255.1"])
@pytest.mark.parametrize("kind", REBOUND)
def test_name_that_changes_its_address_reaches_no_machine_inside(
    installation: Installation, kind: str, inner: str
) -> None:
    """Live DNS rebinding: the first answer is public, each later one is this machine or a metadata service.

    The address 10.255.255.1 stands for a network of the operator, which repositories may be in: it only shows that the
    resolver is asked at all.
    """
    listener = installation.listener
    name = f"p1-rebind-{kind}-{inner.replace('.', '-')}"
    host = f"{name}.attacker.example"
    installation.resolver.names[host] = [network.PUBLIC, network.PUBLIC, inner]
    url, source = REBOUND[kind]
    address = url.format(host=host, port=listener.port, name=name)
    installation.create(application(name, "open-a", address, "x", "team-a-main", source=source))
    for _ in range(3):
        app = at_rest(installation, [name])[name]
        assert oracle.verdict(app) != "Synced"
        installation.as_("alice").send("GET", f"/api/v1/applications/{name}", query={"refresh": "hard"})
    assert host in installation.resolver.questions, "the resolver was not asked: this test attacks nothing"
    assert not listener.heard(name), listener.heard(name)
    for metadata in installation.metadata:
        assert not metadata.heard(name)
    installation.delete(app)


def test_redirects_of_a_public_server_lead_to_no_machine_inside(installation: Installation) -> None:
    """Git, charts and artifacts from the attacker's own server, which points at loopback and at metadata services."""
    attacker, listener = installation.outside(), installation.listener
    places = {"here": listener.url("p1-redirected"), "metadata": "http://169.254.169.254/p1-redirected"}
    names = []
    for word, place in places.items():
        for kind, (url, source) in REBOUND.items():
            name = f"p1-redirect-{kind}-{word}"
            address = url.format(host=network.PUBLIC, port=attacker.port, name=name)
            names.append(name)
            installation.create(application(name, "open-a", address, "x", "team-a-main", source=source))
        attacker.answers[f"/p1-redirect-git-{word}/x.git/info/refs"] = redirecting(place)
        attacker.answers[f"/p1-redirect-chart-{word}/index.yaml"] = redirecting(place)
    apps = at_rest(installation, names)
    for name, app in apps.items():
        assert oracle.verdict(app) != "Synced", name
        installation.delete(app)
    assert attacker.heard("p1-redirect-git-here"), "the attacker's server was not asked: this test attacks nothing"
    for heard in (listener, *installation.metadata):
        assert not heard.heard("p1-redirected"), heard.heard("p1-redirected")


def redirecting(place: str) -> Callable[[Handler], None]:
    return lambda handler: answer(handler, 302, Location=place)


def test_credentials_go_only_to_the_host_they_are_for(installation: Installation) -> None:
    """P2: a chart of the attacker's server depends on nothing that our passwords are for, and gets none of them."""
    attacker = installation.outside()
    seen = "\n".join(map(str, attacker.requests))
    for place in ("repository-password", "cluster-token", "scm-token", "signing-key", "webhook-secret"):
        assert not [form for form in forms(installation.canaries[place]) if form in seen], place


def test_repository_with_a_hundred_thousand_refs_ends_in_a_sentence_or_a_delivery(installation: Installation) -> None:
    """A repository of very many refs neither stops the controller nor fills its memory."""
    name = "p1-refs"
    repository = installation.repository("team-a/refs")
    head = repository.commit({f"{name}/x.yaml": config("x")})
    packed = "# pack-refs with: peeled fully-peeled sorted \n" + "".join(
        f"{head} refs/heads/many/{number:06}\n" for number in range(100_000)
    )
    (repository.folder / ".git" / "packed-refs").write_text(packed)
    installation.apply(repository_secret("team-a-refs", installation.url("team-a/refs"), project="team-a"))
    namespace = installation.target(f"team-a-{name}")
    installation.create(application(name, "team-a", installation.url("team-a/refs"), name, namespace))
    app = at_rest(installation, [name], 120)[name]
    assert oracle.verdict(app) in ("Synced", "Unknown"), oracle.conditions(app)
    answer_ = installation.as_("alice").get(f"/api/v1/repositories/{part(installation.url('team-a/refs'))}/refs")
    assert answer_.status < 500
    text = pathlib.Path(f"/proc/{installation.processes['controller'].pid}/status").read_text()
    peak = int(next(line for line in text.splitlines() if line.startswith("VmHWM")).split()[1]) // 1024
    assert peak < 1500, f"the controller took {peak} MB"
    assert oracle.verdict(installation.application("honest") or {}) == "Synced"
