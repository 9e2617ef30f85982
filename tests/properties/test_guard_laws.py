"""The laws of the guards, for any calls, any stream, any command. Where a shell decides, a real one is asked."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hypothesis import assume, event, example, given
from hypothesis import strategies as st

from holdfast.guards import loops, mistakes
from holdfast.guards.call_digest import digest_call, digest_result, mask
from holdfast.guards.commands import Allow, AllowRead, CommandRules, Refuse, argv, judge_command
from holdfast.guards.repetition import Repetition, RepetitionWatch
from holdfast.guards.secrets import is_secret
from holdfast.guards.shell.words import split_words
from holdfast.guards.step_cap import StepCaps, judge
from holdfast.vocab.tool_calls import FAILURE_KINDS, FailureKind
from tests.waiting import LONGEST

# ------------------------------------------------------------------------------------------------------------- mistakes

outcomes = st.lists(st.sampled_from((*FAILURE_KINDS, None)), max_size=40)


@given(outcomes, st.lists(st.booleans(), min_size=40, max_size=40))
def test_mistakes_are_the_state_machine_of_the_design(
    made: list[FailureKind | None], held: list[bool]
) -> None:
    state = mistakes.Mistakes()
    run, nudges = 0, 0
    for outcome, hold in zip(made, held, strict=False):
        state = mistakes.record(state, outcome)
        run, nudges = (0, 0) if outcome is None else (run + 1, nudges)
        expected = None if run < 3 else "escalate" if nudges else "nudge"
        assert mistakes.detect(state) == expected
        assert (len(state.run), state.nudges) == (run, nudges)
        if expected == "escalate" and not hold:
            return
        if expected == "nudge" and not hold:
            state = mistakes.nudged(state)
            run, nudges = 0, nudges + 1


# ---------------------------------------------------------------------------------------------------------------- loops

names = st.sampled_from(("read_file", "run_command", "edit_file"))
letters = st.integers(0, 6)
steps = st.lists(st.tuples(names, letters, letters, letters), max_size=80)


def follow(
    calls: Sequence[tuple[str, str, str, str]], state: loops.Loops
) -> tuple[loops.Loops, int | None]:
    """Nudge and stop as a turn does; give the number of calls after which it was stopped."""
    for number, (name, argument, result, tree) in enumerate(calls, 1):
        state = loops.record(state, name, {"command": argument}, result, tree)
        trip = loops.detect(state)
        if trip and trip.escalated:
            return state, number
        if trip:
            state = loops.nudged(state)
    return state, None


def spelled(made: list[tuple[str, int, int, int]]) -> list[tuple[str, str, str, str]]:
    return [(name, f"argument {a}", f"result {b} failed", f"tree {c}") for name, a, b, c in made]


@given(steps)
def test_calls_that_bring_something_new_each_time_never_trip(
    made: list[tuple[str, int, int, int]],
) -> None:
    news = [
        (name, a, f"result {i} of many", tree) for i, (name, a, _, tree) in enumerate(spelled(made))
    ]
    state = loops.Loops()
    for name, argument, result, tree in news:
        state = loops.record(state, name, {"command": argument}, result, tree)
        assert loops.detect(state) is None
        assert state.since_progress == 0


@given(steps, st.integers(1, 5), names)
def test_a_loop_of_up_to_five_calls_is_stopped_whatever_was_before(
    made: list[tuple[str, int, int, int]], period: int, name: str
) -> None:
    state, stopped = follow(spelled(made), loops.begin("start"))
    assume(stopped is None)
    tree = "tree of the loop"
    loop = [(name, f"loop {i % period}", f"loop result {i % period}", tree) for i in range(40)]
    stop = follow(loop, state)[1]
    assert stop is not None
    assert stop <= (15 if period < 5 else 18)


@given(steps)
def test_calls_that_differ_and_bring_nothing_are_stopped_within_15(
    made: list[tuple[str, int, int, int]],
) -> None:
    state, stopped = follow(spelled(made), loops.begin("start"))
    assume(stopped is None)
    quiet = [
        ("run_command", f": commit now {i}", "Exit code 0.\n(no output)", "start")
        for i in range(15)
    ]
    assert follow(quiet, state)[1] is not None


@given(steps)
def test_the_state_of_loops_is_bounded_and_looking_changes_nothing(
    made: list[tuple[str, int, int, int]],
) -> None:
    state = loops.Loops()
    for name, argument, result, tree in spelled(made):
        before = state
        state = loops.record(state, name, {"command": argument}, result, tree)
        assert loops.record(before, name, {"command": argument}, result, tree) == state
        assert loops.detect(state) == loops.detect(state)
        trip = loops.detect(state)
        if trip and not trip.escalated:
            after = loops.nudged(state)
            # A nudge gives a chance: it takes another call to trip again.
            assert loops.detect(after) is None
            assert after.since_progress == state.since_progress
            state = after
        assert len(repr(state.patterns)) < 60_000


@given(st.integers(0, 300), st.integers(0, 300))
def test_the_hard_cap_holds_and_progress_only_lifts_the_soft_one(taken: int, since: int) -> None:
    verdict = judge(taken, since, StepCaps())
    assert (verdict == "hard") == (taken >= 200)
    assert verdict != "soft" or (taken >= 60 and since >= 12)
    assert judge(taken, 0, StepCaps()) in {None, "hard"}


# -------------------------------------------------------------------------------------------------------------- digests

json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.text(max_size=8), st.dictionaries(st.text(max_size=4), json, max_size=4))
def test_a_call_has_one_digest_in_any_order(name: str, arguments: dict[str, object]) -> None:
    turned = dict(reversed(arguments.items()))
    assert digest_call(name, arguments) == digest_call(name, turned)


@given(st.text(st.characters(exclude_characters="0123456789")), st.text(max_size=8))
def test_a_text_without_numbers_has_no_noise(text: str, argument: str) -> None:
    assume("/tmp/" not in text)
    assert mask(text) == text
    assert digest_result(text, {"x": argument}) == digest_result(text, {"x": argument})


@given(
    st.integers(0, 23),
    st.integers(0, 59),
    st.integers(0, 59),
    st.integers(0, 10**6),
    st.integers(1, 99),
)
def test_times_are_masked_and_percentages_are_not(
    hour: int, minute: int, second: int, took: int, percent: int
) -> None:
    text = f"{hour:02}:{minute:02}:{second:02} {percent} % after {took}ms (took {took / 100}s)"
    assert mask(text) == f"<clock> {percent} % after <took> (took <took>)"


# --------------------------------------------------------------------------------------------------------------- chants

words = st.text("abcdef .,\n`", min_size=1, max_size=30)


def hear(text: str, cuts: Sequence[int]) -> Repetition | None:
    listener = RepetitionWatch()
    at = 0
    for cut in [*cuts, len(text)]:
        found = listener.feed("text", text[at : at + cut])
        at += cut
        if found:
            return found
    return None


@given(
    st.lists(words, max_size=20),
    words,
    st.integers(0, 120),
    st.lists(st.integers(0, 300), max_size=10),
)
def test_where_a_stream_is_cut_makes_no_difference(
    before: list[str], unit: str, times: int, cuts: list[int]
) -> None:
    text = " ".join(before) + unit * times
    assert hear(text, cuts) == hear(text, [])


@given(
    st.text(st.characters(exclude_characters="`~"), max_size=400),
    st.text("abc xyz", min_size=1, max_size=600),
)
def test_any_period_is_noticed_after_enough_of_it(before: str, unit: str) -> None:
    assume(unit.strip())
    times = max(3 if len(unit) > 150 else 6, 300 // len(unit) + 1)
    text = before + unit * times
    # One stride more: a look is taken only each 64 characters.
    assert hear(text + unit * (64 // len(unit) + 1), []) is not None


@given(st.text(max_size=2_000))
def test_no_text_makes_a_listener_fail(text: str) -> None:
    for channel in ("text", "reasoning", "arguments"):
        listener = RepetitionWatch()
        assert listener.feed(channel, "") is None
        listener.feed(channel, text)


# ------------------------------------------------------------------------------------------------------------- commands

PIECES: Final = (
    *(
        "ls",
        "echo",
        "cat",
        "a",
        "b",
        "git status",
        "find .",
        "sort",
        "head -1",
        "test",
        "true",
        "touch",
        "touch pwned",
    ),
    *(
        "touch pwned;",
        "$(touch pwned)",
        "`touch pwned`",
        "<(touch pwned)",
        "${X:-$(touch pwned)}",
        "pwned",
        "x=1",
        "-o",
    ),
    *(
        " ",
        " ",
        "  ",
        "\t",
        "\n",
        "\\\n",
        ";",
        "&&",
        "||",
        "|",
        "&",
        "(",
        ")",
        "{ ",
        " }",
        "#",
        "!",
        "if ",
        "then ",
        "fi",
    ),
    *(
        "'",
        '"',
        "\\",
        "$",
        "`",
        "$(",
        "${",
        "}",
        "$((",
        "))",
        "<",
        ">",
        ">>",
        "<<",
        "<<<",
        "2>",
        "&>",
        ">&",
        "<(",
        ">(",
    ),
    *(
        "EOF",
        "\nEOF\n",
        "*",
        "?",
        "[",
        "]",
        "~",
        "=",
        "-",
        "--",
        "--output=pwned",
        "-exec",
        "{}",
        "a=b",
        "é",
        "$'",
        "1",
    ),
)
SAFE: Final = (
    "ls -la",
    "echo 'x y'",
    'echo "x $(pwd) y"',
    "cat a",
    "cat a | sort",
    "find . -name a",
    "test -f a && true",
    ":",
)


@st.composite
def nearly_safe(draw: st.DrawFn) -> str:
    """Safe commands, with some pieces put in anywhere."""
    command = draw(st.sampled_from((";", " && ", " | ", "\n"))).join(
        draw(st.lists(st.sampled_from(SAFE), min_size=1, max_size=3))
    )
    for piece in draw(st.lists(st.sampled_from(PIECES), max_size=3)):
        at = draw(st.integers(0, len(command)))
        command = command[:at] + piece + command[at:]
    return command


commands = st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.lists(
    st.sampled_from(PIECES), max_size=14
).map(" ".join)


@given(commands | nearly_safe())
@example("echo a\\\n;touch pwned")
@example("echo '\\'; touch pwned")
@example('echo "\\"; touch pwned"')
@example("echo a#;touch pwned")
@example("echo $(echo ')'; touch pwned)")
@example("echo ${X:-'}'}; touch pwned")
@example('echo "${X:-`touch pwned`}"')
@example("cat <<EOF\n`touch pwned`\nEOF")
@example("ls &>/dev/null touch pwned")
@example('echo `echo "\\\\$(touch pwned)"`')
def test_a_command_that_runs_unasked_leaves_no_trace(command: str) -> None:
    """Of all these pieces only `touch pwned`, a redirection or an option makes a file; a real shell tells."""
    allowed = isinstance(judge_command(command, CommandRules()), AllowRead)
    event("allowed" if allowed else "not allowed")
    if not allowed:
        return
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "a").write_text("one\n")
        before = sorted(Path(place).iterdir())
        for shell in ("sh", "bash"):
            subprocess.run(
                [shell, "-c", command],
                cwd=place,
                timeout=LONGEST,
                check=False,
                capture_output=True,
                stdin=subprocess.DEVNULL,
            )
        assert sorted(Path(place).iterdir()) == before


PLAIN: Final = (
    *("ls 'a b'", '"c d"', "e\\ f", "a#b", "a=b", "--x=y", "\\\n", '"\\$ \\n"', '"y\'$"', "'x\"'"),
    *("a", "1", "é", "-", "$", "=", "[", "]", "{}", "\\'", '\\"', "\t", "'", '"', "#", "~", "*"),
)


@given(
    st.lists(st.sampled_from(PLAIN), min_size=1, max_size=8).flatmap(
        lambda pieces: st.sampled_from((" ".join(pieces), "ls " + "".join(pieces)))
    )
)
def test_the_words_of_a_command_are_those_a_shell_finds(command: str) -> None:
    assume(isinstance(split_words(command), tuple) and not command.endswith("2>&1"))
    event("plain")
    line = f"printf '%s\\0' {command.lstrip()}"
    said = subprocess.run(
        ["sh", "-c", line],
        timeout=LONGEST,
        check=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    ).stdout
    assert said.decode() == "".join(f"{word}\0" for word in argv(command))


@given(
    commands,
    st.sampled_from((";", "&&", "||", "|", "\n", "&", "; (", " $(")),
    st.sampled_from(
        (("sudo x", "sudo acts as another user"), ("rm -rf /", "rm changes all of '/'"))
    ),
)
def test_harm_is_found_behind_any_operator(
    command: str, operator: str, harm: tuple[str, str]
) -> None:
    harmful, why = harm
    assume("#" not in command)
    verdict = judge_command(f"{command}{operator}{harmful}", CommandRules(allow=("*",)))
    assert isinstance(verdict, Refuse)
    assert verdict.message.endswith(
        f": {why}. Commands of this kind are never run; find another way."
    )


@given(commands, st.sampled_from((";", "&&", "||", "|", "\n", "&")))
def test_a_rule_never_reaches_across_an_operator(command: str, operator: str) -> None:
    assume("#" not in command)
    rules = CommandRules(allow=("ls *", "make *"))
    assert judge_command(f"make {operator} evil {command}", rules) != Allow()


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_judged(command: str, rule: str) -> None:
    rules = CommandRules((rule,), (rule,), (rule,))
    assert judge_command(command, rules) is not None
    assert argv(command)
    assert isinstance(is_secret(command), bool)
