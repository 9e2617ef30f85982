"""Chants: what is one, what only looks like one, in each channel."""

from __future__ import annotations

import base64
import random

import pytest

from holdfast.guards import repetition
from holdfast.guards.repetition import Channel, Repetition, RepetitionWatch


def hear(text: str, channel: Channel = "text", piece: int = 4) -> tuple[int, Repetition] | None:
    """Return where the repetition was noticed, and the repeated text."""
    listener = RepetitionWatch()
    for start in range(0, len(text), piece):
        found = listener.feed(channel, text[start : start + piece])
        if found:
            return start + piece, found
    return None


KILL = "Let me kill PID 13805:\n\nI'll kill the stale process now.\n\n"
PARAGRAPH = "".join(
    f"The {word} of it is what I have to look at now, before I go on. "
    for word in ("start", "end", "top")
)

CHANTS = {
    "syllables": "FEPAPAASS" * 80,
    "fences": "```json\n" * 80,
    "fences on one line": "```json" * 80,
    "two sentences": "I will not output any text.\n I will just end the turn.\n" * 12,
    "a process that is to be killed": KILL * 10,
    "one character": "!" * 500,
    "a long period": PARAGRAPH * 4,
    "a period of 600": "".join(random.Random(1).choices("abcdef ghij", k=599)) + "\n",
    "chinese": "接下来读取文件：" * 60,
}
CHANTS["a period of 600"] *= 4


@pytest.mark.parametrize("text", CHANTS.values(), ids=CHANTS.keys())
@pytest.mark.parametrize("channel", ["text", "reasoning"])
def test_a_repetition_is_noticed(text: str, channel: Channel) -> None:
    found = hear("First I say something sensible.\n\n" + text, channel)
    assert found is not None
    assert found[1].channel == channel


def test_a_repetition_is_noticed_soon() -> None:
    found = hear("FEPAPAASS" * 400)
    assert found is not None
    assert found[0] <= 240 + 64


def test_the_sample_is_what_is_repeated() -> None:
    found = hear(KILL * 10)
    assert found is not None
    assert found[1] == Repetition("text", KILL.strip())


def test_the_sample_has_up_to_80_characters() -> None:
    unit = "".join(f"{number} " for number in range(100, 150))
    found = hear(f"{unit.strip()}\n" * 4)
    assert found is not None
    assert found[1] == Repetition("text", unit[:80])


def test_words_in_ever_new_order_are_a_repetition_too() -> None:
    chance = random.Random(7)
    nouns, verbs = ("file", "test", "log", "tree"), ("read", "run", "open", "check")
    sentences = [
        f"We should look at the {noun} and then {verb} it again to be sure."
        for noun in nouns
        for verb in verbs
    ]
    found = hear(" ".join(chance.choice(sentences) for _ in range(600)))
    assert found is not None
    assert found[0] < 20_000


ROWS = "".join(f"| {number} | ok | 0.0 | 0.0 | none |\n" for number in range(150))
LISTING = "".join(f"def f{i}(value: int) -> int:\n    return value + {i}\n\n\n" for i in range(200))
NO_CHANTS = {
    "a code listing": LISTING,
    "a fenced code listing": f"```python\n{LISTING}```\n",
    "a table": ROWS,
    "a table with equal rows": "| ok | 0 | 0 |\n" * 40,
    "base64": base64.b64encode(random.Random(3).randbytes(9_000)).decode(),
    "a list with counters": "".join(
        f"{i}. Check that file number {i} is there and can be read\n" for i in range(200)
    ),
    "a rule": "-" * 300 + "\n",
    "a heading underlined": ("=" * 400 + "\n") * 2,
    "an array of zeros": f"```json\n[{'0, ' * 784}0]\n```\n",
    "a matrix": "```\n" + ("[0, 0, 0, 0, 0, 0, 0, 0],\n" * 60) + "```\n",
    "fenced cases": "```c\n" + "        case 0: return 0; break;\n" * 40 + "```\n",
    "five times the same line": "The same line, once more.\n" * 5,
    "two equal paragraphs": PARAGRAPH * 2,
    "two equal paragraphs behind a table": ROWS
    + " ".join(f"Word {number} is new." for number in range(25)) * 2,
    "a drawn table": "║     ║     ║\n╠═════╬═════╣\n" * 30,
    "blank lines": "\n" * 400,
    "words": " ".join(random.Random(5).choices([f"word{i}" for i in range(400)], k=4_000)),
}


@pytest.mark.parametrize("text", NO_CHANTS.values(), ids=NO_CHANTS.keys())
def test_what_only_looks_like_a_repetition_is_none(text: str) -> None:
    assert hear(text) is None


@pytest.mark.parametrize(("length", "few", "enough"), [(100, 5, 7), (150, 5, 7), (160, 2, 4)])
def test_a_short_period_is_repeated_six_times_and_a_long_one_three_times(
    length: int, few: int, enough: int
) -> None:
    unit = " ".join(f"word{number}" for number in range(40))[: length - 1] + "\n"
    assert hear(unit * few + "and so on, and then it ends here. " * 2) is None
    assert hear(unit * enough + "x" * 64) is not None


def test_inside_a_fence_it_takes_more() -> None:
    lines = "    total += 1;  // again\n"
    assert hear(lines * 30) is not None
    assert hear("```c\n" + lines * 30) is None
    assert hear("```c\n" + lines * 200) is not None


@pytest.mark.parametrize(
    ("channel", "fence", "windows"), [("text", "", 3), ("text", "```\n", 5), ("arguments", "", 9)]
)
def test_words_in_ever_new_order_are_allowed_for_longer_in_a_fence_and_in_an_argument(
    channel: Channel, fence: str, windows: int
) -> None:
    """A window is 63 strides of 64 characters; in the first one the words are new."""
    chance = random.Random(11)
    words = "".join(f"{chance.choice(['left', 'right'])} " for _ in range(8_000))
    found = hear(fence + words, channel, piece=64)
    assert found is not None
    assert found[0] == windows * 63 * 64


def test_a_repetition_whose_fence_is_cut_by_its_period_is_not_code() -> None:
    # 32 characters, of which two periods are a stride: each period looked at begins inside of a fence.
    unit = "``\nAgain and again, the same..\n`"
    assert len(unit) == 32
    for opened in ("", "```\n" + "x" * 59 + "\n"):
        found = hear(opened + unit * 20)
        assert found is not None
        assert found[0] <= 400


def test_a_fence_may_be_indented_and_its_line_may_be_cut() -> None:
    code = "    total += 1;  // again\n" * 30
    for before in ("", "x" * 61 + "\n", "x" * 50 + "\n" + " " * 12):
        assert hear(f"{before}~~~c\n{code}") is None
        assert hear(f"{before}``\n{code}") is not None


def test_after_the_fence_it_takes_as_much_as_before() -> None:
    assert hear("```c\nint x;\n```\n" + "I am done. " * 40) is not None


def test_arguments_are_code() -> None:
    opening = '{"path": "a.txt", "content": "'
    assert hear(opening + "0, " * 784, "arguments") is None
    assert hear(opening + "FEPAPAASS" * 400, "arguments") is None


ROW = '<tr><td class="cell">&nbsp;</td><td class="cell">&nbsp;</td></tr>\\n'


@pytest.mark.parametrize(
    "content",
    [
        ("    [" + '"empty", ' * 19 + '"empty"],\\n') * 20,
        'INSERT INTO t VALUES (1, "x", NULL);\\n' * 300,
        ROW * 200,
    ],
)
def test_a_file_may_repeat_itself(content: str) -> None:
    assert hear('{"path": "a.txt", "content": "' + content, "arguments") is None


def test_an_argument_that_repeats_itself_without_end_is_noticed() -> None:
    found = hear('{"path": "a.txt", "content": "' + ROW * 2_000, "arguments", piece=64)
    assert found is not None
    assert found[0] == 33_984


def test_an_endless_word_in_an_argument_is_noticed_too() -> None:
    found = hear('{"text": "' + "FEPAPAASS" * 6_000, "arguments", piece=64)
    assert found is not None
    assert found[0] == 33_984


def test_channels_are_heard_apart() -> None:
    listener = RepetitionWatch()
    for _ in range(5):
        assert listener.feed("text", "I will just end the turn.\n") is None
        assert listener.feed("reasoning", "I will just end the turn.\n") is None
        assert listener.feed("arguments", "I will just end the turn.\n") is None


def test_where_the_pieces_are_cut_makes_no_difference() -> None:
    text = "Something first. " + KILL * 10
    found = [hear(text, piece=piece) for piece in (1, 3, 64, 1_000)]
    assert len({chant for _, chant in filter(None, found)}) == 1
    assert all(found)


def test_a_word_without_end_takes_linear_time_and_bounded_memory() -> None:
    watch = repetition._ChannelWatch(in_arguments=False)
    assert watch.feed(base64.b64encode(random.Random(3).randbytes(60_000)).decode()) is None
    assert len(watch._tail) < 16_000
    assert len(watch._novelty._half) < 400


@pytest.mark.parametrize(
    ("period", "noticed"), [(149, 896), (150, 960), (151, 512), (600, 1856), (601, None)]
)
def test_six_short_periods_or_three_of_more_than_150_characters_are_a_repetition(
    period: int, noticed: int | None
) -> None:
    """It is noticed at the next multiple of 64 characters."""
    unit = "".join(random.Random(period).choices("abcdefghij klmn", k=period - 1)) + "\n"
    found = hear(unit * 20, piece=8)
    assert (found[0] if found else None) == noticed
