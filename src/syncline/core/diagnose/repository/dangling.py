"""References of a repository to objects that nothing in it makes.

Shared by the rules on Secrets, ConfigMaps and other objects that are named. What a custom object beside it may make,
and what every cluster has, is not missing. Whether the rest is missing only a cluster can tell, unless a name is nearly
the same as one that is made: that is a misspelling.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator

import msgspec

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.repository.world import Delivery
from syncline.core.diagnose.subjects import Repo
from syncline.core.references.pods import CONFIG_MAP, SECRET
from syncline.model.finding import Confidence
from syncline.model.reference import Reference

_ALIKE = 0.84
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

    @property
    def key(self) -> ObjectKey:
        """What is named."""
        return self.reference.key


def dangling(repo: Repo, kinds: Collection[GroupKind]) -> Iterator[Dangling]:
    """Yield the references to objects of these kinds that lead to nothing in the repository."""
    for delivery, item, references in repo.world.references:
        for one in references:
            key = one.key
            sure = not one.makes and not one.optional and one.confidence is Confidence.DECLARED
            if not sure or key.group_kind not in kinds or _is_given(key) or "{{" in key.name or "$(" in key.name:
                continue
            if not repo.world.makers(key):
                if not repo.world.maybe_made(key):
                    yield Dangling(delivery, item, one, near=_near(repo, key))
            elif one.part and (known := _parts(repo, key)) is not None and one.part not in known:
                near = difflib.get_close_matches(one.part, known, n=1, cutoff=0.6)
                yield Dangling(delivery, item, one, near="".join(near), part=one.part, known=tuple(sorted(known)))


def _is_given(key: ObjectKey) -> bool:
    return (key.kind, key.name) in _GIVEN or key.name.startswith("system:") or key.name.startswith("system-")


def _near(repo: Repo, key: ObjectKey) -> str:
    """Return an object of the kind and namespace with nearly that name; numbers that differ are no misspelling."""
    names = repo.world.names.get((key.group_kind, key.namespace), ())
    for near in difflib.get_close_matches(key.name, names, n=3, cutoff=_ALIKE):
        if _digits(near) == _digits(key.name) and len(near.split("-")) == len(key.name.split("-")):
            return near
    return ""


def _digits(text: str) -> str:
    return "".join(one for one in text if one.isdigit())


def _parts(repo: Repo, key: ObjectKey) -> set[str] | None:
    """Return the keys of a ConfigMap or Secret that is in Git; None where somebody else makes them."""
    if key.group_kind not in (CONFIG_MAP, SECRET) or repo.world.made.get(key):
        return None
    found: set[str] = set()
    for _, item in repo.world.objects.get(key, ()):
        for field in ("data", "binaryData", "stringData"):
            value = item.obj.get(field)
            found |= set(map(str, value)) if isinstance(value, dict) else set()
    return found or None
