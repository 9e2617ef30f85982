"""A plugin of pytest for `make quick` and `make test`: the cases of a parametrised test are one test.

What pytest and xdist do for a test takes longer than most cases: thousands of them are a call of a pure function each.
Only a test that needs no fixture and has no other mark is folded: the cases of a slow one are for all workers. All of its
cases run, and each one that fails is reported by its name.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import pytest


class TableError(Exception):
    """Some cases of a table have failed."""


class Table(pytest.Item):
    """All cases of a parametrised test."""

    def __init__(self, *, cases: Sequence[pytest.Function], **rest: Any) -> None:
        super().__init__(**rest)
        self.cases = cases

    def runtest(self) -> None:
        """Run every case; raise if some of them fail, or if all are skipped."""
        failures: dict[str, str] = {}
        skips: list[BaseException] = []
        for case in self.cases:
            try:
                case.obj(**case.callspec.params)
            except pytest.skip.Exception as skip:
                skips.append(skip)
            except Exception as error:  # noqa: BLE001 - whatever a case raises is reported with its name
                failures[case.name] = _trace(error)
        if failures:
            count = f"{len(failures)} of {len(self.cases)} cases fail: {', '.join(failures)}"
            texts = [f"{name}\n{trace}" for name, trace in failures.items()]
            raise TableError("\n\n".join([count, *texts]))
        if len(skips) == len(self.cases):
            raise skips[0]

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the reasons of the cases, without the frames of pytest."""
        if isinstance(excinfo.value, TableError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Return the place of the test in its file, and its name."""
        path, line, _ = self.cases[0].reportinfo()
        return path, line, self.name


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = _fold(items)


def _trace(error: Exception) -> str:
    """Return the traceback from the test on."""
    frames = error.__traceback__
    inner = frames.tb_next if frames else None
    return "".join(traceback.format_exception(error.with_traceback(inner)))


def _fold(items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    for function, group in groupby(items, _table_of):
        cases = list(group)
        parent = cases[0].parent
        if function and parent and len(cases) > 1:
            name = getattr(cases[0], "originalname", cases[0].name)
            yield Table.from_parent(parent, name=name, cases=cases)
        else:
            yield from cases


def _table_of(item: pytest.Item) -> object:
    """Return the function of which the item is a case; None if the item has to run by itself."""
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec") or item.cls:
        return None
    if {mark.name for mark in item.iter_markers()} != {"parametrize"}:
        return None
    # Hypothesis has hooks of its own for the item of a property.
    if hasattr(item.obj, "is_hypothesis_test"):
        return None
    given: set[str] = set()
    for mark in item.iter_markers("parametrize"):
        if mark.kwargs.get("indirect"):
            return None
        names = mark.args[0]
        given |= (
            {name.strip() for name in names.split(",")} if isinstance(names, str) else set(names)
        )
    return item.obj if set(item.fixturenames) == given else None
