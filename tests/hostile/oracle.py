"""The judge of every attack: refused with a named reason, alive, nothing written or pruned, no canary in any output.

Called by the tests with the installation and, for attacks by Applications, with the `Attack` that was delivered.
`outputs` collects everything an attacker can read or an operator would: what the processes printed, Events, statuses,
answers of the API and metrics.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from tests.hostile.attack import Attack
from tests.hostile.client import Answer, Client
from tests.hostile.installation import HOME, Installation

Json = dict[str, Any]
QUICK_PATHS = ("", "/resource-tree", "/managed-resources", "/events")
"""What every judgement reads: nothing here is rendered again."""
APP_PATHS = (
    "",
    "/resource-tree",
    "/managed-resources",
    "/manifests",
    "/events",
    "/diff",
    "/why",
    "/plan",
    "/look",
    "/timeline",
    "/waves",
    "/links",
    "/server-side-diff",
)
"""What an attacker reads about an Application of their own."""


def conditions(app: Json) -> str:
    """Return everything an Application says about itself, as one text."""
    status = app.get("status") or {}
    parts = [entry.get("message", "") for entry in status.get("conditions") or ()]
    operation = status.get("operationState") or {}
    parts.append(operation.get("message", ""))
    parts.extend(row.get("message", "") for row in (operation.get("syncResult") or {}).get("resources") or ())
    return "\n".join(parts)


def verdict(app: Json) -> str:
    return str(((app.get("status") or {}).get("sync") or {}).get("status", ""))


def refused(app: Json, reason: str) -> None:
    """Fail unless an Application was refused with this reason and is not Synced."""
    words = conditions(app)
    name = app["metadata"]["name"]
    assert verdict(app) != "Synced", f"{name} is Synced: {words}"
    assert re.search(reason, words), f"{name} was refused without the reason {reason!r}: {verdict(app)}: {words}"
    no_traceback(words, name)


def judge(installation: Installation, delivered: Mapping[str, Json], attack: Attack) -> None:
    """Hold one delivered attack to the whole promise."""
    app = delivered[attack.name]
    installation.alive()
    if attack.reason:
        refused(app, attack.reason)
    written = [
        entry
        for entry in installation.delivery_writes
        if entry["objectRef"].get("namespace") == attack.namespace
        and entry["objectRef"]["resource"] != "events"
        and written_for(entry) in ("", attack.name)
    ]
    assert attack.written or not written, [f"{entry['verb']} {entry['requestURI']}" for entry in written]
    assert "canary" not in {entry["objectRef"].get("name") for entry in written}, "a file of the machine was delivered"
    delivered_names = {str(entry["objectRef"].get("name")) for entry in written}
    assert "escaped" not in delivered_names, "a member of an archive got out of its chart"
    bodies = json.dumps([entry.get("requestObject") for entry in written])
    assert "root:x:0:0" not in bodies, "a file of the machine was delivered"
    no_canary(installation, bodies, f"what {attack.name} delivered")
    no_canary(installation, json.dumps(app.get("status")), f"the status of {attack.name}")
    paths = ("", "/events") if attack.endless else QUICK_PATHS
    no_canary(installation, read_as(installation.as_("alice"), attack.name, paths), f"the API about {attack.name}")
    for listener in (installation.listener, *installation.metadata):
        heard = [request for request in listener.heard(attack.name) if re.search(rf"/{attack.name}(?![-\w])", request)]
        assert not heard, f"{attack.name} reached a listener: {heard}"
    made = sorted(path.name for path in installation.folder.glob("*made"))
    assert not made, f"a command ran: {made}"
    assert not (installation.folder / "hook-ran").exists()


def written_for(entry: Json) -> str:
    """Return the Application whose mark a written object has; empty where the log does not say it."""
    about = (entry.get("requestObject") or {}).get("metadata") or {}
    mark = str((about.get("annotations") or {}).get("argocd.argoproj.io/tracking-id", ""))
    return mark.partition(":")[0]


def no_traceback(text: str, where: str) -> None:
    """Fail on a text that shows the inside of the program instead of a reason."""
    assert "Traceback" not in text, f"{where}: {text[:3000]}"


def answer_refused(answer: Answer, *statuses: int) -> None:
    """Fail unless the server refused a request with a sentence, and without an error of its own."""
    assert answer.status in (statuses or (400, 401, 403, 404, 409, 413, 415, 422)), (
        f"{answer.status} {answer.text[:1000]}"
    )
    no_traceback(answer.text, "the answer")


def nothing_written(installation: Installation, entries: Iterable[Json], namespaces: set[str]) -> None:
    """Fail on any write into the namespaces of attacks, or anywhere but among Syncline's own objects."""
    honest = {"team-a-main", "team-b-main"}
    for entry in entries:
        about = entry["objectRef"]
        where, what = about.get("namespace", ""), about["resource"]
        shown = f"{entry['verb']} {where}/{what}/{about.get('name', '')} by {entry['user']['username']}"
        assert where not in namespaces, f"an attack wrote: {shown}"
        if where in honest or (where == HOME and about.get("apiGroup", "") in ("argoproj.io", "syncline.io")):
            continue
        assert (what in ("events", "leases", "configmaps", "secrets") and where == HOME) or what == "events", (
            f"an unexpected write: {shown}"
        )


def no_canary(installation: Installation, text: str, where: str, besides: tuple[str, ...] = ()) -> None:
    """Fail if a text contains a canary."""
    leaked = installation.canaries.leaked(text, besides=besides)
    assert not leaked, f"{where} contains the canary of {', '.join(leaked)}:\n{_around(installation, text, leaked[0])}"


def no_canary_printed(installation: Installation) -> None:
    """Fail if a canary is in what the processes printed, in Events, in metrics, or in the status of any Application."""
    for name, text in outputs(installation):
        no_canary(installation, text, name)
        assert "Traceback (most recent call last)" not in text, f"{name}: {text[text.index('Traceback') :][:3000]}"


def outputs(installation: Installation) -> Iterable[tuple[str, str]]:
    """Return everything that came out, by where."""
    for folder in (installation.folder / "controller", installation.folder / "server"):
        for log in sorted(folder.glob("*.log")):
            yield log.name, log.read_text(errors="replace")
    yield "Events", json.dumps(installation.api.ok("GET", "/api/v1/events"))
    for plural in ("applications", "applicationsets", "appprojects"):
        items = installation.api.ok("GET", f"/apis/argoproj.io/v1alpha1/{plural}")["items"]
        yield plural, json.dumps([item.get("status") for item in items])
    yield "metrics of the controller", Client(installation.metrics_port).get("/metrics").text
    yield "metrics of the server", installation.as_("admin").get("/metrics").text


def read_as(client: Client, name: str, paths: tuple[str, ...] = APP_PATHS) -> str:
    """Return all that the API says to somebody about one Application."""
    answers = [client.get(f"/api/v1/applications/{name}{path}") for path in paths]
    assert not [answer for answer in answers if answer.status == 401], "the session ended: nothing was read"
    return "\n".join(answer.text for answer in answers)


def _around(installation: Installation, text: str, place: str) -> str:
    at = max(text.find(installation.canaries[place]), 0)
    return text[max(at - 300, 0) : at + 200]
