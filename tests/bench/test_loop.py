"""The benchmark of the turn runs, at a tiny size, and its limits can be broken; the times are not tested."""

from __future__ import annotations

import os

import pytest

from bench.loop.__main__ import main
from bench.loop.measure import Case, Figures, Reading
from bench.loop.report import broken
from bench.loop.serve import Worker
from holdfast.testing import RecordedRequest


@pytest.fixture(autouse=True)
def _keep_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The benchmark sets these for its whole process."""
    for name in (
        "HOME",
        "HOLDFAST_STATE_DIR",
        "HOLDFAST_CONFIG_FILE",
        "XDG_CONFIG_HOME",
        "HOLDFAST_DATABASE_URL",
    ):
        monkeypatch.setenv(name, os.environ.get(name, ""))


@pytest.mark.slow
def test_every_turn_comes_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--steps", "8", "--messages", "30", "--long", "8", "--no-limits"]) == 0

    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()][2:]
    assert [(row[0], row[1], row[2], row[-1]) for row in rows] == [
        ("empty store", "8", "0", "done"),
        ("full store", "8", "30", "done"),
        ("long turn, with compactions", "8", "0", "done"),
    ]


def figures(*own: float, growth: int = 0, stop_reason: str = "done") -> Figures:
    """Make figures of so many milliseconds a step."""
    readings = [Reading(0, 0, 0, 0)]
    for each in own:
        readings.append(Reading(readings[-1].own + each / 1000, 0, 0, 0))
    last = readings[-1]
    readings[-1] = Reading(last.own, 0, 0, growth)
    return Figures(Case("a turn", len(own), 0, 0), readings, stop_reason)


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        ([figures(*[5.0] * 40)], []),
        ([figures(*[16.0] * 40)], ["a turn: 16.0 ms CPU a step, and 15 is the limit"]),
        (
            [figures(*[5.0] * 20, *[8.0] * 20)],
            ["a turn: the last steps cost 1.60 times the first, and 1.5 is the limit"],
        ),
        (
            [figures(*[5.0] * 40, growth=9_000_000)],
            ["a turn: the memory has grown by 9.0 MB, and 8 is the limit"],
        ),
        (
            [figures(*[5.0] * 40, stop_reason="loop")],
            ["a turn: the turn ended with loop, and not done"],
        ),
        (
            [figures(*[5.0] * 40), figures(*[8.0] * 40)],
            ["a turn: a step costs 1.60 times one of the first turn, not 1.5"],
        ),
    ],
)
def test_a_limit_that_is_broken_is_named(measured: list[Figures], said: list[str]) -> None:
    assert broken(measured) == said


def test_the_scripted_worker_calls_the_tools_in_turn_then_says_that_it_is_done() -> None:
    worker = Worker(4)
    asked = RecordedRequest("/v1/chat/completions", b"", {"tools": []})

    said = [worker.answer(asked) for _ in range(5)]

    assert [each.name for reply in said for each in reply.calls] == [
        "read_file",
        "edit_file",
        "run_command",
        "search",
    ]
    assert said[-1].text == "Done."
    assert worker.answer(RecordedRequest("/v1/chat/completions", b"", {})).text.startswith(
        "## Goal"
    )
