"""What pytest must know before it collects, and how Hypothesis runs: the same examples each time, except in `make props`."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

# Hundreds of tests start a Holdfast: without bytecode on the disk each would compile all of its modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A shell starts what runs in its background with SIGINT ignored, `nohup` with SIGHUP; and so would
# every command be that a test starts and then stops by a signal.
for _signal, _usual in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(_signal) is signal.SIG_IGN:
        signal.signal(_signal, _usual)

# The fixtures of a scenario are data, Python files among them.
collect_ignore_glob = ["scenarios/*/[0-9]*"]

# A property sets no `max_examples` of its own: that would take it out of the hands of these two profiles.
settings.register_profile(
    "steady",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=100,
    # The two cores of a gate are shared: slow drawing says nothing about the law.
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "props",
    parent=settings.get_profile("steady"),
    derandomize=False,
    max_examples=2000,
    print_blob=True,
)
settings.load_profile("steady")
