"""Whether a repository can bring up an empty cluster, or what keeps it from that: the exact cycle, or who is missing.

Asked by the rule on bootstrapping, and by `syncline.api.check` for its sentence. An app needs another one where that
delivers a definition or a namespace that it has objects of; it comes after another one where one parent delivers both,
in waves. Apps without an order between them may come in any: syncs are retried. So what can never end is a ring of
needs and waves, or an app whose project comes with itself or with an app that it delivers. What nobody delivers is
missing, unless Kubernetes has it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise

import msgspec

from syncline.apimachinery.keys import GroupKind
from syncline.apimachinery.schema import resources
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.repository.world import CHILD_KINDS, Delivery
from syncline.core.diagnose.subjects import Repo
from syncline.model import names

_PROJECT = GroupKind(names.GROUP, "AppProject")


class Step(msgspec.Struct, frozen=True, eq=False):
    """One app cannot be synced before another one: because of what, and where that is written."""

    app: str
    before: str
    because: str
    item: Prepared


class Proof(msgspec.Struct, frozen=True):
    """What came of it: nothing in the way where there is neither a ring nor a missing kind."""

    ring: tuple[Step, ...] = ()
    missing: tuple[GroupKind, ...] = ()
    """Kinds that nothing in the repository defines, and Kubernetes does not have."""
    complete: bool = True
    """Whether everything was rendered: else more may be in the way."""

    @property
    def sentence(self) -> str:
        """The proof in one sentence."""
        if self.ring:
            return "cannot bring up an empty cluster: " + ", ".join(
                f"{one.app} waits for {one.before} ({one.because})" for one in self.ring
            )
        if self.missing:
            kinds = ", ".join(sorted({f"{kind.kind} ({kind.group})" for kind in self.missing}))
            return f"an empty cluster needs first what is not in this repository: {kinds}"
        if not self.complete:
            return "nothing found keeps this repository from bringing up an empty cluster"
        return "this repository can bring up an empty cluster"


def proof(repo: Repo) -> Proof:
    """Return what keeps a repository from bringing up an empty cluster."""
    steps: dict[str, list[Step]] = defaultdict(list)
    for step in (*_needs(repo), *_waves(repo)):
        steps[step.app].append(step)
    ring = _ring(steps) or _projects(repo)
    missing = {
        kind
        for kind in repo.world.by_kind
        if "." in kind.group
        and kind.group != names.GROUP
        and kind not in repo.world.defined
        and resources.for_group_kind(kind) is None
    }
    return Proof(tuple(ring), tuple(sorted(missing)), repo.world.complete)


def _needs(repo: Repo) -> list[Step]:
    """Return who needs whose definitions; nobody does where the app itself, or more than one other, has them."""
    found: dict[tuple[str, str], Step] = {}
    for kind, makers in repo.world.defined.items():
        apps = {str(maker) for maker, _ in makers}
        for delivery, item in repo.world.by_kind.get(kind, ()) if len(apps) == 1 else ():
            (other,) = apps
            if str(delivery) != other:
                step = Step(str(delivery), other, f"it defines {item.key.kind}", item)
                found.setdefault((step.app, other), step)
    return list(found.values())


def _waves(repo: Repo) -> list[Step]:
    """Return who waits for the wave before, among the apps that one parent delivers."""
    found = []
    by_parent: dict[Delivery, dict[int, list[Prepared]]] = defaultdict(lambda: defaultdict(list))
    for parent, item in repo.world.by_kind.get(CHILD_KINDS[0], ()):
        by_parent[parent][item.wave].append(item)
    for by_wave in by_parent.values():
        waves = sorted(by_wave)
        for before, wave in pairwise(waves):
            for item in by_wave[wave]:
                because = f"wave {before} is before {wave}"
                found += [Step(_name(item), _name(one), because, item) for one in by_wave[before]]
    return found


def _projects(repo: Repo) -> list[Step]:
    """Return the ring of an app whose project comes only with itself, or with what it delivers."""
    makers: dict[str, list[tuple[Delivery, Prepared]]] = defaultdict(list)
    for delivery, item in repo.world.by_kind.get(_PROJECT, ()):
        makers[item.key.name].append((delivery, item))
    files = defaultdict(set)
    for one in repo.projects:
        files[one.key.name].add(one.origin.file)
    for delivery in repo.world.deliveries:
        project = delivery.typed.spec.project
        if project == "default" or len(makers[project]) != 1 or len(files[project]) > 1:
            continue
        maker, item = makers[project][0]
        above = _above(repo, str(maker))
        chain = [str(maker), *(step.before for step in above)]
        if str(delivery) in chain:
            first = Step(str(delivery), str(maker), f"it delivers project {project}", item)
            return [first, *above[: chain.index(str(delivery))]]
    return []


def _above(repo: Repo, app: str) -> list[Step]:
    """Return who delivers an app, who delivers that one, and so on, as far as it is one each time."""
    found: list[Step] = []
    seen: set[str] = set()
    while app not in seen and len(parents := repo.world.parents.get(app, ())) == 1:
        seen.add(app)
        parent, item = parents[0]
        found.append(Step(app, str(parent), f"it delivers {item.key.name}", item))
        app = str(parent)
    return found


def _name(item: Prepared) -> str:
    return f"{item.key.namespace}/{item.key.name}" if item.key.namespace else item.key.name


def _ring(steps: Mapping[str, list[Step]]) -> list[Step]:
    """Return the shortest way from an app back to itself; nothing where there is none."""
    best: list[Step] = []
    # Waves alone never make a ring, so it is enough to begin where something is needed.
    for start in sorted(app for app, found in steps.items() if any("defines" in one.because for one in found)):
        ways: list[list[Step]] = [[step] for step in steps[start]]
        seen = {start}
        while ways:
            way = ways.pop(0)
            if best and len(way) >= len(best):
                break
            if way[-1].before == start:
                best = way
                break
            if way[-1].before not in seen:
                seen.add(way[-1].before)
                ways += [[*way, step] for step in steps.get(way[-1].before, ())]
    return best
