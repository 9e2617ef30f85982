"""A plugin of pytest in the runs of `bench.mutants`: record a context for each test, or run chosen tests in order.

It lies in a folder of its own, which is put on PYTHONPATH, so that it imports nothing of the tree it runs in.
MUTANTS_CHOSEN names a JSON file with the ids of the tests to run; MUTANTS_REPORT the file to write outcomes to.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

_seconds: dict[str, float] = {}
_not_passed: set[str] = set()


def _recorder() -> object | None:
    """Return the coverage measurement of this process, if there is one."""
    if "COVERAGE_PROCESS_START" not in os.environ:
        return None
    from coverage import Coverage

    return Coverage.current()


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Stop a law at its first counterexample: a smaller one takes long to find and kills the mutant no better."""
    if "MUTANTS_CHOSEN" not in os.environ or "hypothesis" not in sys.modules:
        return
    from hypothesis import Phase, settings

    phases = (Phase.explicit, Phase.generate)
    settings.register_profile("mutants", parent=settings(), phases=phases)
    settings.load_profile("mutants")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
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
    if "MUTANTS_CHOSEN" not in os.environ:
        return
    chosen = json.loads(Path(os.environ["MUTANTS_CHOSEN"]).read_text(encoding="utf-8"))
    order = {nodeid: place for place, nodeid in enumerate(chosen)}
    left_out = [item for item in items if item.nodeid not in order]
    items[:] = sorted(
        (item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid]
    )
    config.hook.pytest_deselected(items=left_out)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _seconds[report.nodeid] = _seconds.get(report.nodeid, 0) + report.duration
    if report.outcome != "passed":
        _not_passed.add(report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    is_worker = hasattr(session.config, "workerinput")
    if "MUTANTS_REPORT" in os.environ and not is_worker:
        passed = {
            nodeid: seconds for nodeid, seconds in _seconds.items() if nodeid not in _not_passed
        }
        report = {"passed": passed, "not_passed": sorted(_not_passed)}
        Path(os.environ["MUTANTS_REPORT"]).write_text(json.dumps(report), encoding="utf-8")
    recorder = _recorder()
    if recorder is not None:  # A worker of xdist ends without the exit handlers that would save.
        recorder.stop()  # type: ignore[attr-defined]  # as above
        recorder.save()  # type: ignore[attr-defined]  # as above
