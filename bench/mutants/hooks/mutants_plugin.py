"""A plugin of pytest in the runs of `bench.mutants`: record a context for each test, or run chosen tests in order.

It lies in a folder of its own, which is put on PYTHONPATH, so that it imports nothing of the tree it runs in.
MUTANTS_CHOSEN names a JSON file with the ids or files of the tests to run, none for all; MUTANTS_REPORT the file to write outcomes to.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

# A report of xdist brings its own attributes along.
_CPU_SECONDS = "mutants_cpu_seconds"
_seconds: dict[str, float] = {}
_SPENT = pytest.StashKey[float]()
_not_passed: set[str] = set()
_failed: set[str] = set()


def _recorder() -> object | None:
    """Return the coverage measurement of this process, if there is one."""
    if "COVERAGE_PROCESS_START" not in os.environ:
        return None
    from coverage import Coverage

    return Coverage.current()


def _chosen() -> list[str]:
    """Return the ids of the tests to run, or paths of files for all in them; none for all that are collected."""
    chosen: list[str] = json.loads(Path(os.environ["MUTANTS_CHOSEN"]).read_text(encoding="utf-8"))
    return chosen


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Stop a law at its first counterexample: a smaller one takes long to find and kills the mutant no better."""
    if not _chosen() or "hypothesis" not in sys.modules:
        return
    from hypothesis import Phase, settings

    phases = (Phase.explicit, Phase.generate)
    settings.register_profile("mutants", parent=settings(), phases=phases)
    settings.load_profile("mutants")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    item.config.stash[_SPENT] = _cpu_seconds()
    recorder = _recorder()
    if recorder is not None:
        recorder.switch_context(item.nodeid)  # type: ignore[attr-defined]  # imported only where it is needed
    try:
        return (yield)
    finally:
        if recorder is not None:
            recorder.switch_context("")  # type: ignore[attr-defined]  # as above


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    chosen = _chosen()
    if not chosen:
        return
    order = {name: place for place, name in enumerate(chosen)}
    kept, left_out = [], []
    for item in items:
        file = item.nodeid.split("::")[0]
        place = order.get(item.nodeid, order.get(file))
        if place is None:
            left_out.append(item)
        else:
            kept.append((place, item))
    items[:] = [item for _, item in sorted(kept, key=lambda pair: pair[0])]
    config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the processor time since the last report: on a busy machine, a clock says little."""
    report = yield
    spent = _cpu_seconds()
    setattr(report, _CPU_SECONDS, spent - item.config.stash[_SPENT])
    item.config.stash[_SPENT] = spent
    return report


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    seconds = getattr(report, _CPU_SECONDS)
    _seconds[report.nodeid] = _seconds.get(report.nodeid, 0) + seconds
    if report.outcome != "passed":
        _not_passed.add(report.nodeid)
    if report.failed:
        _failed.add(report.nodeid)


def _imported() -> list[str]:
    """Return the names of the modules that are not from below the current folder."""
    here = f"{Path.cwd()}{os.sep}"
    names = []
    for name, module in sys.modules.items():
        file = getattr(module, "__file__", None)
        if file is not None and not file.startswith(here):
            names.append(name)
    return names


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    is_worker = hasattr(session.config, "workerinput")
    if "MUTANTS_REPORT" in os.environ and not is_worker:
        passed = {
            nodeid: seconds for nodeid, seconds in _seconds.items() if nodeid not in _not_passed
        }
        report = {
            "passed": passed,
            "not_passed": sorted(_not_passed),
            "failed": sorted(_failed),
            "imported": _imported(),
        }
        Path(os.environ["MUTANTS_REPORT"]).write_text(json.dumps(report), encoding="utf-8")
    recorder = _recorder()
    if recorder is not None:  # A worker of xdist ends without the exit handlers that would save.
        recorder.stop()  # type: ignore[attr-defined]  # as above
        recorder.save()  # type: ignore[attr-defined]  # as above
