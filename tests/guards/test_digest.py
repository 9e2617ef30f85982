"""What of a result is chance, and what is news."""

from __future__ import annotations

import pytest

from holdfast.guards.call_digest import digest_call, digest_result, mask, news_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3 passed in 0.03s", "3 passed in 12.41s"),
        ("2026-01-02 10:11:12 failed", "2026-01-03 23:59:59 failed"),
        ("2026-01-02T10:11:12.123Z failed", "2026-02-02T09:11:12.999Z failed"),
        ("[10:11:12] failed", "[10:11:13] failed"),
        ("Jan 12 10:11:12 host app[4711]: failed", "Feb  3 11:11:12 host app[815]: failed"),
        ("real 0m1.204s", "real 0m3.871s"),
        ("took 3 minutes", "took 4 minutes"),
        ("took 120 ms", "took 7 ms"),
        ("pid 4711 died", "pid 4712 died"),
        ("PID: 4711 died", "PID: 99 died"),
        ("process 12 died", "process 13 died"),
        ("<object at 0x7f3a5c001b20>", "<object at 0x7f3a5c009f00>"),
        ("wrote /tmp/tmpabc/out.txt", "wrote /tmp/tmpxyz/out.txt"),
        ("/var/folders/ab/cd/T/x1/out", "/var/folders/ab/ce/T/x2/out"),
        ("/tmp/pytest-of-me/pytest-3/test_a0", "/tmp/pytest-of-me/pytest-4/test_a0"),
        ("at 1767350000", "at 1767350999"),
        (
            "request 6f1c2d3e-0000-4000-8000-1234567890ab",
            "request 11112222-0000-4000-8000-1234567890ab",
        ),
    ],
)
def test_two_runs_of_the_same_thing_have_the_same_digest(one: str, other: str) -> None:
    assert digest_result(one, {}) == digest_result(other, {})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("41 %", "42 %"),
        ("41% done", "42% done"),
        ("step 3/10", "step 4/10"),
        ("3 of 10 tests", "4 of 10 tests"),
        ("17 passed", "18 passed"),
        ("1 failed in 0.1s", "2 failed in 0.1s"),
        ("line 10", "line 11"),
        ("a.py:10:5", "a.py:11:5"),
        ("version 1.2.3", "version 1.2.4"),
        ("x = 0x10", "x = 0x11"),
        ("5 steps left", "4 steps left"),
        ("12 megabytes", "13 megabytes"),
        ("/tmp/work/a.py", "/tmp/work/b.py"),
        ("job[12]: ok", "job[13]: ok"),
    ],
)
def test_a_number_that_may_be_progress_is_news(one: str, other: str) -> None:
    assert digest_result(one, {}) != digest_result(other, {})


def test_a_short_result_is_compared_without_its_echo_of_the_arguments() -> None:
    one = digest_result("$ : commit now 1\n(no output)", {"command": ": commit now 1"})
    assert one == digest_result("$ : commit now 2\n(no output)", {"command": ": commit now 2"})


def test_an_argument_of_two_letters_is_no_echo() -> None:
    assert digest_result("x1: done", {"name": "x1"}) != digest_result("x2: done", {"name": "x2"})
    assert digest_result("x01: done", {"n": "x01"}) == digest_result("x02: done", {"n": "x02"})


def test_a_long_result_keeps_what_it_says_about_its_arguments() -> None:
    hits = "".join(f"src/a.py:{i}: value = {{}}({i})\n" for i in range(20))
    one = digest_result(hits.format(*["load"] * 20), {"pattern": "load"})
    assert one != digest_result(hits.format(*["save"] * 20), {"pattern": "save"})


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ('echo "All is done, attempt 7"', "Exit code 0.\nAll is done, attempt 7"),
        ("printf '%s' 'I have finished'", "Exit code 0.\nI have finished"),
        ("python -c \"print('Done', 'at last')\"", "Exit code 0.\nDone at last"),
    ],
)
def test_what_the_call_has_said_itself_is_no_news(command: str, output: str) -> None:
    nothing = news_of("Exit code 0.", {"command": "true"})[1]
    assert news_of(output, {"command": command})[1] == nothing


def test_a_short_answer_may_stand_in_the_command_by_chance() -> None:
    seven = news_of("7", {"command": "sh count.sh 17"})[1]
    assert seven != news_of("8", {"command": "sh count.sh 17"})[1]
    assert seven == news_of("7", {"command": "sh count.sh"})[1]
    assert seven


def test_a_short_result_has_up_to_240_characters() -> None:
    one, other = ({"path": f"{name}.py"} for name in ("one", "two"))
    for length, is_same in ((240, True), (241, False)):
        results = [each["path"].ljust(length, ".") for each in (one, other)]
        assert (digest_result(results[0], one) == digest_result(results[1], other)) is is_same


def test_an_echo_of_four_letters_is_one() -> None:
    four, three = ({"command": f"echo {word}"} for word in ("done", "all"))
    assert news_of("done", four)[1] == frozenset()
    assert len(news_of("all", three)[1]) == 1


def test_an_echo_is_known_in_a_result_of_up_to_2000_characters() -> None:
    def brought(length: int) -> frozenset[int]:
        said = "All is done at last".ljust(length, "\n")
        return news_of(said, {"command": "echo 'All is done at last'"})[1]

    assert brought(2_000) == frozenset()
    assert len(brought(2_001)) == 2


def test_a_digest_is_short() -> None:
    assert len(digest_call("a", {})) == len(digest_result("a", {})) == 16


def test_lines_that_were_seen_are_no_news_in_another_order() -> None:
    assert news_of("b\na", {}) == news_of("a\nb", {})


def test_the_middle_of_a_huge_result_counts_as_it_is() -> None:
    huge = "x" * 20_000
    assert mask(huge + " 10:11:12 " + huge) == huge + " 10:11:12 " + huge
    assert mask("10:11:12 " + huge) == "<clock> " + huge


def test_of_a_huge_result_the_first_and_the_last_8192_characters_are_masked() -> None:
    masked, kept = "x" * 8_100, "x" * 8_200
    middle = "y" * 20_000
    clock = " 10:11:12 "
    assert mask(masked + clock + middle) == f"{masked} <clock> {middle}"
    assert mask(kept + clock + middle) == kept + clock + middle
    assert mask(middle + clock + masked) == f"{middle} <clock> {masked}"
    assert mask(middle + clock + kept) == middle + clock + kept


def test_a_call_is_known_by_its_name_and_its_arguments_in_any_order() -> None:
    assert digest_call("a", {"x": 1, "y": [2]}) == digest_call("a", {"y": [2], "x": 1})
    assert digest_call("a", {"x": 1}) != digest_call("b", {"x": 1})
    assert digest_call("a", {"x": 1}) != digest_call("a", {"x": "1"})


def test_half_a_surrogate_pair_has_a_digest_too() -> None:
    assert digest_result("\udce9", {"path": "\ud800"})
    assert digest_call("read_file", {"path": "\ud800"})
