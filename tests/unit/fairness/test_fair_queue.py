"""Places are shared between projects by what they use: nobody starves, and no place is idle while work waits."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from syncline.model.fairness import FairLimits, FairQueue, Lane, Share, Ticket, Usage

HOSTILE, INNOCENT = Share("hostile"), Share("innocent")


def started(queue: FairQueue, now: float = 0.0) -> list[str]:
    """Start all that find a place; return their projects."""
    found = []
    while (ticket := queue.start(now)) is not None:
        found.append(ticket.share.project)
    return found


def test_project_with_nothing_running_finds_room_beside_a_full_house() -> None:
    queue = FairQueue(FairLimits(width=2, room=1))
    for _ in range(50):
        queue.ask(HOSTILE, 0.0)
    assert started(queue) == ["hostile", "hostile"]
    queue.ask(INNOCENT, 1.0)
    queue.ask(INNOCENT, 1.0)
    assert started(queue, 1.0) == ["innocent"], "its second one waits like everybody's"


def test_single_project_uses_every_place() -> None:
    queue = FairQueue(FairLimits(width=4, room=2))
    for _ in range(9):
        queue.ask(HOSTILE, 0.0)
    assert started(queue) == ["hostile"] * 4


def test_long_work_does_not_take_the_room_of_others() -> None:
    queue = FairQueue(FairLimits(width=1, room=1, most=4, long=10.0))
    for name in ("a", "b", "c"):
        queue.ask(Share(name), 0.0)
    assert started(queue, 0.0) == ["a", "b"]
    assert queue.next_change(1.0) == 9.0
    assert started(queue, 9.0) == []
    assert started(queue, 10.0) == ["c"]


def test_work_gives_way_after_a_long_time_when_every_place_is_taken() -> None:
    queue = FairQueue(FairLimits(width=1, room=1, most=2, too_long=30.0))
    queue.usage.spend("b", 5.0, 0.0, 600.0)
    tickets = {name: queue.ask(Share(name), 0.0) for name in ("a", "b")}
    assert started(queue) == ["a", "b"]
    assert queue.must_give_way(40.0) is None, "nobody waits"
    queue.ask(INNOCENT, 20.0)
    assert queue.must_give_way(29.0) is None, "nothing has run long enough"
    assert queue.must_give_way(30.0) == tickets["b"], "the project that used most"
    queue.done(tickets["b"], 30.0, 30.0)
    assert started(queue, 30.0) == ["innocent"]


def test_reserved_places_are_for_work_somebody_waits_for() -> None:
    queue = FairQueue(FairLimits(width=1, room=1, reserved=1))
    for name in ("a", "b", "c"):
        queue.ask(Share(name, awaited=False), 0.0)
    assert started(queue) == ["a", "b"]
    queue.ask(INNOCENT, 1.0)
    assert started(queue, 1.0) == ["innocent"]


def test_work_of_the_same_project_never_makes_its_own_give_way() -> None:
    queue = FairQueue(FairLimits(width=1))
    queue.ask(HOSTILE, 0.0)
    queue.ask(HOSTILE, 0.0)
    assert started(queue) == ["hostile"]
    assert queue.must_give_way(1_000.0) is None


def test_project_that_was_away_has_saved_nothing_up() -> None:
    queue = FairQueue(FairLimits(width=1, budget=0.0))
    for at in range(20):
        ticket = queue.ask(Share("steady"), float(at))
        assert started(queue, float(at)) == ["steady"]
        queue.done(ticket, 1.0, at + 1.0)
    for _ in range(4):
        queue.ask(Share("steady"), 20.0)
        queue.ask(Share("new"), 20.0)
    order = served_one_by_one(queue, 20.0)
    assert Counter(order[:4]) == {"steady": 2, "new": 2}


def test_project_over_its_budget_goes_last_and_still_uses_an_idle_machine() -> None:
    queue = FairQueue(FairLimits(width=1, budget=60.0, window=600.0))
    queue.usage.spend("hostile", 300.0, 0.0, 600.0)
    queue.ask(HOSTILE, 0.0)
    for _ in range(3):
        queue.ask(Share("innocent", awaited=False), 0.0)
    assert served_one_by_one(queue, 0.0) == ["innocent"] * 3 + ["hostile"]
    assert not queue.is_over_budget("hostile", 600.0 * 1.7), "300 · e^-1.7 = 54.8"
    assert queue.is_over_budget("hostile", 600.0 * 1.5), "300 · e^-1.5 = 66.9"


def test_work_somebody_waits_for_comes_first_and_lets_the_others_through_now_and_then() -> None:
    queue = FairQueue(FairLimits(width=1, budget=0.0))
    for _ in range(8):
        queue.ask(Share("people", awaited=True), 0.0)
        queue.ask(Share("polls", awaited=False), 0.0)
    order = served_one_by_one(queue, 0.0)
    assert order[:8] == ["people", "people", "people", "polls"] * 2


def test_waiting_work_is_counted_by_lane() -> None:
    queue = FairQueue(FairLimits(width=1))
    tickets = [queue.ask(Share("a", awaited=number < 3), 0.0) for number in range(5)]
    started(queue)
    assert queue.waiting() == {Lane.AWAITED: 2, Lane.BACKGROUND: 2}
    queue.withdraw(tickets[4])
    assert queue.waiting()[Lane.BACKGROUND] == 1


def test_usage_is_bounded_and_counts_what_is_too_many_together() -> None:
    usage = Usage()
    for number in range(3_000):
        usage.spend(f"p{number}", 1.0, float(number) * 100.0, 600.0)
    assert len(usage.total) <= 1_001
    assert sum(usage.total.values()) == 3_000.0
    assert len(usage._recent) <= 1_001


def served_one_by_one(queue: FairQueue, now: float) -> list[str]:
    """Serve all that waits, each piece for one second of processor."""
    order = []
    while (ticket := queue.start(now)) is not None:
        order.append(ticket.share.project)
        now += 1.0
        queue.done(ticket, 1.0, now)
    return order


projects = st.sampled_from(["a", "b", "c", "d"])
shares = st.builds(Share, projects, st.booleans())
arrivals = st.lists(st.tuples(st.floats(0.0, 20.0), shares, st.floats(0.1, 5.0)), max_size=60)
limits = st.builds(
    lambda width, room, reserved, more, budget: FairLimits(
        width=width, room=room, most=width + room + more, reserved=reserved, budget=budget
    ),
    st.integers(1, 4),
    st.integers(0, 3),
    st.integers(0, 2),
    st.integers(0, 4),
    st.sampled_from([0.0, 3.0, 1e9]),
)


class Played:
    """Arrivals on a virtual clock; each piece of work runs for as long as it costs."""

    def __init__(self, limits: FairLimits, arrivals: Sequence[tuple[float, Share, float]]) -> None:
        self.queue = FairQueue(limits)
        self.coming = sorted(arrivals, key=lambda one: one[0])
        self.costs: dict[Ticket, float] = {}
        self.ends: dict[Ticket, float] = {}
        self.order: list[Ticket] = []
        self.started_at: dict[Ticket, float] = {}
        self.now = 0.0

    def run(self) -> None:
        while self.coming or self.ends or self.queue.waiting().total():
            moments = [self.coming[0][0]] if self.coming else []
            moments += list(self.ends.values())
            if (pause := self.queue.next_change(self.now)) is not None:
                moments.append(self.now + pause)
            self.now = max(self.now, min(moments))
            for ticket in [one for one, end in self.ends.items() if end <= self.now]:
                del self.ends[ticket]
                self.queue.usage.spend(ticket.share.project, self.costs[ticket], self.now, 600.0)
                self.queue.done(ticket, self.costs[ticket], self.now)
            while self.coming and self.coming[0][0] <= self.now:
                _, share, cost = self.coming.pop(0)
                self.costs[self.queue.ask(share, self.now)] = cost
            while (started := self.queue.start(self.now)) is not None:
                self.order.append(started)
                self.started_at[started] = self.now
                self.ends[started] = self.now + self.costs[started]
            self.check()

    def check(self) -> None:
        running, limits = len(self.ends), self.queue.limits
        assert running <= limits.ceiling(Lane.AWAITED)
        assert self.queue.running() == running
        if self.queue.waiting().total():
            assert running >= limits.width, "a place is idle while work waits"


@given(limits, arrivals)
def test_no_place_is_idle_and_everything_is_served_in_order_of_its_lane(
    limits: FairLimits, arrivals: list[tuple[float, Share, float]]
) -> None:
    played = Played(limits, arrivals)
    played.run()
    assert len(played.order) == len(arrivals)
    for share in {ticket.share for ticket in played.order}:
        mine = [ticket.number for ticket in played.order if ticket.share == share]
        assert mine == sorted(mine)


@given(st.integers(1, 3), st.lists(st.floats(0.1, 5.0), min_size=1, max_size=40), st.floats(0.0, 30.0))
def test_first_work_of_a_project_starts_at_once_however_much_another_has_asked_for(
    width: int, costs: list[float], at: float
) -> None:
    arrivals = [(0.0, HOSTILE, cost) for cost in costs]
    played = Played(FairLimits(width=width, room=1), [*arrivals, (at, INNOCENT, 1.0)])
    played.run()
    (mine,) = [ticket for ticket in played.order if ticket.share == INNOCENT]
    assert played.started_at[mine] == at


@given(
    st.lists(st.tuples(projects, st.floats(0.5, 5.0)), min_size=8, max_size=60),
    st.integers(1, 3),
)
def test_projects_with_work_are_served_alike(work: list[tuple[str, float]], width: int) -> None:
    """While two projects both have work left, neither is ahead by more than the longest works that run at once."""
    played = Played(FairLimits(width=width, budget=0.0), [(0.0, Share(name), cost) for name, cost in work])
    played.run()
    longest = max(cost for _, cost in work)
    left = Counter(name for name, _ in work)
    served: dict[str, float] = dict.fromkeys(left, 0.0)
    leads = [0.0]
    for ticket in played.order:
        name = ticket.share.project
        leads += [served[name] - served[other] for other in left if other != name and left[other]]
        left[name] -= 1
        served[name] += played.costs[ticket]
    assert max(leads) <= longest * (width + 1)


@given(arrivals, st.floats(0.0, 20.0))
def test_project_over_its_budget_waits_no_longer_than_the_work_of_the_others(
    arrivals: list[tuple[float, Share, float]], at: float
) -> None:
    played = Played(FairLimits(width=1, budget=10.0), [*arrivals, (at, HOSTILE, 1.0)])
    played.queue.usage.spend("hostile", 1_000.0, 0.0, 600.0)
    played.run()
    (mine,) = [ticket for ticket in played.order if ticket.share == HOSTILE]
    assert played.started_at[mine] <= at + sum(cost for _, _, cost in arrivals) + 1e-6
