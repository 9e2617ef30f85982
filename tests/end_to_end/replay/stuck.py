"""Ways to be stuck for ever: each gives the n-th reply. Whatever came before, each has to be stopped within 15 replies.

Each is a function of the number of replies since it got stuck; real files, real commands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from holdfast.testing import Reply, call, calls, say, text_call, think

Tail = Callable[[int], Reply]
WORDS = (
    "now",
    "at once",
    "finally",
    "for real",
    "again",
    "please",
    "the work",
    "everything",
    "all changes",
)


def run(command: str) -> Reply:
    return call("run_command", command=command)


def read(path: str) -> Reply:
    return call("read_file", path=path)


def the_same_read(n: int) -> Reply:
    return read("src/m30.py")


def two_reads_by_turns(n: int) -> Reply:
    return read(f"src/m{30 + n % 2}.py")


def three_calls_by_turns(n: int) -> Reply:
    return (read("src/m30.py"), run("sh check.sh"), call("search", pattern="scale_30"))[n % 3]


def four_calls_by_turns(n: int) -> Reply:
    return (
        read("src/m30.py"),
        call("list_dir", path="src"),
        read("src/m31.py"),
        run("git status"),
    )[n % 4]


def five_reads_by_turns(n: int) -> Reply:
    return read(f"src/m{n % 5}.py")


def edits_to_and_fro(n: int) -> Reply:
    old, new = ("value", "amount") if n % 2 == 0 else ("amount", "value")
    return call(
        "edit_file",
        path="src/m30.py",
        old=f"def scale_30({old}):\n    return {old} * RATE_30\n",
        new=f"def scale_30({new}):\n    return {new} * RATE_30\n",
    )


def edits_to_and_fro_with_a_check(n: int) -> Reply:
    return edits_to_and_fro(n // 2) if n % 2 == 0 else run("sh check.sh")


def the_same_file_written_again(n: int) -> Reply:
    return call("write_file", path="docs/new.md", text="# New\n")


def white_space_to_and_fro(n: int) -> Reply:
    """Now with a blank more, now with a line more, now as it was."""
    return call(
        "write_file", path="docs/guide.md", text=("# Guide \n", "# Guide\n\n", "# Guide\n")[n % 3]
    )


def commit_now_in_other_words(n: int) -> Reply:
    return run(f": commit {WORDS[n % len(WORDS)]} {WORDS[n // len(WORDS) % len(WORDS)]} {n}")


def say_it_with_echo(n: int) -> Reply:
    """The output differs each time, but only because the command says so itself."""
    return run(f'echo "Done {WORDS[n % len(WORDS)]}, attempt {n}"')


def the_same_failing_check(n: int) -> Reply:
    return run("sh -c 'echo FAILED test_rates in 0.$$s; exit 1'")


def edits_that_do_not_help(n: int) -> Reply:
    if n % 2:
        return run("sh -c 'echo FAILED test_rates: assert 1 == 2; exit 1'")
    return call(
        "edit_file", path="src/m30.py", old="RATE_30 = 30\n", new=f"RATE_30 = 30\nTRY_{n} = {n}\n"
    )


def the_same_files_in_another_order(n: int) -> Reply:
    order = (0, 3, 1, 4, 2, 5, 1, 0, 5, 3, 2, 4, 4, 0, 3)
    return read(f"src/m{order[(n * 7) % len(order)]}.py")


def searches_that_find_nothing(n: int) -> Reply:
    return call(
        "search", pattern=f"{WORDS[n % len(WORDS)].replace(' ', '_')}_handler_{n}", path="src"
    )


def refused_edits_in_variations(n: int) -> Reply:
    return call(
        "edit_file", path="src/m30.py", old=f"def nothing_like_it_{n}(self):\n", new="pass\n"
    )


def refused_edits_with_reads_between(n: int) -> Reply:
    return refused_edits_in_variations(n) if n % 2 == 0 else read("src/m30.py")


def malformed_arguments(n: int) -> Reply:
    return call(
        "edit_file", ('{"path": "src/m30.py", "old": ', "[]", '{"file": {"name": 3}}', "{{{")[n % 4]
    )


def tools_that_do_not_exist(n: int) -> Reply:
    return call(("deploy", "browser_open", "think_harder", "ask_human")[n % 4], text=f"{n}")


def printed_calls_that_do_not_exist(n: int) -> Reply:
    return text_call("read_file", style="hermes", path=f"src/gone_{n}.py")


def nothing_at_all(n: int) -> Reply:
    return say("")


def only_thoughts(n: int) -> Reply:
    return think(f"Hmm, what about it, {n}? I wonder.")


def nothing_but_announcements(n: int) -> Reply:
    return say(f"I see what is wrong. Now let me write the file {WORDS[n % len(WORDS)]}.")


def cut_calls(n: int) -> Reply:
    """The limit on tokens comes before the end of the file, each time."""
    return replace(
        call("write_file", '{"path": "docs/new.md", "text": "# New\\nand so on'), finish="length"
    )


def chants(n: int) -> Reply:
    return say("I will now fix the rates and then run the check again.\n" * 40)


def one_folder_in_many_spellings(n: int) -> Reply:
    return call("list_dir", path=("src", "./src", "src/", "./src/", "src//", ".//src")[n % 6])


def wait_for_what_does_not_come(n: int) -> Reply:
    return run("sleep 0.01") if n % 2 == 0 else run("cat docs/guide.md")


def wait_and_look_in_one_command(n: int) -> Reply:
    return run(f"sleep 0.0{n % 9 + 1} && cat docs/guide.md")


def several_calls_in_each_reply(n: int) -> Reply:
    return calls(*(read(f"src/m{m}.py") for m in range(7)), text=f"Once more, {n}.")


def ranges_of_what_was_read(n: int) -> Reply:
    """The whole file at first; then ever other ranges of it."""
    return (
        call("read_file", path="src/m30.py")
        if n == 0
        else call("read_file", path="src/m30.py", start=1 + n % 4, end=6 + n % 6)
    )


def the_same_answer_to_other_questions(n: int) -> Reply:
    return call(
        "search",
        pattern=("RATE_30 =", "RATE_30 = 30", "^RATE_30", "RATE_30 = \\d+", "^RATE_30 .*")[n % 5],
    )


def commit_what_is_committed(n: int) -> Reply:
    return run(f"git commit -am 'Fix the rates, {WORDS[n % len(WORDS)]}'")


STUCK: tuple[Tail, ...] = (
    the_same_read,
    two_reads_by_turns,
    three_calls_by_turns,
    four_calls_by_turns,
    edits_to_and_fro,
    edits_to_and_fro_with_a_check,
    the_same_file_written_again,
    white_space_to_and_fro,
    commit_now_in_other_words,
    say_it_with_echo,
    the_same_failing_check,
    edits_that_do_not_help,
    searches_that_find_nothing,
    refused_edits_in_variations,
    malformed_arguments,
    tools_that_do_not_exist,
    printed_calls_that_do_not_exist,
    nothing_at_all,
    only_thoughts,
    nothing_but_announcements,
    cut_calls,
    chants,
    one_folder_in_many_spellings,
    wait_for_what_does_not_come,
    wait_and_look_in_one_command,
    several_calls_in_each_reply,
    ranges_of_what_was_read,
    the_same_answer_to_other_questions,
    commit_what_is_committed,
)

LATE: Mapping[Tail, int] = {
    five_reads_by_turns: 18,
    the_same_files_in_another_order: 21,
    refused_edits_with_reads_between: 16,
}
"""Stuck too, and stopped later than the fifteen replies that are wanted: their first round brings something new."""
