"""What pytest must know before it collects, and how Hypothesis runs: the same examples each time, except in `make props`."""

from __future__ import annotations

import gc
import os
import re
import shutil
import signal
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
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

# A shim of a version manager (pyenv, asdf) runs a shell before Python, and takes seven times as long; tests and checks
# start `python3` more than a thousand times.
_python = shutil.which("python3")
if _python is not None and Path(_python).parent.name == "shims":
    os.environ["PATH"] = os.pathsep.join((f"{sys.base_prefix}/bin", os.environ["PATH"]))

# The fixtures of a scenario are data, Python files among them.
collect_ignore_glob = ["scenarios/*/[0-9]*"]

# A property sets no `max_examples` of its own: that would take it out of the hands of these profiles.
settings.register_profile(
    "steady",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=50,
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
# For `make soak`: the laws outside of tests/properties, many of which need a store, a git or a process.
settings.register_profile("soak", parent=settings.get_profile("props"), max_examples=200)
# For `make quick`: the first examples of those of `make test`.
settings.register_profile("quick", parent=settings.get_profile("steady"), max_examples=20)
settings.load_profile("steady")


_PROMPT = re.compile(rb"^\s*>>> ", re.MULTILINE)
"""Not `>>>` anywhere: a module that pytest imports for its doctests is another object than the one that is used."""


class DoctestsWhereThereAreSome:
    """Collects no doctests of a module without `>>>`: to import and to search 1,300 modules takes each worker seconds."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(
        self, file_path: Path
    ) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        collectors = yield
        if _PROMPT.search(file_path.read_bytes()):
            return collectors
        return [each for each in collectors if not isinstance(each, DoctestModule)]


def pytest_configure(config: pytest.Config) -> None:
    # Not a hook of this file: pytest would not call that for the modules of src.
    config.pluginmanager.register(DoctestsWhereThereAreSome())


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    # What is imported and collected stays until the end: to look for garbage in it takes seconds, now and after each test.
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # At the end of a run the other workers would have nothing to do meanwhile.
    items.sort(key=lambda item: item.get_closest_marker("waits") is None)
