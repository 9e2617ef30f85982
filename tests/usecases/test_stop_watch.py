"""A turn is cancelled by its user, or by another command whose request the watch finds."""

from __future__ import annotations

import threading
from contextlib import nullcontext

from holdfast.usecases.record_watch import RecordsUnavailable
from holdfast.usecases.turns.stop_watch import StopWatch
from tests.waiting import wait_until


def test_the_user_cancels() -> None:
    cancel = threading.Event()
    with StopWatch(lambda: nullcontext(lambda: None), cancel) as watch:
        assert not watch.is_set()
        cancel.set()
        assert watch.is_set()
    assert watch.sentence is None


def test_a_request_is_found_also_after_the_store_was_away_for_a_moment() -> None:
    looks: list[str | None] = [None, "away", "Stopped: somebody asked."]

    def look() -> str | None:
        found = looks.pop(0)
        if found == "away":
            raise RecordsUnavailable("the store is away.")
        return found

    with StopWatch(lambda: nullcontext(look), threading.Event()) as watch:
        assert wait_until(watch.is_set)
        assert watch.sentence == "Stopped: somebody asked."
    assert looks == []


def test_nobody_looks_after_the_turn() -> None:
    looks: list[None] = []
    with StopWatch(lambda: nullcontext(lambda: looks.append(None)), threading.Event()):
        assert wait_until(lambda: len(looks) == 2)
    seen = len(looks)
    assert not wait_until(lambda: len(looks) > seen, 0.5)
