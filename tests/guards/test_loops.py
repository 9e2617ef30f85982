"""Loops: what trips, what does not, and what happens after a nudge."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from holdfast.guards.loops import (
    Loops,
    Trip,
    begin,
    detect,
    guidance,
    nudged,
    record,
)
from tests.guards.sequences import Call, Sequence, productive, stuck

PRODUCTIVE = tuple(productive())
STUCK = tuple(stuck())


def follow(
    calls: Iterable[Call], state: Loops | None = None
) -> tuple[Loops, list[tuple[int, Trip]]]:
    """Do what a turn does: nudge at a first trip, stop at an escalation. Trips are numbered by call, from 1."""
    state = state or Loops()
    trips: list[tuple[int, Trip]] = []
    for number, call in enumerate(calls, 1):
        state = record(state, call.name, call.arguments, call.result, call.tree)
        trip = detect(state)
        if trip is None:
            continue
        trips.append((number, trip))
        if trip.escalated:
            break
        state = nudged(state)
    return state, trips


def calls(*letters: str, tree: str = "tree") -> list[Call]:
    """Each letter is a read of a file of this name; a lower-case one gives the same result each time."""
    return [
        Call("read_file", {"path": letter}, f"content of {letter}, always the same" * 9, tree)
        for letter in letters
    ]


def run(command: str, output: str, tree: str) -> Call:
    return Call("run_command", {"command": command}, output, tree)


# --------------------------------------------------------------------------------------------------- the forty sequences


@pytest.mark.parametrize("sequence", PRODUCTIVE, ids=lambda sequence: sequence.name)
def test_a_productive_turn_is_never_stopped(sequence: Sequence) -> None:
    assert len(sequence.calls) >= 40
    assert [trip for _, trip in follow(sequence.calls)[1] if trip.escalated] == []


@pytest.mark.parametrize("sequence", PRODUCTIVE, ids=lambda sequence: sequence.name)
def test_a_productive_turn_brings_progress_in_any_twelve_calls(sequence: Sequence) -> None:
    state, longest = Loops(), 0
    for call in sequence.calls:
        state = record(state, call.name, call.arguments, call.result, call.tree)
        longest = max(longest, state.since_progress)
    assert longest < 12


@pytest.mark.parametrize("sequence", STUCK, ids=lambda sequence: sequence.name)
def test_a_stuck_turn_is_nudged_and_then_stopped_within_15_calls(sequence: Sequence) -> None:
    assert sequence.stuck_at is not None
    _, trips = follow(sequence.calls)
    assert [trip.escalated for _, trip in trips] == [False, True]
    assert all(number > sequence.stuck_at for number, _ in trips)
    assert trips[1][0] - sequence.stuck_at <= 15


def test_there_are_twenty_of_each() -> None:
    assert (len({s.name for s in PRODUCTIVE}), len({s.name for s in STUCK})) == (20, 20)


# ----------------------------------------------------------------------------------------------------------- what trips


@pytest.mark.parametrize(
    ("letters", "trip"),
    [
        ("aa", None),
        ("aaa", Trip("identical", 3, escalated=False)),
        ("abab", None),
        ("ababa", None),
        ("ababab", Trip("cycle", 3, escalated=False)),
        ("abcabcabc", Trip("cycle", 3, escalated=False)),
        ("abcdabcdabcd", Trip("cycle", 3, escalated=False)),
        ("abcdeabcdeabcde", Trip("cycle", 3, escalated=False)),
        ("axaybazcaqrasa", Trip("duplicate", 6, escalated=False)),
        ("axaybazcaqra", None),
    ],
)
def test_repetition_trips(letters: str, trip: Trip | None) -> None:
    state = Loops()
    for call in calls(*letters):
        assert detect(state) is None
        state = record(state, call.name, call.arguments, call.result, call.tree)
    assert detect(state) == trip


def test_a_change_of_a_file_starts_the_count_of_a_duplicate_anew() -> None:
    before = calls(*"axayazba")
    after = calls(*"acadaeafag", tree="other")
    assert follow([*before, *after])[1] == []
    assert [trip.pattern for _, trip in follow([*before, *calls(*"acada")])[1]] == ["duplicate"]


def test_a_nudge_that_was_held_back_comes_with_the_next_repetition() -> None:
    state = Loops()
    for call in calls(*"aaaa"):
        state = record(state, call.name, call.arguments, call.result, call.tree)
    assert detect(state) == Trip("identical", 4, escalated=False)


def test_the_same_call_with_another_result_is_no_repetition() -> None:
    polls = [Call("run_command", {"command": "status"}, f"{i} % done", "tree") for i in range(30)]
    assert follow(polls)[1] == []


def test_the_order_of_the_arguments_does_not_hide_a_repetition() -> None:
    one = Call("read_file", {"path": "a", "first": 1}, "x", "tree")
    other = Call("read_file", {"first": 1, "path": "a"}, "x", "tree")
    assert follow([one, other, one])[1] == [(3, Trip("identical", 3, escalated=False))]


def test_a_tree_never_seen_clears_the_history() -> None:
    assert (
        follow([*calls("a", "a"), *calls("a", "a", tree="other"), *calls("a", tree="third")])[1]
        == []
    )


def test_going_back_to_a_tree_that_was_seen_does_not_clear_it() -> None:
    seen = [*calls("a", tree="other"), *calls("a", "a", tree="tree")]
    assert follow(seen, begin("tree"))[1] == [(3, Trip("identical", 3, escalated=False))]


def test_without_the_first_tree_going_back_passes_for_progress_once() -> None:
    assert follow([*calls("a", tree="other"), *calls("a", "a", tree="tree")])[1] == []


def test_twelve_calls_without_a_new_result_trip_and_a_new_one_among_them_starts_anew() -> None:
    quiet = [
        Call("search", {"pattern": f"name{i}"}, f"no matches for name{i}", "tree")
        for i in range(12)
    ]
    assert follow(quiet)[1] == [(12, Trip("no_progress", 12, escalated=False))]
    assert follow([*quiet[:11], *calls("a"), *quiet[:10]])[1] == []


def ranges(count: int) -> list[Call]:
    """The whole of a file, then ever other parts of it."""
    lines = [f"{n}| line {n}" for n in range(40)]
    parts = [lines, *(lines[n % 7 : 20 + n % 11] for n in range(count))]
    return [
        Call("read_file", {"path": "a", "start": n}, "\n".join(part), "tree")
        for n, part in enumerate(parts)
    ]


def test_parts_of_what_was_read_bring_nothing_new() -> None:
    assert follow(ranges(30))[1] == [
        (12, Trip("no_progress", 12, escalated=False)),
        (14, Trip("no_progress", 14, escalated=True)),
    ]


def test_what_echo_says_brings_nothing_new() -> None:
    echoes = [run(f'echo "Done, {n}"', f"Exit code 0.\nDone, {n}", "tree") for n in range(20)]
    assert [number for number, _ in follow(echoes)[1]] == [12, 14]


def test_another_file_is_news_whatever_is_in_it() -> None:
    state = begin("tree")
    for n in range(40):
        state = record(
            state, "read_file", {"path": f"f{n}.py"}, "1| x = 1", "tree", read=(f"f{n}.py",)
        )
        assert detect(state) is None
    for _ in range(11):
        state = record(
            state, "read_file", {"path": "f0.py", "end": 1}, "1| x = 1", "tree", read=("f0.py",)
        )
    assert detect(state) is not None


# ------------------------------------------------------------------------------------------------------------ no effect


def edited(*outputs: str) -> list[Call]:
    """Run the same command after each of so many edits."""
    return [run("pytest -q", output, f"tree {number}") for number, output in enumerate(outputs)]


def test_the_same_failure_across_four_edits_has_no_effect() -> None:
    assert follow(edited("1 failed", "1 failed", "1 failed"))[1] == []
    assert follow(edited("1 failed", "1 failed", "1 failed", "1 failed"))[1] == [
        (4, Trip("no_effect", 4, escalated=False))
    ]


def test_two_more_after_the_nudge_stop_the_turn() -> None:
    assert follow(edited(*["1 failed"] * 8))[1][1:] == [(6, Trip("no_effect", 6, escalated=True))]


def test_where_the_result_is_not_bad_it_takes_three_more() -> None:
    assert [number for number, _ in follow(edited(*["hello"] * 9))[1]] == [4, 7]


def test_a_look_now_and_then_among_commands_that_bring_news_is_no_attempt() -> None:
    looks = [
        call
        for n in range(20)
        for call in (
            run("python app.py", "hello", f"tree {n}"),
            run("pytest -q", f"{20 - n} failed", f"tree {n}"),
        )
    ]
    assert follow(looks)[1] == []


def test_a_build_that_succeeds_may_say_the_same_each_time() -> None:
    built = [run("make", "Exit code 0.\ncc -o app app.c", f"tree {n}") for n in range(30)]
    assert follow(built)[1] == []


def test_a_command_that_does_nothing_has_no_effect() -> None:
    idle = [run(": commit now", "Exit code 0.\n(no output)", f"tree {n}") for n in range(9)]
    assert [number for number, _ in follow(idle)[1]] == [4, 7]


def test_a_result_that_is_new_shows_an_effect() -> None:
    assert follow(edited(*["2 failed"] * 3, *["1 failed"] * 3, *["3 failed"] * 3))[1] == []


def test_a_new_result_after_the_nudge_takes_the_leash_off() -> None:
    trips = follow(edited(*["2 failed"] * 4, "1 failed", *["2 failed"] * 3))[1]
    assert trips == [(4, Trip("no_effect", 4, escalated=False))]


def test_a_new_result_of_another_command_leaves_the_leash_on() -> None:
    first, *_ = edited("1 failed")
    others = [run(f"python check{n}.py", f"value {n}", f"other {n}") for n in range(2)]
    after = [run(first.arguments["command"], "1 failed", f"late {n}") for n in range(2)]
    trips = follow([*edited(*["1 failed"] * 4), others[0], after[0], others[1], after[1]])[1]
    assert [(number, trip.escalated) for number, trip in trips] == [(4, False), (8, True)]


def test_a_good_result_again_and_again_is_no_bad_sign() -> None:
    assert follow(edited(*["12 passed in 0.1s"] * 30))[1] == []
    assert follow(edited(*["Exit code 0.\n(no output)"] * 30))[1] == []


def test_a_good_result_in_between_shows_an_effect() -> None:
    assert follow(edited(*["1 failed", "1 failed", "3 passed"] * 6))[1] == []


def test_where_things_stand_may_be_asked_after_each_edit() -> None:
    listings = [run("git status --short", " M a.py", f"tree {i}") for i in range(30)]
    assert follow(listings)[1] == []


def test_running_it_twice_without_an_edit_between_counts_once() -> None:
    twice = [call for call in edited("1 failed", "1 failed", "1 failed") for _ in range(2)]
    assert follow(twice)[1] == []


def test_a_command_that_changes_the_tree_itself_is_caught_too() -> None:
    logging = [run("./deploy.sh", "permission denied", f"log {i}") for i in range(10)]
    assert [trip.pattern for _, trip in follow(logging)[1]] == ["no_effect", "no_effect"]


# ------------------------------------------------------------------------------------------------- longer repetitions


def test_paging_a_file_in_small_steps_is_noticed_and_not_stopped() -> None:
    pages = [
        Call("read_file", {"path": "a.py", "start": n}, f"{n}  line {n}", "tree")
        for n in range(990, 0, -10)
    ]
    assert follow(pages, begin("tree"))[1] == [
        (number, Trip("paging", 24, escalated=False)) for number in (24, 48, 72, 96)
    ]


def test_a_nudge_about_paging_puts_nothing_on_a_leash() -> None:
    pages = [
        Call("read_file", {"path": "a.py", "start": n}, f"{n}  line {n}", "tree") for n in range(24)
    ]
    state, trips = follow(pages, begin("tree"))
    assert [(number, trip.pattern) for number, trip in trips] == [(24, "paging")]
    assert follow(calls(*"bbb"), state)[1] == [(3, Trip("identical", 3, escalated=False))]


def test_paging_in_large_steps_is_reading() -> None:
    pages = [
        Call(
            "read_file",
            {"path": "a.py", "start": n},
            "\n".join(f"{n + i}  line {n + i}" for i in range(60)),
            "tree",
        )
        for n in range(0, 3000, 60)
    ]
    assert follow(pages)[1] == []


@pytest.mark.parametrize("length", [6, 7, 8, 10])
def test_a_second_tour_of_the_same_look_ups_is_noticed_and_a_third_is_stopped(length: int) -> None:
    tour = [
        Call("search", {"pattern": f"name{i}"}, f"src/a{i}.py:{i}: name{i}", "tree")
        for i in range(length)
    ]
    assert follow(tour * 3)[1] == [
        (2 * length, Trip("cycle", 2, escalated=False)),
        (2 * length + 3, Trip("cycle", 5, escalated=True)),
    ]


def scripts(*errors: str) -> list[Call]:
    """Write a new script and run it, once for each error."""
    made = []
    for n, error in enumerate(errors):
        path = f"debug_{n}.py"
        made += [
            Call("write_file", {"path": path, "text": f"print({n})"}, "written", f"tree {n}"),
            run(f"python {path}", f'exit code 1\n  File "{path}"\n{error}', f"tree {n}"),
        ]
    return made


def test_a_new_script_each_time_with_the_same_failure_is_noticed_and_stopped() -> None:
    assert follow(scripts(*["KeyError: 'x'"] * 9))[1] == [
        (8, Trip("new_scripts", 4, escalated=False)),
        (12, Trip("new_scripts", 6, escalated=True)),
    ]


def test_the_name_of_the_script_in_its_failure_does_not_tell_two_failures_apart() -> None:
    named = []
    for n in range(9):
        write, ran = scripts(*[""] * (n + 1))[-2:]
        path = write.arguments["path"]
        named += [write, run(f"python {path}", f"exit code 1\n{path}: KeyError", ran.tree)]
    assert [number for number, _ in follow(named)[1]] == [8, 12]


def test_a_script_that_is_run_again_is_no_new_one() -> None:
    write, ran = scripts("KeyError: 'x'")
    again = [
        call
        for n in range(6)
        for call in (
            Call("edit_file", {"path": f"src/m{n}.py"}, "edited", f"tree {n + 1}"),
            run(f"python {write.arguments['path']} {n}", ran.result, f"tree {n + 1}"),
        )
    ]
    assert follow([write, ran, *again])[1] == []


def test_new_scripts_that_fail_in_other_ways_are_a_search() -> None:
    assert follow(scripts(*[f"KeyError: {n}" for n in range(20)]))[1] == []


def test_old_scripts_that_fail_in_the_same_way_are_no_new_ones() -> None:
    made = scripts(*["KeyError: 'x'"] * 5)
    looked = [Call("read_file", c.arguments, f"code {c.arguments}", "tree") for c in made[::2]]
    turns = [call for pair in zip(looked, made[1::2], strict=True) for call in pair]
    assert follow(turns)[1] == []


def test_a_listing_that_shows_the_failure_is_not_one_more_script() -> None:
    error = "KeyError: 'x'"
    shown = [run("git diff", f"exit code 1\n+ {n}\n{error}", f"tree {n}") for n in range(20, 23)]
    assert [number for number, _ in follow([*scripts(*[error] * 4), *shown])[1]] == [8]


def test_a_command_that_succeeds_between_new_scripts_starts_the_count_anew() -> None:
    made = scripts(*["KeyError: 'x'"] * 5)
    fine = run("pytest -q", "12 passed in 0.1s", made[5].tree)
    assert [number for number, _ in follow(made[:8])[1]] == [8]
    assert follow([*made[:6], fine, *made[6:]])[1] == []


def test_a_script_that_fails_in_another_way_takes_the_leash_off() -> None:
    same, other = "KeyError: 'x'", "OSError"
    assert [number for number, _ in follow(scripts(*[same] * 4, same, same))[1]] == [8, 12]
    assert [number for number, _ in follow(scripts(*[same] * 4, same, other, same))[1]] == [8]
    assert [number for number, _ in follow(scripts(*[same] * 4, other, same, same))[1]] == [8]


def test_a_poll_between_calls_that_bring_something_new_is_no_repetition() -> None:
    polls = [
        call
        for n in range(20)
        for call in (
            run("git status --short", " M a.py", "tree"),
            run("curl localhost/health", "starting", "tree"),
            Call("read_file", {"path": f"f{n}"}, f"content {n}", "tree"),
        )
    ]
    assert follow(polls)[1] == []


# ---------------------------------------------------------------------------------------------------------- after a nudge


def test_three_more_of_the_same_stop_the_turn() -> None:
    assert follow(calls(*"aaaaaaaa"))[1] == [
        (3, Trip("identical", 3, escalated=False)),
        (6, Trip("identical", 6, escalated=True)),
    ]


def test_something_new_after_a_nudge_takes_the_leash_off_but_the_next_trip_stops() -> None:
    assert follow(calls(*"aaa", "b", *"aaa"))[1] == [
        (3, Trip("identical", 3, escalated=False)),
        (7, Trip("identical", 3, escalated=True)),
    ]


def test_reading_other_files_again_after_a_nudge_is_not_more_of_the_same() -> None:
    assert len(follow(calls(*"bcdef", *"aaa", *"bcdef"))[1]) == 1


def test_a_nudge_is_forgiven_after_a_long_stretch_without_another_trip() -> None:
    letters = "bcdefghijklmnopqrstuvwxyz"
    assert [trip.escalated for _, trip in follow(calls(*"aaa", *letters, *"aaa"))[1]] == [
        False,
        False,
    ]
    assert [trip.escalated for _, trip in follow(calls(*"aaa", *letters[:21], *"aaa"))[1]] == [
        False,
        False,
    ]
    assert [trip.escalated for _, trip in follow(calls(*"aaa", *letters[:20], *"aaa"))[1]] == [
        False,
        True,
    ]


# ----------------------------------------------------------------------------------------------------------- the rest


def test_waiting_is_no_repetition_but_brings_nothing_either() -> None:
    waits = [run("sleep 5", "Exit code 0.\n(no output)", "tree")] * 20
    assert [(number, trip.pattern) for number, trip in follow(waits)[1]] == [
        (12, "no_progress"),
        (14, "no_progress"),
    ]


def test_the_state_does_not_grow_with_the_turn() -> None:
    state = begin("tree 0")
    for i in range(1_000):
        state = record(
            state, "run_command", {"command": f"make {i}"}, f"result {i}", f"tree {i // 2}"
        )
    assert len(repr(state.patterns)) < 60_000
    assert len(state.trees.young) + len(state.trees.old) <= 512


def test_the_lines_that_are_remembered_are_bounded_too() -> None:
    state = begin("tree")
    for i in range(200):
        lines = "\n".join(f"line {i * 90 + n}" for n in range(90))
        state = record(state, "read_file", {"path": "a", "start": i}, lines, "tree")
    assert len(state.results.young) + len(state.results.old) <= 8192


def test_progress_is_a_new_result_or_a_new_tree() -> None:
    state = begin("tree")
    counts = []
    for call in [*calls("a", "a", "b", "a"), *calls("a", tree="other")]:
        state = record(state, call.name, call.arguments, call.result, call.tree)
        counts.append(state.since_progress)
    assert counts == [0, 1, 0, 1, 0]


def test_a_nudge_does_not_count_as_progress() -> None:
    state, trips = follow(calls(*"aaa"))
    assert len(trips) == 1
    assert state.since_progress == 2


@pytest.mark.parametrize(
    "pattern",
    ["identical", "cycle", "duplicate", "no_progress", "no_effect", "paging", "new_scripts"],
)
def test_the_guidance_says_what_was_seen_and_what_to_do(pattern: str) -> None:
    message = guidance(Trip(pattern, 7, escalated=False))  # type: ignore[arg-type]  # parametrize gives a str
    assert " 7 " in message
    assert message.endswith("say so in plain text without a call.")
