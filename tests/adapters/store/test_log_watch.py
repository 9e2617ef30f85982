"""Many followers of one log, and writers in other processes: nothing is lost, nothing comes twice."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.adapters.store.event_log import StoredEventLog
from holdfast.adapters.store.events.log_signal import signal_of
from holdfast.adapters.store.queries.events import NewEvent, append_events
from holdfast.adapters.store.store import Store
from holdfast.usecases.events.log_watch import LogWatch
from tests.adapters.store.child import child
from tests.adapters.store.world import new_world
from tests.places import place_of
from tests.samples import WHOLE
from tests.waiting import LONGEST, wait_until

WRITERS = 20 if WHOLE else 8
EACH = 30
FOLLOWERS = 120 if WHOLE else 40


@pytest.fixture
def project_id(store: Store) -> str:
    return store.run(new_world).project.id


@pytest.fixture
def watch(store: Store, project_id: str) -> Iterator[LogWatch]:
    log = StoredEventLog(lambda: store, place_of(Path("/work/here")))
    with LogWatch(log, signal_of(store)) as opened:
        yield opened


def publish(store: Store, project_id: str, count: int, session: str = "s") -> None:
    new = [NewEvent("text", {"text": str(number)}, session) for number in range(count)]
    store.run(append_events, project_id, new)


async def follow(watch: LogWatch, after: int, session: str | None, until: int) -> list[int]:
    """Return the numbers that a follower in an event loop gets, until one is reached."""
    loop, woken = asyncio.get_running_loop(), asyncio.Event()
    numbers: list[int] = []
    with watch.follow(
        lambda: loop.call_soon_threadsafe(woken.set), after=after, session=session
    ) as follower:
        while page := await asyncio.to_thread(follower.replay):
            numbers += [event.seq for event in page]
        while not numbers or numbers[-1] < until:
            await woken.wait()
            woken.clear()
            taken = follower.take()
            assert not taken.cut_off
            numbers += [event.seq for event in taken.events]
    return numbers


@pytest.mark.slow
def test_all_followers_get_each_event_of_other_processes_once(
    store: Store, url: str, project_id: str, watch: LogWatch
) -> None:
    publish(store, project_id, 5, "before")
    last = 5 + WRITERS * EACH

    async def follow_all() -> list[list[int]]:
        tasks = []
        with child(WRITERS, "publish", url, project_id, str(EACH)) as writers:
            for number in range(FOLLOWERS):
                if number == FOLLOWERS // 2:
                    # The others come while the log grows.
                    writers.go()
                after = number % 7
                tasks.append(asyncio.create_task(follow(watch, after, None, last)))
                await asyncio.sleep(0)
            followed = await asyncio.wait_for(asyncio.gather(*tasks), LONGEST)
            await asyncio.to_thread(writers.expect, "done")
        return followed

    followed = asyncio.run(follow_all())
    assert len(followed) == FOLLOWERS
    for number, numbers in enumerate(followed):
        assert numbers == list(range(number % 7 + 1, last + 1))


def test_a_follower_of_a_session_gets_its_events_alone(
    store: Store, project_id: str, watch: LogWatch
) -> None:
    woken = threading.Event()
    publish(store, project_id, 2, "other")
    with watch.follow(woken.set, session="mine") as follower:
        assert follower.replay() is None
        publish(store, project_id, 3, "other")
        publish(store, project_id, 2, "mine-too")
        assert woken.wait(LONGEST)
        assert [event.seq for event in follower.take().events] == [6, 7]
        assert follower.last == 7


def test_a_slow_follower_is_cut_off_and_comes_back_by_its_last_number(
    store: Store, project_id: str, watch: LogWatch
) -> None:
    with watch.follow(lambda: None, most=10) as slow, watch.follow(lambda: None) as other:
        assert slow.replay() is other.replay() is None
        publish(store, project_id, 4)
        got: list[int] = []

        def has_four() -> bool:
            got.extend(event.seq for event in slow.take().events)
            return len(got) == 4

        assert wait_until(has_four)
        publish(store, project_id, 20)
        assert wait_until(lambda: slow.take().cut_off)
        assert slow.last == 4
        others: list[int] = []

        def has_all() -> bool:
            others.extend(event.seq for event in other.take().events)
            return len(others) == 24

        assert wait_until(has_all)
    with watch.follow(lambda: None, after=slow.last) as again:
        page = again.replay()
        assert page is not None
        assert [event.seq for event in page] == list(range(5, 25))


def test_a_follower_ahead_of_the_log_gets_what_comes_after_its_number(
    store: Store, project_id: str, watch: LogWatch
) -> None:
    woken = threading.Event()
    with watch.follow(woken.set, after=2) as follower:
        assert follower.replay() is None
        publish(store, project_id, 4)
        assert woken.wait(LONGEST)
        assert [event.seq for event in follower.take().events] == [3, 4]


def test_the_end_of_the_watch_cuts_off_its_followers(
    store: Store, project_id: str, watch: LogWatch
) -> None:
    publish(store, project_id, 1)
    woken = threading.Event()
    follower = watch.follow(woken.set)
    assert [event.seq for event in follower.replay() or ()] == [1]
    assert follower.replay() is None
    watch.close()
    assert woken.is_set()
    assert follower.take().cut_off
    late = watch.follow(lambda: None, after=1)
    assert late.replay() is None
    assert late.take().cut_off


def test_a_signal_comes_when_something_is_published_and_not_only_in_time(
    store: Store, project_id: str
) -> None:
    signal = signal_of(store)
    # The first wait on PostgreSQL only begins to listen.
    signal.wait(0.0)
    signal.wait(0.0)
    waiter = threading.Thread(target=signal.wait, args=(LONGEST,), daemon=True)
    waiter.start()
    publish(store, project_id, 1)
    waiter.join(LONGEST / 2)
    assert not waiter.is_alive()
    signal.close()
