"""References of a repository to objects that nothing in it makes.

Shared by the rules on Secrets, ConfigMaps and other objects that are named. What a custom object beside it may make,
and what every cluster has, is not missing. Whether the rest is missing only a cluster can tell, unless a name is nearly
the same as one that is made: that is a misspelling.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.repository.pointing import dig, entries
from syncline.core.diagnose.repository.world import Delivery, Made
from syncline.core.diagnose.subjects import Repo
from syncline.core.references.pods import CONFIG_MAP, SECRET
from syncline.model.finding import Confidence
from syncline.model.reference import Reference

_ALIKE = 0.84
_ISSUER = "cert-manager.io/"
_ISSUED = ("kubernetes.io/tls-acme",)
_EXTERNAL_SECRET = GroupKind("external-secrets.io", "ExternalSecret")
_GIVEN = {
    ("ServiceAccount", "default"),
    ("ServiceAccount", "builder"),
    ("ServiceAccount", "deployer"),
    ("ServiceAccount", "pipeline"),
    ("ConfigMap", "kube-root-ca.crt"),
    ("ConfigMap", "openshift-service-ca.crt"),
    ("ClusterRole", "admin"),
    ("ClusterRole", "edit"),
    ("ClusterRole", "view"),
    ("ClusterRole", "cluster-admin"),
}


class Dangling(msgspec.Struct, frozen=True, eq=False):
    """A reference to what nobody makes: by whom, where, and the name that must be meant, if one is near.

    `part` is the key that an object which is made does not have; `known` are those that it has.
    """

    delivery: Delivery
    item: Prepared
    reference: Reference
    near: str = ""
    part: str = ""
    known: tuple[str, ...] = ()
    elsewhere: str = ""
    """The only other namespace in which an object of that kind and name is made."""

    @property
    def key(self) -> ObjectKey:
        """What is named."""
        return self.reference.key

    @property
    def path(self) -> str:
        """The field that is wrong: the key where that is, else the name."""
        return f"{self.reference.path.rpartition('.')[0]}.key" if self.part else self.reference.path


def dangling(repo: Repo, kinds: Collection[GroupKind]) -> Iterator[Dangling]:
    """Yield the references to objects of these kinds that lead to nothing in the repository."""
    for delivery, item, references in repo.world.references:
        for one in references:
            key = one.key
            sure = not one.makes and not one.optional and one.confidence is Confidence.DECLARED
            if not sure or key.group_kind not in kinds or _is_given(key) or "{{" in key.name or "$(" in key.name:
                continue
            if not repo.world.makers(key):
                if not repo.world.maybe_made(key) and not _has_it_made(item, one):
                    near = _near(repo, key)
                    yield Dangling(delivery, item, one, near=near, elsewhere="" if near else _elsewhere(repo, key))
            elif one.part and (known := parts(repo, key)) is not None and one.part not in known:
                alike = difflib.get_close_matches(one.part, known, n=1, cutoff=0.6)
                yield Dangling(delivery, item, one, near="".join(alike), part=one.part, known=tuple(sorted(known)))


def _has_it_made(item: Prepared, reference: Reference) -> bool:
    """Whether whoever names a Secret has it made by cert-manager, which reads its annotations."""
    wants = any(name in _ISSUED or name.startswith(_ISSUER) for name in meta.annotations(item.obj))
    return wants and reference.key.group_kind == SECRET and "tls" in reference.path


def _elsewhere(repo: Repo, key: ObjectKey) -> str:
    known = repo.world.namespaces_of.get((key.group_kind, key.name), ())
    return known[0] if len(known) == 1 and known[0] != key.namespace else ""


def _is_given(key: ObjectKey) -> bool:
    return (key.kind, key.name) in _GIVEN or key.name.startswith("system:") or key.name.startswith("system-")


def _near(repo: Repo, key: ObjectKey) -> str:
    """Return an object of the kind and namespace with nearly that name; numbers that differ are no misspelling."""
    names = repo.world.names.get((key.group_kind, key.namespace), ())
    plain = key.name.replace("-", "")
    for near in (one for one in names if one.replace("-", "") == plain):
        return near
    for near in difflib.get_close_matches(key.name, names, n=3, cutoff=_ALIKE):
        if _digits(near) == _digits(key.name) and len(near.split("-")) == len(key.name.split("-")):
            return near
    return ""


def _digits(text: str) -> str:
    return "".join(one for one in text if one.isdigit())


def parts(repo: Repo, key: ObjectKey) -> set[str] | None:
    """Return the keys of a ConfigMap or Secret that is in Git; None where somebody else makes them."""
    if key.group_kind not in (CONFIG_MAP, SECRET):
        return None
    if makers := repo.world.made.get(key):
        return None if repo.world.objects.get(key) else _external(makers)
    found: set[str] = set()
    for _, item in repo.world.objects.get(key, ()):
        for field in ("data", "binaryData", "stringData"):
            value = item.obj.get(field)
            found |= set(map(str, value)) if isinstance(value, dict) else set()
    return found or None


def _external(makers: Iterable[Made]) -> set[str] | None:
    """Return the keys of a Secret that ExternalSecrets make; None where they do not name them one by one."""
    found: set[str] = set()
    for _, item in makers:
        spec = item.obj.get("spec")
        named = entries(spec, "data")
        if item.key.group_kind != _EXTERNAL_SECRET or dig(spec, "dataFrom") or dig(spec, "target", "template"):
            return None
        if not named or dig(spec, "target", "creationPolicy") == "Merge":
            return None
        found |= {str(one.get("secretKey")) for one in named}
    return found
