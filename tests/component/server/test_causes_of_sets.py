"""The cause of a failing ApplicationSet is shown to those who may see the set, and to nobody else."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import ObjectKey
from syncline.model import crds
from syncline.model.diagnosis import RootCause, Thing
from syncline.model.finding import Finding, Severity
from tests.support.web import POLICY, Browser, Site, on_site

FLEET = "/api/v1/syncline"
WITHOUT_SETS = """\
p, role:apps, applications, get, */*, allow
p, role:apps, logs, get, */*, allow
g, eve, role:apps
"""
WITH_SETS = f"{WITHOUT_SETS}p, role:apps, applicationsets, get, */*, allow\n"
WORDS = "no entry for key hostname-of-the-vault"


def failing_set(namespace: str) -> dict[str, Any]:
    template = {
        "metadata": {"name": "{{.name}}"},
        "spec": {"project": "other", "source": {"repoURL": "https://git.example/x.git"}, "destination": {}},
    }
    spec = {"goTemplate": True, "generators": [{"list": {"elements": []}}], "template": template}
    failed = {"type": "ErrorOccurred", "status": "True", "reason": "RenderTemplateParamsError", "message": WORDS}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": "places", "namespace": namespace},
        "spec": spec,
        "status": {"conditions": [failed]},
    }


async def asked(who: Browser) -> str:
    """Return all that the routes of causes answer somebody."""
    shown = [
        (await who.get(f"{FLEET}/diagnosis")).body,
        (await who.get(f"{FLEET}/fleet")).body,
        (await who.get(f"{FLEET}/causes/1")).body,
        (await who.get("/api/v1/applications/vault/why")).body,
    ]
    return b"\n".join(shown).decode()


async def with_set(site: Site) -> None:
    await site.bed.apply(crds.applicationset_crd())
    await site.bed.until(lambda: site.bed.served("applicationsets"), "ApplicationSets to be served")
    obj = failing_set(site.bed.control)
    await site.bed.apply({name: value for name, value in obj.items() if name != "status"})
    resource = await site.bed.resource(obj["apiVersion"], obj["kind"])
    patch = {"status": obj["status"]}
    await site.bed.user.patch(
        resource, site.bed.control, "places", patch, manager="appset-controller", subresource="status"
    )
    # A kind that is new is noticed when the cluster is discovered again.
    await site.bed.clock.sleep(90)


def told(policy: str, name: str) -> str:
    answers: list[str] = []

    async def story(site: Site) -> None:
        await with_set(site)
        answers.append(await asked(await site.as_(name)))

    on_site(story, policy=f"{POLICY}{policy}")
    return answers[0]


def test_whoever_may_see_the_set_is_told_why_it_fails() -> None:
    assert WORDS in told("", "admin")
    assert WORDS in told(WITH_SETS, "eve")


@pytest.mark.parametrize(("policy", "name"), [(WITHOUT_SETS, "eve"), ("", "ann")])
def test_whoever_may_not_see_the_set_is_not_told(policy: str, name: str) -> None:
    shown = told(policy, name)
    assert WORDS not in shown
    assert "places" not in shown


def in_a_set(control: str) -> RootCause:
    """Return a cause that lies in a set and shows at an Application, as a set does that no longer generates it."""
    finding = Finding(
        code="APS-201", name="orphaned-app", severity=Severity.WARNING, subject="vault", message=f"places: {WORDS}"
    )
    thing = Thing(cluster="in-cluster", key=ObjectKey("argoproj.io", "ApplicationSet", control, "places"))
    return RootCause(id="abcd1234", rank=1, thing=thing, finding=finding, affected=(f"{control}/vault",))


@pytest.mark.parametrize(("policy", "is_told"), [(WITH_SETS, True), (WITHOUT_SETS, False)])
def test_a_cause_in_a_set_that_shows_at_an_app_needs_the_right_on_the_set(policy: str, is_told: bool) -> None:
    answers: list[str] = []

    async def story(site: Site) -> None:
        await with_set(site)
        await site.backend.diagnoses.current()
        last = site.backend.diagnoses.last
        assert last is not None
        found = msgspec.structs.replace(last.diagnosis, causes=(in_a_set(site.bed.control),))
        site.backend.diagnoses._last = msgspec.structs.replace(last, diagnosis=found)
        answers.append(await asked(await site.as_("eve")))

    on_site(story, policy=f"{POLICY}{policy}")
    assert (WORDS in answers[0]) is is_told
    assert ("abcd1234" in answers[0]) is is_told


def test_the_file_of_all_that_was_seen_needs_the_right_on_sets_too() -> None:
    statuses: list[int] = []

    async def story(site: Site) -> None:
        statuses.append((await (await site.as_("eve")).get(f"{FLEET}/snapshot")).status)

    on_site(story, policy=f"{POLICY}{WITHOUT_SETS}")
    on_site(story, policy=f"{POLICY}{WITH_SETS}")
    assert statuses == [403, 200]
