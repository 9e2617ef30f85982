"""A signal that would end the command waits until the block has ended."""

from __future__ import annotations

import signal

import pytest

from holdfast.adapters.processes.held_signals import hold_signals


def test_ctrl_c_comes_after_the_block() -> None:
    done: list[str] = []

    def work() -> None:
        with hold_signals():
            signal.raise_signal(signal.SIGINT)
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["all of it"]


def test_each_signal_goes_to_the_handler_that_it_had() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: seen.append(number))
    try:
        with hold_signals():
            signal.raise_signal(signal.SIGTERM)
            assert seen == []
        assert seen == [signal.SIGTERM]
        signal.raise_signal(signal.SIGTERM)
        assert seen == [signal.SIGTERM, signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_an_error_in_the_block_comes_out_if_there_was_no_signal() -> None:
    with pytest.raises(OSError, match="full"), hold_signals():
        raise OSError("full")
