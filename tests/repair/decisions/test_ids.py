"""Names of modules and decisions: ours, whatever a path or a model says."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.repair.decisions.decision_ids import (
    REASONING_LIMIT,
    cut_reasoning,
    decision_id,
    is_record,
    module_of,
)

PATHS = st.text(st.sampled_from("ab./-_\\ ~é\n:\udcff0"), min_size=1, max_size=30)


@given(st.one_of(PATHS, st.text(min_size=1)))
def test_any_path_gives_a_plain_name_that_leads_nowhere(path: str) -> None:
    name = module_of(path)
    assert is_record(name)
    assert PurePosixPath(name).name == name
    assert re.fullmatch(r"[A-Za-z0-9_.-]+", name)
    assert not name.startswith((".", "-"))
    assert ".." not in name
    assert len(name) < 200


@given(PATHS, PATHS)
def test_two_paths_never_share_a_manifest(one: str, other: str) -> None:
    assert (module_of(one) == module_of(other)) is (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src/a.py", "src.a.py"),
        ("a/b.py", "a.b.py"),
        ("a/py", "a.py"),
        ("a-b.py", "a/b.py"),
        ("A.py", "a.py"),
    ],
)
def test_paths_that_look_alike_are_distinguished(one: str, other: str) -> None:
    assert module_of(one) != module_of(other)


@pytest.mark.parametrize(
    "path",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "..",
        ".",
        "a/../../b.py",
        ".git/hooks/pre-commit",
        "~",
        "a\0b",
    ],
)
def test_a_path_that_leads_out_becomes_a_name(path: str) -> None:
    assert is_record(module_of(path))


@pytest.mark.parametrize("name", ["../a", "a/b", "", ".hidden", "a..b", "a\\b", "/a", "a" * 300])
def test_what_is_no_name_of_ours_is_not_taken_for_one(name: str) -> None:
    assert not is_record(name)


def test_an_id_is_the_same_wherever_and_whenever() -> None:
    assert decision_id("repair", "r", "m", "x") == "3ae1c198380a819c"
    assert (
        len(
            {
                decision_id(*words)
                for words in [("a", "b", "c", "d"), ("ab", "", "c", "d"), ("a", "b", "cd", "")]
            }
        )
        == 3
    )


@given(st.text())
def test_reasoning_is_at_most_512_characters_and_can_be_written(text: str) -> None:
    cut = cut_reasoning(text)
    assert len(cut) <= REASONING_LIMIT
    cut.encode()
    assert cut_reasoning(cut) == cut


@pytest.mark.parametrize("one", ["e\u0301", "👩\u200d💻", "👍\U0001f3fd", "é", "\U0001f600"])
def test_reasoning_is_cut_between_characters(one: str) -> None:
    for shift in range(len(one) + 2):
        cut = cut_reasoning("x" * shift + one * 600)
        assert len(cut) <= REASONING_LIMIT
        assert cut.endswith("…")
        assert cut[shift:-1] == one * ((len(cut) - shift - 1) // len(one))
