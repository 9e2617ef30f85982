"""Twenty long turns of an agent that gets on, as lists of replies. None of them may be stopped.

They look like what agents do all day: read much, edit, run the same check again and again, poll, commit, go astray for a
while and come back.
"""

from __future__ import annotations

from collections.abc import Callable

from holdfast.testing import Reply, call, calls, text_call

Script = list[Reply]
CHECK = "sh check.sh"


def read(n: int) -> Reply:
    return call("read_file", path=f"src/m{n}.py")


def run(command: str) -> Reply:
    return call("run_command", command=command)


def edit(n: int, old: str, new: str) -> Reply:
    return call("edit_file", path=f"src/m{n}.py", old=old, new=new)


def rerate(n: int, rate: int) -> Reply:
    """Change the rate of a module; works as long as the module is as it was."""
    return edit(n, f"RATE_{n} = {n}\n", f"RATE_{n} = {rate}\n")


def comment(n: int, number: int) -> Reply:
    """Put one more comment at the end of a module's first line; works any number of times."""
    return edit(n, f"def scale_{n}(value):\n", f"# note {number}\ndef scale_{n}(value):\n")


def fix_one_failure_after_the_other() -> Script:
    replies = [
        call(
            "write_file", path="expected", text="".join(f"m{n}.py = {n + 500}\n" for n in range(15))
        )
    ]
    for n in range(15):
        replies += [run(CHECK), read(n), rerate(n, n + 500)]
    return [*replies, run(CHECK)]


def edit_one_file_forty_times() -> Script:
    return [comment(3, number) for number in range(42)]


def read_the_file_after_each_edit_of_it() -> Script:
    return [reply for number in range(21) for reply in (comment(3, number), read(3))]


def refactor_under_a_green_check() -> Script:
    replies: Script = []
    for n in range(21):
        replies += [edit(n, f"def shift_{n}(value)", f"def move_{n}(value)"), run(CHECK)]
    return replies


def refactor_one_file_under_a_green_check() -> Script:
    return [reply for number in range(21) for reply in (comment(5, number), run(CHECK))]


def explore_many_files() -> Script:
    replies = [
        call("list_dir", path="."),
        call("list_dir", path="src"),
        call("find_files", pattern="**/*.py"),
    ]
    for n in range(20):
        replies += [call("search", pattern=f"scale_{n}\\b"), read(n)]
    return [*replies, read(0), read(1), call("list_dir", path="src"), rerate(1, 7), run(CHECK)]


def read_a_long_file_in_pieces() -> Script:
    return [
        call("read_file", path="src/long.py", start=at, end=at + 24) for at in range(1, 1100, 25)
    ]


def poll_a_build() -> Script:
    return [run("sh poll.sh") for _ in range(45)]


def poll_a_slow_build_with_waits() -> Script:
    """Every target takes two looks, and between the looks it waits."""
    return [reply for _ in range(30) for reply in (run("sleep 0.01"), run("sh poll.sh built 2"))]


def the_same_failure_three_times_then_the_next() -> Script:
    replies: Script = []
    for n in range(6):
        replies.append(call("write_file", path="expected", text=f"m{n}.py = {n + 500}\n"))
        for number in range(3):
            replies += [comment(n, number), run(CHECK)]
        replies += [rerate(n, n + 500), run(CHECK)]
    return replies


def refused_edits_that_are_put_right() -> Script:
    replies: Script = []
    for n in range(11):
        replies += [
            edit(n, f"def scale_{n}(self, other):\n    pass\n", "x\n"),
            edit(n, f"class Scale{n}:\n    rate = 1\n", "x\n"),
            read(n),
            rerate(n, n + 500),
        ]
    return replies


def commit_after_each_edit() -> Script:
    replies: Script = []
    for n in range(11):
        replies += [rerate(n, n + 500), run("git status --short"), run("git diff --stat")]
        replies.append(run(f"git add -A && git commit -qm 'step {n}'"))
    return [*replies, run("git log --oneline"), run("git status --short")]


def a_check_that_is_flaky() -> Script:
    return [reply for number in range(21) for reply in (comment(5, number), run("sh flaky.sh"))]


def compile_after_each_edit() -> Script:
    """A build prints the same lines each time, and none of them says that all is well."""
    return [reply for number in range(21) for reply in (comment(5, number), run("make"))]


def write_new_files_and_look_at_the_folder() -> Script:
    replies: Script = []
    for n in range(21):
        replies += [
            call("write_file", path=f"docs/page{n}.md", text=f"# Page {n}\n"),
            call("list_dir", path="docs"),
        ]
    return replies


def go_back_and_try_another_way() -> Script:
    replies: Script = []
    for n in range(9):
        replies += [
            edit(n, f"return value * RATE_{n}", f"return wrong * RATE_{n}"),
            run(CHECK),
            edit(n, f"return wrong * RATE_{n}", f"return value * RATE_{n}"),
            edit(n, f"return value * RATE_{n}", f"return RATE_{n} * value"),
            run(CHECK),
        ]
    return replies


def two_checks_by_turns() -> Script:
    replies: Script = []
    for n in range(14):
        replies += [rerate(n, n + 500), run(f"grep -c '= {n}$' src/m{n}.py"), run(CHECK)]
    return replies


def look_for_what_is_not_there() -> Script:
    replies: Script = []
    for n in range(11):
        replies += [
            call("search", pattern=f"class Rate{n}\\b"),
            call("search", pattern=f"RATE{n}\\b"),
            call("search", pattern=f"RATE_{n}\\b"),
            read(n),
        ]
    return replies


def everything_with_a_shell() -> Script:
    """An agent that knows no tool but the shell: it reads, edits and looks with it, often at the same things."""
    replies = [run("ls"), run("git status"), run("cat expected")]
    for n in range(10):
        replies += [
            run(f"sed -n '1,20p' src/m{n}.py"),
            run(f"sed -i 's/RATE_{n} = {n}$/RATE_{n} = {n + 500}/' src/m{n}.py"),
            run("git diff --stat"),
            run(f"{CHECK} 2>&1 | tail -n 3"),
        ]
    return [*replies, run("ls"), run("git status")]


def a_day_of_mixed_work() -> Script:
    """Several calls in a reply, calls printed as text, missing files, a hard bug that gives way in the end."""
    replies = [
        calls(
            call("list_dir", path="."), call("list_dir", path="src"), text="First a look around."
        ),
        calls(*(read(n) for n in range(5))),
        call("read_file", path="src/missing.py"),
        call("read_file", path="src/also_missing.py"),
        text_call("search", pattern="def scale_"),
        call("write_file", path="expected", text="m7.py = 507\n"),
    ]
    for number in range(3):
        replies += [run(CHECK), read(7), comment(7, number)]
    replies += [call("search", pattern="RATE_7"), read(8), read(9), rerate(7, 507), run(CHECK)]
    for n in range(10, 18):
        replies += [
            calls(read(n), text="Next."),
            text_call(
                "edit_file",
                style="bare",
                path=f"src/m{n}.py",
                old=f"RATE_{n} = {n}\n",
                new=f"RATE_{n} = 1\n",
            ),
            run(CHECK),
        ]
    return [*replies, run("git diff --stat"), run(CHECK), run("git status --short")]


PRODUCTIVE: tuple[Callable[[], Script], ...] = (
    fix_one_failure_after_the_other,
    edit_one_file_forty_times,
    read_the_file_after_each_edit_of_it,
    refactor_under_a_green_check,
    refactor_one_file_under_a_green_check,
    explore_many_files,
    read_a_long_file_in_pieces,
    poll_a_build,
    poll_a_slow_build_with_waits,
    the_same_failure_three_times_then_the_next,
    refused_edits_that_are_put_right,
    commit_after_each_edit,
    a_check_that_is_flaky,
    compile_after_each_edit,
    write_new_files_and_look_at_the_folder,
    go_back_and_try_another_way,
    two_checks_by_turns,
    look_for_what_is_not_there,
    everything_with_a_shell,
    a_day_of_mixed_work,
)
