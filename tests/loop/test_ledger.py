from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.loop.context.ledger import EMPTY, Ledger, render, strip_sections

PATHS = st.lists(st.text(alphabet="abc/.", min_size=1, max_size=12))


def test_what_is_known_already_gives_the_same_ledger() -> None:
    ledger = EMPTY.add(["a.py"], ["b.py"])
    assert ledger.add(["a.py"], ["b.py"]) is ledger


@given(PATHS, PATHS, PATHS)
def test_the_order_of_the_calls_does_not_show(
    one: list[str], two: list[str], modified: list[str]
) -> None:
    forward = EMPTY.add(one).add(two, modified)
    backward = EMPTY.add((), modified).add(two).add(one)
    assert render(forward, 10_000) == render(backward, 10_000)
    assert forward == Ledger(frozenset(one + two), frozenset(modified))


def test_too_many_paths_are_folded_into_their_folders_the_modified_ones_last() -> None:
    ledger = Ledger(frozenset(f"src/{n}.py" for n in range(100)), frozenset({"src/1.py", "a.py"}))
    assert render(ledger, 60) == (
        "## Files Read\n- src/ (100 files)\n\n## Files Modified\n- a.py\n- src/1.py"
    )


def test_a_file_alone_in_its_folder_and_files_of_the_root_are_not_folded() -> None:
    ledger = Ledger(frozenset({"a.py", "b.py", "src/one.py", "lib/one.py", "lib/two.py"}))
    assert render(ledger, 10) == (
        "## Files Read\n- a.py\n- b.py\n- lib/ (2 files)\n- src/one.py\n\n## Files Modified\n(none)"
    )


def test_the_sections_of_the_model_are_cut_at_any_level_with_what_stands_below_them() -> None:
    text = (
        "# Goal\nx\n### Files Read\n- lies.py\n#### more\n- lies too\n## Progress\ny\n"
        "## **Files Modified:**\n- lies.py\n## Next Steps\nz\n## files changed\n- lies.py"
    )
    assert strip_sections(text) == "# Goal\nx\n## Progress\ny\n## Next Steps\nz"


def test_a_heading_in_a_code_block_is_no_section() -> None:
    text = "## Next Steps\n```sh\n# files read by the script\nls\n```\nend"
    assert strip_sections(text) == text


def test_relevant_files_is_a_section_of_the_model() -> None:
    assert strip_sections("## Relevant Files\n- a.py") == "## Relevant Files\n- a.py"
