"""Ctrl-C is kept until the main thread asks for it, and the second one is not."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from holdfast.cli.interrupts import deferred_interrupt


def test_ctrl_c_is_raised_where_it_is_asked_for() -> None:
    with deferred_interrupt() as check:
        check()
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            check()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_second_ctrl_c_is_raised_at_once() -> None:
    with deferred_interrupt():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with deferred_interrupt() as check:
            signal.raise_signal(signal.SIGINT)
            check()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


_INTERRUPTED = """
from holdfast.cli import app
def put_together(**options):
    raise KeyboardInterrupt
app.app = put_together
app.run_command_line()
"""


def test_an_interrupt_while_the_commands_are_put_together_ends_silently() -> None:
    ran = subprocess.run([sys.executable, "-c", _INTERRUPTED], capture_output=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, b"", b"")
