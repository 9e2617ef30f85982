"""The queue before a model: who waits, and for whom."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from holdfast.repair.model_queue import ModelQueue
from holdfast.vocab.diagnostics import Diagnostic

_ERROR = Diagnostic(
    tool="gcc",
    tool_version="",
    code="",
    severity="error",
    message="too few",
    template="too few",
    args=(),
    path="a.c",
    area=None,
)
_HANG = 60.0


def test_all_that_waited_try_a_new_rule_at_the_same_time() -> None:
    queue = ModelQueue()
    both = threading.Barrier(2)
    waits = threading.Semaphore(0)

    def repair() -> int:
        waits.release()
        with queue.turn([_ERROR], 0) as turn:
            both.wait(_HANG)
            return turn.rules_known

    with ThreadPoolExecutor(2) as pool:
        with queue.turn([_ERROR], 0) as first:
            others = [pool.submit(repair) for _ in range(2)]
            for _ in others:
                assert waits.acquire(timeout=_HANG)
            assert first.rules_known == 0
            first.learned = True
        known = [other.result(_HANG) for other in others]

    assert known == [1, 1]


def test_a_rule_that_was_tried_is_not_waited_for_again() -> None:
    queue = ModelQueue()
    with queue.turn([_ERROR], 0) as turn:
        turn.learned = True

    with queue.turn([_ERROR], 0) as turn:
        assert turn.rules_known == 1

    asks = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        with queue.turn([_ERROR], 1) as turn:
            assert turn.rules_known == 1
            other = pool.submit(_take_turn, queue, asks)
            assert not asks.wait(0.05)
        assert other.result(_HANG)


def _take_turn(queue: ModelQueue, asks: threading.Event) -> bool:
    with queue.turn([_ERROR], 1):
        asks.set()
    return asks.is_set()
