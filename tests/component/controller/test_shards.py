"""Several controllers share the work by Leases: one holder per shard, and the survivor takes all when one dies."""

from collections import Counter

import pytest

from syncline.controller.clusters.dealing import Dealing
from syncline.controller.runtime.lease import LEASES, Terms
from syncline.controller.runtime.shards import Shards, Share
from syncline.core.sharding import deal, weights
from syncline.model.cluster import IN_CLUSTER, KnownCluster
from syncline.model.settings.parts import ShardingAlgorithm
from tests.support.fleet import Fleet, describe
from tests.support.loops.simulated import run_simulated
from tests.support.stories import AUTO, FILES
from tests.support.world import Line, SandboxBed

TERMS = Terms()


def shards(bed: SandboxBed, identity: str, count: int, line: Line | None = None, shard: int = -1) -> Shards:
    cluster = bed.client(line) if line else bed.user
    share = Share(shards=count, shard=shard, terms=TERMS)
    return Shards(cluster, bed.clock, share, namespace=bed.control, identity=identity)


def test_two_processes_share_two_shards_and_the_survivor_takes_over_the_dead_ones() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        line = Line(bed.transport())
        one, two = shards(bed, "one", 2, line), shards(bed, "two", 2)
        await one.start()
        await two.start()
        await bed.clock.sleep(5)
        assert sorted([*one.held, *two.held]) == [0, 1]
        assert len(one.held) == len(two.held) == 1
        line.down = True
        await bed.clock.sleep(TERMS.deadline + 3)
        assert one.held == frozenset(), "a holder that cannot renew lets go first"
        assert len(two.held) == 1
        await bed.clock.sleep(3 * TERMS.duration + 5)
        assert two.held == {0, 1}
        await two.stop()
        await one.stop()
        await bed.stop()

    run_simulated(main)


@pytest.mark.parametrize("seed", range(5))
def test_a_shard_never_has_two_holders(seed: int) -> None:
    async def main() -> None:
        bed = SandboxBed(seed=seed)
        await bed.start()
        lines = [Line(bed.transport()) for _ in range(3)]
        members = [shards(bed, f"process-{number}", 2, line) for number, line in enumerate(lines)]
        for member in members:
            await member.start()
        for step in range(400):
            await bed.clock.sleep(0.5)
            lines[step // 60 % 3].down = step % 60 < 35
            owners = Counter(shard for member in members for shard in member.held)
            assert all(count == 1 for count in owners.values()), (step, [member.held for member in members])
        for member in members:
            await member.stop()
        await bed.stop()

    run_simulated(main, seed=seed)


@pytest.mark.parametrize(("count", "first", "second"), [(2, 1, 1), (3, 2, 1), (4, 2, 2), (5, 3, 2)])
def test_a_process_that_joins_is_given_its_share(count: int, first: int, second: int) -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        one, two = shards(bed, "one", count), shards(bed, "two", count)
        await one.start()
        await bed.clock.sleep(3 * TERMS.duration)
        assert len(one.held) == count
        await two.start()
        await bed.clock.sleep(20)
        assert (len(one.held), len(two.held)) == (first, second)
        assert one.held.isdisjoint(two.held)
        settled = two.held
        await bed.clock.sleep(4 * TERMS.duration)
        assert two.held == settled, "what is even stays as it is"
        for shard in range(count):
            lease = await bed.user.get(LEASES, bed.control, f"syncline-controller-shard-{shard}")
            assert lease is not None
            assert "syncline.io/wanted-by" not in (lease["metadata"].get("annotations") or {})
        await two.stop()
        await one.stop()
        await bed.stop()

    run_simulated(main)


def test_a_shard_that_was_asked_for_by_a_process_that_died_comes_back() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        one = shards(bed, "one", 2)
        await one.start()
        await bed.clock.sleep(3 * TERMS.duration)
        asked = {"metadata": {"annotations": {"syncline.io/wanted-by": "nobody"}}}
        await bed.user.patch(LEASES, bed.control, "syncline-controller-shard-1", asked, manager="test")
        await bed.clock.sleep(5)
        assert one.held == {0}
        await bed.clock.sleep(3 * TERMS.duration)
        assert one.held == {0, 1}
        await one.stop()
        await bed.stop()

    run_simulated(main)


def test_a_lease_that_is_let_go_passes_on_at_once() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        one, two = shards(bed, "one", 1), shards(bed, "two", 1)
        await one.start()
        await bed.clock.sleep(1)
        await two.start()
        await bed.clock.sleep(30)
        assert (sorted(one.held), sorted(two.held)) == ([0], [])
        await one.stop()
        await bed.clock.sleep(3)
        assert two.held == {0}
        lease = await bed.user.get(LEASES, bed.control, "syncline-controller-shard-0")
        assert lease is not None
        assert lease["spec"]["holderIdentity"] == "two"
        assert lease["spec"]["leaseTransitions"] == 1
        await two.stop()
        await bed.stop()

    run_simulated(main)


def test_each_controller_delivers_to_the_clusters_of_its_shards_only() -> None:
    async def main() -> None:
        bed, fleet = SandboxBed(), Fleet("east", "west")
        bed.connector = fleet
        await bed.start()
        await fleet.start()
        for number, member in enumerate(fleet.members.values()):
            await bed.apply(describe(bed.control, member.name, member.server, shard=str(number)))
        bed.source.commit(FILES)
        for name in fleet.members:
            await bed.apply(bed.application(name, automated=AUTO, destination={"namespace": "web", "name": name}))
        zero = bed.controller(shards=shards(bed, "zero", 2, shard=0))
        await zero.start()
        await bed.until_delivered("east")
        await bed.quiet()
        assert not await bed.app_status("west")
        one = bed.controller(shards=shards(bed, "one", 2, shard=1))
        await one.start()
        await bed.until_delivered("west")
        assert not bed.failures
        await zero.stop()
        await one.stop()
        await fleet.stop()
        await bed.stop()

    run_simulated(main)


def cluster(name: str, shard: int = -1) -> KnownCluster:
    return KnownCluster(server=f"https://{name}", name=name, uid=name, shard=shard)


MANY = tuple(cluster(f"cluster-{number:03}") for number in range(200))


def shard_of(item: KnownCluster, shards: int, how: ShardingAlgorithm) -> int:
    """Return the shard of a cluster among many others."""
    return deal(MANY if item in MANY else (*MANY, item), shards, how)[item.server]


@pytest.mark.parametrize("how", list(ShardingAlgorithm))
def test_clusters_spread_over_shards(how: ShardingAlgorithm) -> None:
    found = Counter(shard_of(item, 4, how) for item in MANY)
    assert sorted(found) == [0, 1, 2, 3]
    assert min(found.values()) >= 30


def test_what_is_said_in_a_secret_wins_and_the_home_cluster_is_of_shard_0() -> None:
    legacy = ShardingAlgorithm.LEGACY
    assert shard_of(cluster("a", 2), 4, legacy) == 2
    assert shard_of(cluster("a", 9), 4, legacy) == 0
    assert shard_of(IN_CLUSTER, 4, legacy) == 0
    assert shard_of(cluster("a"), 1, legacy) == 0


def test_the_legacy_algorithm_is_fnv_1a_modulo_shards() -> None:
    # FNV-1a of 32 bits of "a" is 0xe40c292c, of "foobar" 0xbf9cf968: published test vectors.
    assert shard_of(cluster("a"), 7, ShardingAlgorithm.LEGACY) == 0xE40C292C % 7
    assert shard_of(cluster("foobar"), 7, ShardingAlgorithm.LEGACY) == 0xBF9CF968 % 7


def test_consistent_hashing_moves_few_clusters_when_a_shard_is_added() -> None:
    how = ShardingAlgorithm.CONSISTENT_HASHING
    before, after = deal(MANY, 4, how), deal(MANY, 5, how)
    moved = [server for server in before if before[server] != after[server]]
    # A fifth of them has to move; the bound on loads pushes a few more.
    assert len(moved) < 80
    to_others = [server for server in moved if after[server] != 4]
    assert len(to_others) < 20


def test_consistent_hashing_gives_no_shard_more_than_a_quarter_above_its_share() -> None:
    applications = {item.server: number % 17 * 10 for number, item in enumerate(MANY)}
    loads = weights(applications)
    dealt = deal(MANY, 4, ShardingAlgorithm.CONSISTENT_HASHING, loads)
    carried: Counter[int] = Counter()
    for server, shard in dealt.items():
        carried[shard] += loads[server]
    assert max(carried.values()) <= sum(loads.values()) / 4 * 1.25 + 1


def test_one_cluster_with_most_of_the_apps_has_a_shard_almost_to_itself() -> None:
    loads = weights({item.server: 1 for item in MANY} | {MANY[7].server: 1000})
    dealt = deal(MANY, 2, ShardingAlgorithm.CONSISTENT_HASHING, loads)
    assert [server for server, shard in dealt.items() if shard == dealt[MANY[7].server]] == [MANY[7].server]


def test_a_process_hears_of_it_when_the_weight_of_clusters_moves_one_to_another_shard() -> None:
    async def main() -> None:
        told: list[str] = []
        share = shards(SandboxBed(), "one", 2)
        share.on_change = lambda: told.append("changed")
        assert not Dealing(share, ShardingAlgorithm.LEGACY).weighed
        dealing = Dealing(share, ShardingAlgorithm.CONSISTENT_HASHING)
        assert dealing.weighed
        applications = {item.server: 1 for item in MANY} | {MANY[7].server: 1000}
        dealing.weigh(applications, MANY)
        assert told == ["changed"]
        dealing.weigh(applications, MANY)
        assert told == ["changed"], "all stays where it is"

    run_simulated(main)


def test_a_few_more_apps_move_no_cluster() -> None:
    assert weights({"a": 0, "b": 1, "c": 2, "d": 3, "e": 4, "f": 5, "g": 8}) == {
        "a": 1, "b": 1, "c": 2, "d": 4, "e": 4, "f": 8, "g": 8,
    }  # fmt: skip
