"""Each pattern of a loop by itself: its limit, what is more of it after a nudge, and what ends it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from holdfast.guards.loop_patterns import (
    CallSeen,
    Duplicates,
    Found,
    NewScripts,
    NoEffect,
    NothingNew,
    Paging,
    Pattern,
    Rounds,
)

_PLAIN = CallSeen(
    name="read_file",
    call="",
    pair="",
    result="",
    path="",
    line="",
    output="",
    tree="t",
    new_lines=0,
    moved=False,
    progress=False,
    waits=False,
    tries=False,
)


def seen(pair: str, **fields: Any) -> CallSeen:
    """A call of this name whose result is its own."""
    return replace(_PLAIN, call=pair, pair=pair, result=f"result of {pair}", **fields)


def command(line: str, output: str, **fields: Any) -> CallSeen:
    return seen(f"{line}: {output}", name="run_command", line=line, output=output, **fields)


def attempt(line: str, output: str, tree: str) -> CallSeen:
    return replace(command(line, output, tree=tree, tries=True), call=line)


def after(pattern: Pattern, *calls: CallSeen) -> Pattern:
    for call in calls:
        pattern = pattern.after(call)
    return pattern


def reads(letters: str) -> list[CallSeen]:
    return [seen(letter) for letter in letters]


# ------------------------------------------------------------------------------------------- rounds


@pytest.mark.parametrize(
    ("letters", "found"),
    [
        ("aa", None),
        ("aaa", Found("identical", 3, 3)),
        ("aaaaa", Found("identical", 5, 3)),
        ("baaa", Found("identical", 3, 3)),
        ("ababa", None),
        ("bababa", Found("cycle", 3, 3)),
        ("abcabc", None),
        ("abcabcabc", Found("cycle", 3, 3)),
        ("abcdabcdabcd", Found("cycle", 3, 3)),
        ("abcdeabcde", None),
        ("abcdeabcdeabcde", Found("cycle", 3, 3)),
        ("abcdefabcde", None),
        ("abcdefabcdef", Found("cycle", 2, 3)),
        ("abcdefghijklmnopqrstuvwx" * 2, Found("cycle", 2, 3)),
        ("abcdefghijklmnopqrstuvwxy" * 2, None),
    ],
)
def test_a_short_round_is_found_at_the_third_time_and_a_long_one_at_the_second(
    letters: str, found: Found | None
) -> None:
    assert after(Rounds(), *reads(letters)).found() == found


def test_a_round_is_counted_anew_when_a_file_changes_and_a_rest_is_no_call() -> None:
    rest, edit = seen("z", waits=True), seen("e", moved=True)
    assert after(Rounds(), *reads("aa"), rest, *reads("a")).found() == Found("identical", 3, 3)
    assert after(Rounds(), *reads("aa"), edit, *reads("aa")).found() is None
    again = after(Rounds(), *reads("aa"), replace(edit, pair="a"), *reads("aa"))
    assert again.found() == Found("identical", 3, 3)


def test_after_a_nudge_each_call_of_the_round_is_more_of_it() -> None:
    rounds = after(Rounds(), *reads("xababab"))
    assert [rounds.repeats(call) for call in reads("abx")] == [True, True, False]
    assert rounds.cleared() == Rounds()
    news = [seen("a"), seen("a", progress=True), seen("a", moved=True)]
    assert list(map(rounds.is_over, news)) == [False, True, False]


# --------------------------------------------------------------------------------------- duplicates


def test_a_duplicate_is_found_at_the_sixth_time_among_others() -> None:
    calls = reads("abacadaea")
    assert after(Duplicates(), *calls).found() is None
    six = after(Duplicates(), *calls, seen("f"), seen("a"))
    assert six.found() == Found("duplicate", 6, 2)
    assert [six.repeats(call) for call in reads("ab")] == [True, False]
    over = [seen("a"), seen("a", progress=True), seen("a", moved=True)]
    assert list(map(six.is_over, over)) == [False, False, True]
    moved = after(Duplicates(), *calls, seen("f", moved=True), seen("a"))
    assert moved == Duplicates(("f", "a"), frozenset("abcdef"))


def test_a_poll_between_calls_that_bring_something_is_counted_once() -> None:
    poll = command("git status", "clean")
    news = [seen(letter, progress=True) for letter in "abcdefg"]
    between = [call for pair in zip([poll] * 7, news, strict=True) for call in pair]
    assert after(Duplicates(), *between) == Duplicates((poll.pair, *"abcdefg"), frozenset({"g"}))
    assert after(Duplicates(), *[poll] * 6).found() == Found("duplicate", 6, 2)
    assert after(Duplicates(), *[replace(poll, waits=True)] * 6) == Duplicates(
        (), frozenset({poll.pair})
    )
    # Only a command is a poll: a file that is read again was read before.
    read = [call for new in news for call in (seen("x"), new)]
    assert after(Duplicates(), *read).found() == Found("duplicate", 7, 2)


# ---------------------------------------------------------------------------------- nothing is new


def test_calls_without_news_are_counted_from_the_last_one_that_brought_some() -> None:
    quiet = [seen(str(number)) for number in range(12)]
    assert after(NothingNew(), *quiet[:11]).found() is None
    assert after(NothingNew(), *quiet).found() == Found("no_progress", 12, 2)
    news = seen("n", progress=True)
    assert after(NothingNew(), *quiet, news, *quiet[:10]).found() is None
    assert after(NothingNew(), *quiet, news, *quiet[:11]).found() == Found("no_progress", 12, 2)


@pytest.mark.parametrize(
    ("call", "is_more"),
    [
        (seen("a", path="a.py"), True),
        (seen("b", path="a.py"), True),
        (seen("a", path="b.py"), True),
        (seen("b", path="b.py"), False),
        (seen("b", path="a.py", name="edit_file"), False),
        (seen("b"), False),
        (seen("c"), True),
        (seen("c", name="edit_file"), True),
    ],
)
def test_a_known_result_or_a_known_file_is_more_of_nothing(call: CallSeen, is_more: bool) -> None:
    known = after(NothingNew(), seen("a", path="a.py"), seen("c"))
    assert known.repeats(call) is is_more


# ----------------------------------------------------------------------------------------- no effect

FAILS = "E  assert 1 == 2\nexit code 1"


def test_a_command_has_no_effect_with_the_same_output_on_four_trees() -> None:
    runs = [attempt("pytest", FAILS, f"t{number}") for number in range(5)]
    assert after(NoEffect(), *runs[:3]).found() is None
    four = after(NoEffect(), *runs[:4])
    assert isinstance(four, NoEffect)
    assert four.found() == Found("no_effect", 4, 2)
    assert [four.repeats(run) for run in runs[2:]] == [True, False, True]
    assert not four.repeats(attempt("ruff", FAILS, "t9"))
    ends = [attempt("pytest", text, "t9") for text in (FAILS, "E  assert 3\nexit code 1")]
    assert list(map(four.is_over, [*ends, attempt("ruff", "E", "t9")])) == [False, True, False]
    # A nudge about something else takes nothing away from three; of four the last remains.
    assert after(NoEffect(), *runs[:3]).cleared() == after(NoEffect(), *runs[:3])
    assert four.cleared() == NoEffect(four.runs[-1:])
    # The same tree twice is one; and a command that only looks is not counted.
    assert after(NoEffect(), *runs[:3], runs[2]).found() is None
    assert after(NoEffect(), *runs[:3], replace(runs[3], tries=False)).found() is None


# -------------------------------------------------------------------------------------------- paging


@pytest.mark.parametrize(
    ("between", "count"),
    [
        (seen("a", path="a.py", new_lines=20), 4),
        (seen("a", path="a.py", new_lines=21), 2),
        (seen("a", path="b.py", new_lines=20), 2),
        (seen("a", path="a.py", name="search"), 2),
    ],
)
def test_a_page_of_another_file_or_a_large_one_ends_the_paging(
    between: CallSeen, count: int
) -> None:
    page = seen("a", path="a.py", new_lines=1)
    assert after(Paging(), page, between, page, page) == Paging("a.py", count)


def test_paging_is_found_at_the_twenty_fourth_page_and_never_stops_a_turn() -> None:
    page = seen("a", path="a.py", new_lines=1)
    assert after(Paging(), *[page] * 23).found() is None
    assert after(Paging(), *[page] * 24).found() == Found("paging", 24, None)


# --------------------------------------------------------------------------------------- new scripts


def write(path: str) -> CallSeen:
    return seen(f"write {path}", name="write_file", path=path, moved=True)


def test_new_scripts_that_fail_in_the_same_way_are_counted_by_their_last_line() -> None:
    def script(name: str, output: str = "") -> tuple[CallSeen, CallSeen]:
        failure = output or f"Traceback\n{name}: no such key"
        return write(name), command(f"python {name}", f"{failure}\nexit code 1", tries=True)

    three = [call for name in ("a.py", "b.py", "c.py") for call in script(name)]
    assert after(NewScripts(), *three).found() is None
    four = after(NewScripts(), *three, *script("d.py"))
    assert four.found() == Found("new_scripts", 4, 2)
    assert four.cleared() == NewScripts()


@pytest.mark.parametrize(
    ("output", "tries", "repeats", "is_over"),
    [
        ("exit code 1\nat line 3", True, True, False),
        ("exit code 1\nat line 4", True, False, True),
        ("exit code 0\nat line 3", True, False, True),
        ("exit code 1\nat line 3", False, False, False),
        ("exit code 1\nat line 4", False, False, False),
    ],
)
def test_after_a_nudge_only_an_attempt_that_fails_in_the_same_way_is_one_more(
    output: str, tries: bool, repeats: bool, is_over: bool
) -> None:
    scripts = [
        call
        for name in ("a.py", "b.py", "c.py", "d.py")
        for call in (
            write(name),
            command(f"python {name}", "exit code 1\nat line 3", tries=True),
        )
    ]
    four = after(NewScripts(), *scripts)
    assert four.found() == Found("new_scripts", 4, 2)
    call = command("python e.py", output, tries=tries)
    assert (four.repeats(call), four.is_over(call)) == (repeats, is_over)
