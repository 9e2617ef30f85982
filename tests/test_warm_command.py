"""A command that is a copy of a process with the modules says, does and ends as one that is started."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest

from tests.warm_command import run_holdfast

BLOCK = "a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"


def run(
    place: Path, *words: str, given: str = "", **more: str
) -> subprocess.CompletedProcess[bytes]:
    (place / "root").mkdir(parents=True, exist_ok=True)
    env = {name: value for name, value in os.environ.items() if name != "HOLDFAST_TEST_COLD"}
    env |= {"HOLDFAST_STATE_DIR": str(place / "state"), "HOME": str(place), "NO_COLOR": "1"}
    return run_holdfast(words, env=env | more, cwd=place / "root", given=given.encode())


@pytest.mark.e2e
@pytest.mark.parametrize(
    "words",
    [("--help",), ("apply",), ("no-such-command",), ("changes", "list", "--json"), ("undo",)],
    ids=" ".join,
)
def test_it_prints_and_ends_as_a_process_that_is_started(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    warm = run(tmp_path / "warm", *words, given="é no edit\n")
    # Another setting of Python: this one is started.
    cold = run(tmp_path / "cold", *words, given="é no edit\n", PYTHONNODEBUGRANGES="1")
    assert (warm.returncode, warm.stdout, warm.stderr) == (
        cold.returncode,
        cold.stdout.replace(b"/cold/", b"/warm/"),
        cold.stderr.replace(b"/cold/", b"/warm/"),
    )


@pytest.mark.e2e
def test_many_work_at_once_each_in_its_folder(tmp_path: Path) -> None:
    codes: dict[int, int] = {}

    def work(number: int) -> None:
        place = tmp_path / str(number)
        (place / "root").mkdir(parents=True)
        (place / "root" / "a.py").write_text("x = 1\n")
        codes[number] = run(place, "apply", given=BLOCK).returncode

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == dict.fromkeys(range(8), 0)
    assert {file.read_text() for file in tmp_path.glob("*/root/a.py")} == {"x = 2\n"}
