"""A file that is marked as a whole is left out before it is imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.marked_files import pytest_ignore_collect


@pytest.mark.parametrize(
    "line",
    [
        "pytestmark = pytest.mark.slow  # a reason",
        "pytestmark = [pytest.mark.e2e, pytest.mark.skip]",
        "pytestmark = [\n    pytest.mark.skipif(True, reason='x'),\n    pytest.mark.integration,\n]",
    ],
)
def test_a_file_with_a_mark_for_all_of_it_is_ignored(tmp_path: Path, line: str) -> None:
    file = tmp_path / "test_a.py"
    file.write_text(f"import pytest\n\n{line}\n")
    assert pytest_ignore_collect(file) is True


@pytest.mark.parametrize(
    "line",
    [
        "pytestmark = pytest.mark.usefixtures('a')",
        "pytestmark = []\n\n\n@pytest.mark.slow\ndef test_one() -> None: ...",
        "@pytest.mark.slow\ndef test_one() -> None: ...",
        "TEXT = 'pytestmark = pytest.mark.slow'",
    ],
)
def test_any_other_file_is_collected(tmp_path: Path, line: str) -> None:
    file = tmp_path / "test_a.py"
    file.write_text(f"import pytest\n\n{line}\n")
    assert pytest_ignore_collect(file) is None


def test_a_file_that_is_no_test_and_a_directory_are_not_read(tmp_path: Path) -> None:
    helper = tmp_path / "helper.py"
    helper.write_text("pytestmark = pytest.mark.slow\n")
    assert [pytest_ignore_collect(helper), pytest_ignore_collect(tmp_path)] == [None, None]
