"""A password that was copied, and is not the one of the service it is for."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live.pods import containers, template
from syncline.core.diagnose.repository.pointing import at, dig, entries
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Fix, Severity

RULE = Rule(
    code="SEC-007",
    name="copied-login",
    severity=Severity.WARNING,
    summary="A Secret has a different password for a service than the service itself, for the same user.",
    fix="let both read one Secret, or generate the copy from the source (ExternalSecret, a reflector)",
    looks_at=(LooksAt.RENDERED,),
    why="A credential that is stored twice is right until one copy changes. Everything is Synced and Healthy, and "
    "every login fails. The finding names both sides, without their values.",
    bad="""\
apiVersion: example.com/v1
kind: Gitea
metadata: {name: git, namespace: shop}
spec: {adminUser: root, adminPassword: first}
---
apiVersion: v1
kind: Secret
metadata: {name: git-login, namespace: shop}
stringData:
  url: http://git.shop.svc:3000
  username: root
  password: second
""",
    good="""\
apiVersion: example.com/v1
kind: Gitea
metadata: {name: git, namespace: shop}
spec: {adminUser: root, adminSecret: {name: git-login}}
---
apiVersion: bitnami.com/v1alpha1
kind: SealedSecret
metadata: {name: git-login, namespace: shop}
spec: {encryptedData: {url: AgA=, username: AgB=, password: AgC=}}
""",
)
_SECRET, _SERVICE = GroupKind("", "Secret"), GroupKind("", "Service")
_HOST = re.compile(
    r"(?:^|//|@)(?P<name>[a-z0-9][a-z0-9-]*)\.(?P<namespace>[a-z0-9][a-z0-9-]*)(?:\.svc[\w.-]*)?(?=[:/]|$)"
)
_USER, _PASSWORD = re.compile(r"user(?:_?name)?$", re.IGNORECASE), re.compile(r"pass(?:word)?$", re.IGNORECASE)


class _Login(msgspec.Struct, frozen=True):
    """A user and a password, and the field of the password. The password is compared and never shown."""

    user: str
    password: str
    path: str


@RULE.on(Repo)
def check(repo: Repo) -> Iterator[Finding]:
    """Yield one finding per Secret that names a service of the repository and has another password for its user."""
    for delivery, secret in repo.world.by_kind.get(_SECRET, ()):
        texts = _texts(secret.obj)
        mine = list(_pairs(texts, _written_in(secret)))
        for key in dict.fromkeys(key for text in texts.values() for key in _named(text)) if mine else ():
            for source, theirs in _of_service(repo, key):
                wrong = [
                    (here, there)
                    for here in mine
                    for there in theirs
                    if here.user == there.user and here.password != there.password
                ]
                if wrong and source[1].key != secret.key:
                    yield _finding((delivery, secret), source, *wrong[0])


def _finding(copy: Made, source: Made, here: _Login, there: _Login) -> Finding:
    what, other = copy[1].key.short, source[1].key.short
    return RULE.finding(
        what,
        f"{what} of {copy[0]} has a different password for {here.user} than {other} of {source[0]}, which owns "
        "the login",
        evidence=[at(copy[1], here.path, "password"), at(source[1], there.path, "password")],
        fix=Fix(text=f"let {what} and {other} take the password from one Secret"),
    )


def _texts(obj: Mapping[str, Any]) -> dict[str, str]:
    """Return the values of a Secret as texts; what is not text is left out."""
    data = obj.get("data")
    found = {}
    for name, value in data.items() if isinstance(data, dict) else ():
        try:
            found[str(name)] = base64.b64decode(str(value), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
    return found


def _written_in(secret: Prepared) -> str:
    """Return the field that a Secret has its values in as it is written; what is delivered has them in `data`."""
    return "stringData" if "stringData" in secret.origin.positions.paths else "data"


def _named(text: str) -> Iterator[tuple[str, str]]:
    """Yield namespace and name of the services that a text names."""
    for host in _HOST.finditer(text.strip()):
        yield host["namespace"], host["name"]


def _pairs(values: Mapping[str, Any], path: str) -> Iterator[_Login]:
    """Yield the logins of a map: a user and a password whose names begin alike."""
    users = {_USER.sub("", name).lower(): value for name, value in values.items() if _USER.search(name)}
    for name, value in values.items():
        user = users.get(_PASSWORD.sub("", name).lower()) if _PASSWORD.search(name) else None
        if isinstance(user, str) and isinstance(value, str) and user and value:
            yield _Login(user, value, f"{path}.{name}")


def _of_service(repo: Repo, named: tuple[str, str]) -> Iterator[tuple[Made, list[_Login]]]:
    """Yield what is behind a service of the repository, with the logins that it sets up."""
    namespace, name = named
    for item in repo.world.custom.get(namespace, ()):
        spec = item.obj.get("spec")
        if item.key.name == name and isinstance(spec, dict):
            for made in repo.world.objects.get(item.key, ())[:1]:
                yield made, list(_pairs(spec, "spec"))
    for _, service in repo.world.objects.get(ObjectKey("", "Service", namespace, name), ()):
        selector = dig(service.obj, "spec", "selector")
        for item in repo.world.workloads.get(namespace, ()) if isinstance(selector, dict) and selector else ():
            labels = dig(item.obj, "spec", "template", "metadata", "labels") or {}
            if all(labels.get(key) == value for key, value in selector.items()):
                for made in repo.world.objects.get(item.key, ())[:1]:
                    yield made, list(_of_pod(item))


def _of_pod(item: Prepared) -> Iterator[_Login]:
    base, spec = template(item.obj)
    for where, container in containers(spec):
        values = {str(one.get("name")): one.get("value") for one in entries(container, "env")}
        for one in _pairs(values, ""):
            name = one.path.removeprefix(".")
            index = next(at for at, entry in enumerate(entries(container, "env")) if entry.get("name") == name)
            yield msgspec.structs.replace(one, path=f"{base}.{where}.env[{index}].value")
