"""Followers of a log in memory: nothing is lost, nothing comes twice, the slow are cut off, all are let go."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from itertools import islice

import pytest

from holdfast.usecases.events import log_watch
from holdfast.usecases.events.follow import follow_events, read_events
from holdfast.usecases.events.log_watch import FollowedEvents, LogFollower, LogWatch
from holdfast.usecases.events.ports import EventsUnavailable, LoggedEvent
from tests.waiting import LONGEST, wait_until


def event(seq: int, session: str | None = None) -> LoggedEvent:
    return LoggedEvent(seq, "now", session, None, "text", {})


class Log:
    """Events in memory (port `EventReader`); the store may be away."""

    def __init__(self) -> None:
        self.events: list[LoggedEvent] = []
        self.away = False
        self.limits: list[int | None] = []

    def publish(self, count: int, session: str | None = None) -> None:
        first = len(self.events) + 1
        self.events += [event(seq, session) for seq in range(first, first + count)]

    def after(
        self, seq: int, *, session: str | None = None, limit: int | None = None
    ) -> tuple[LoggedEvent, ...]:
        if self.away:
            raise EventsUnavailable("the store is away.")
        self.limits.append(limit)
        found = [each for each in self.events if each.seq > seq and is_of(each, session)]
        return tuple(found[:limit])

    def last(self) -> int:
        return len(self.events)


def is_of(event: LoggedEvent, session: str | None) -> bool:
    return session is None or (event.session or "").startswith(session)


class Signal:
    """Says all the time that the log may have grown (port `LogSignal`)."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.closed = 0

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        time.sleep(0.001)

    def close(self) -> None:
        self.closed += 1


class Scene:
    """A log, and what follows it."""

    def __init__(self) -> None:
        self.log = Log()
        self.signal = Signal()
        self.watch = LogWatch(self.log, self.signal)
        self.woken = threading.Semaphore(0)

    def follow(
        self, after: int = 0, session: str | None = None, most: int = log_watch.MOST_WAITING
    ) -> LogFollower:
        return self.watch.follow(self.woken.release, after=after, session=session, most=most)

    def take(self, follower: LogFollower) -> FollowedEvents:
        """Wait until the follower is woken; return what it gets."""
        assert self.woken.acquire(timeout=LONGEST)
        return follower.take()


@pytest.fixture
def scene() -> Iterator[Scene]:
    made = Scene()
    yield made
    made.watch.close()


def numbers(events: tuple[LoggedEvent, ...] | None) -> list[int]:
    assert events is not None
    return [event.seq for event in events]


def test_what_is_on_record_is_read_in_pages_and_then_what_comes_is_handed_out(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_watch, "_PAGE", 2)
    scene.log.publish(5)
    follower = scene.follow(after=1)
    assert numbers(follower.replay()) == [2, 3]
    assert numbers(follower.replay()) == [4, 5]
    assert (follower.replay(), follower.last) == (None, 5)
    scene.log.publish(4)
    got: list[int] = []
    while len(got) < 4:
        got += numbers(scene.take(follower).events)
    assert (got, follower.last) == ([6, 7, 8, 9], 9)
    assert follower.take() == FollowedEvents()
    assert set(scene.log.limits) == {2}
    assert set(scene.signal.waits) == {0.25}


def test_a_follower_of_a_session_gets_nothing_of_the_others(scene: Scene) -> None:
    scene.log.publish(1, "aa")
    scene.log.publish(1, "b")
    scene.log.publish(1)
    of_one, of_all = scene.follow(session="a"), scene.follow()
    assert numbers(of_one.replay()) == [1]
    assert of_one.replay() is None
    assert numbers(of_all.replay()) == [1, 2, 3]
    assert of_all.replay() is None
    scene.log.publish(1, "b")
    scene.log.publish(1)
    scene.log.publish(1, "ab")
    assert wait_until(lambda: len(of_all._queue) == 3 and len(of_one._queue) == 1)
    assert numbers(of_one.take().events) == [6]
    assert numbers(of_all.take().events) == [4, 5, 6]


def test_two_followers_of_one_session_both_get_its_events(scene: Scene) -> None:
    followers = [scene.follow(session="a") for _ in range(2)]
    for follower in followers:
        assert follower.replay() is None
    scene.log.publish(2, "a")
    assert wait_until(lambda: all(len(each._queue) == 2 for each in followers))


def test_a_follower_that_is_too_slow_is_cut_off_and_may_begin_again(scene: Scene) -> None:
    slow, quick = scene.follow(most=2), scene.follow(most=3)
    assert slow.replay() is quick.replay() is None
    scene.log.publish(3)
    assert wait_until(lambda: len(quick._queue) == 3)
    assert slow.take() == FollowedEvents((), cut_off=True)
    assert scene.watch._followers == {quick}
    again = scene.follow(after=slow.last)
    assert numbers(again.replay()) == [1, 2, 3]


def test_a_follower_that_has_room_for_exactly_so_many_stays(scene: Scene) -> None:
    follower = scene.follow(most=3)
    assert follower.offer([event(1)])
    assert follower.offer([event(2), event(3)])
    assert not follower.offer([event(4)])
    assert follower.take() == FollowedEvents((), cut_off=True)


def test_what_a_follower_has_read_itself_is_not_handed_out_again(scene: Scene) -> None:
    follower = scene.follow(after=2)
    assert follower.offer([event(1), event(2), event(3)])
    assert follower.offer([event(4)])
    assert numbers(follower.take().events) == [3, 4]


def test_a_follower_whose_number_is_greater_than_all_there_are_waits_for_greater_ones(
    scene: Scene,
) -> None:
    scene.log.publish(2)
    follower = scene.follow(after=4)
    assert follower.replay() is None
    scene.log.publish(4)
    assert numbers(scene.take(follower).events) == [5, 6]


def test_a_number_greater_than_all_there_are_holds_up_nobody_else(scene: Scene) -> None:
    scene.log.publish(2)
    ahead = scene.follow(after=1_000_000)
    assert ahead.replay() is None
    other = scene.follow(after=2)
    assert other.replay() is None
    scene.log.publish(1)
    assert numbers(scene.take(other).events) == [3]
    assert ahead.take() == FollowedEvents()
    ahead.close()
    other.close()
    third = scene.follow(after=3)
    assert third.replay() is None
    scene.log.publish(1)
    assert wait_until(lambda: len(third._queue) == 1)
    assert numbers(third.take().events) == [4]


def test_a_follower_that_attaches_late_reads_on_until_it_has_what_was_handed_out(
    scene: Scene,
) -> None:
    first, late = scene.follow(), scene.follow()
    assert first.replay() is None
    scene.log.publish(2)
    assert wait_until(lambda: len(first._queue) == 2)
    # Two have been handed out: who has read up to there may attach, who has not may not.
    assert not scene.watch.attach(late, 1)
    assert scene.watch.attach(late, 2)


def test_what_came_while_nobody_followed_is_not_handed_out(scene: Scene) -> None:
    first = scene.follow()
    assert first.replay() is None
    first.close()
    scene.log.publish(3)
    second = scene.follow(after=3)
    assert second.replay() is None
    scene.log.publish(1)
    assert numbers(scene.take(second).events) == [4]
    assert first.take() == FollowedEvents()


def test_a_store_that_is_away_is_waited_for(scene: Scene) -> None:
    follower = scene.follow()
    assert follower.replay() is None
    scene.log.away = True
    scene.log.publish(1)
    seen = len(scene.signal.waits)
    assert wait_until(lambda: len(scene.signal.waits) > seen + 2)
    scene.log.away = False
    assert numbers(scene.take(follower).events) == [1]


def test_a_watch_that_is_closed_cuts_all_off_and_takes_nobody(scene: Scene) -> None:
    follower, late = scene.follow(), scene.follow()
    assert follower.replay() is None
    assert not scene.watch.is_closed
    scene.watch.close()
    assert scene.watch.is_closed
    assert scene.take(follower) == FollowedEvents((), cut_off=True)
    assert late.replay() is None
    assert scene.take(late) == FollowedEvents((), cut_off=True)
    assert scene.watch._thread is not None
    assert not scene.watch._thread.is_alive()
    assert scene.signal.closed == 1


def test_a_watch_that_nobody_followed_can_be_closed() -> None:
    scene = Scene()
    with scene.watch:
        pass
    assert (scene.signal.closed, scene.watch._thread) == (1, None)


# ---- as a stream


def test_events_are_read_page_by_page_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.usecases.events.follow._PAGE", 2)
    log = Log()
    log.publish(5, "a")
    log.publish(1, "b")
    assert [each.seq for each in read_events(log, 1)] == [2, 3, 4, 5, 6]
    assert [each.seq for each in read_events(log, 0, "b")] == [6]
    assert log.limits.count(2) == len(log.limits)


def test_a_stream_has_what_is_on_record_and_what_comes_until_its_reader_has_enough(
    scene: Scene,
) -> None:
    scene.log.publish(2)
    waits = iter([True, True, False])
    published = False

    def wait() -> bool:
        nonlocal published
        if not published:
            published = True
            scene.log.publish(1)
        assert scene.woken.acquire(timeout=LONGEST)
        scene.woken.release()
        return next(waits)

    stream = follow_events(scene.watch, scene.woken.release, wait, after=1)
    assert [each.seq for each in stream] == [2, 3]


def test_a_stream_that_is_cut_off_begins_again_after_what_it_has_given(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.log.publish(2)
    cut: list[LogFollower] = []
    follow = scene.watch.follow

    def remember(*words: object, **named: object) -> LogFollower:
        cut.append(follow(*words, **named))  # type: ignore[arg-type]
        return cut[-1]

    monkeypatch.setattr(scene.watch, "follow", remember)

    def wait() -> bool:
        if len(cut) == 1 and len(scene.log.events) == 2:
            scene.log.publish(1)
            cut[0].cut_off()
        return len(cut) == 1

    stream = follow_events(scene.watch, scene.woken.release, wait)
    assert [each.seq for each in islice(stream, 4)] == [1, 2, 3]
    assert len(cut) == 2


def test_a_stream_ends_when_its_watch_is_closed(scene: Scene) -> None:
    scene.log.publish(1)

    def wait() -> bool:
        scene.watch.close()
        return True

    stream = follow_events(scene.watch, scene.woken.release, wait)
    assert [each.seq for each in stream] == [1]
