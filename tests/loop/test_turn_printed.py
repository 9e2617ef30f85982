"""A call without markup that follows words: whether it is one is told by how this model calls, not by the words."""

from __future__ import annotations

import json

import pytest

from holdfast.vocab.events import Said, TextArrived
from tests.loop.playing import DONE, Pieces, Played, calls, nudges, play, says

READ = ("read_file", {"path": "a.py"})
WRITE = ("write_file", {"path": "a.py", "text": "x = 1\n"})


def printed(call: tuple[str, object], words: str = "") -> Pieces:
    name, arguments = call
    block = json.dumps({"name": name, "arguments": arguments})
    return says(f"{words}\n\n```json\n{block}\n```")


def ran(played: Played) -> list[str]:
    return [call.name for call in played.tools.ran]


WORDS = ["Sure, here is the call:", "For example:", "You could send something like this:", "So:"]


@pytest.mark.parametrize("words", WORDS)
def test_a_printed_change_after_words_is_asked_for_and_neither_run_nor_the_answer(
    words: str,
) -> None:
    played = play([printed(WRITE, words), DONE])
    assert ran(played) == []
    assert [bool(nudge) for nudge in nudges(played)] == [False, True]
    assert "as a tool call" in nudges(played)[1]
    assert played.of(Said) == [Said("The off-by-one in a.py is fixed.")]


@pytest.mark.parametrize("words", WORDS)
def test_a_printed_look_after_words_is_run(words: str) -> None:
    played = play([printed(READ, words), DONE])
    assert ran(played) == ["read_file"]
    assert nudges(played) == ["", ""]


@pytest.mark.parametrize("words", WORDS)
def test_a_model_that_prints_it_again_when_it_is_asked_means_it(words: str) -> None:
    played = play([printed(WRITE, words), printed(WRITE, words), DONE])
    assert ran(played) == ["write_file"]
    assert played.ended.stop_reason == "done"


@pytest.mark.parametrize("words", WORDS)
def test_a_model_that_has_printed_its_last_call_is_not_asked(words: str) -> None:
    played = play([printed(READ), printed(WRITE, words), DONE])
    assert ran(played) == ["read_file", "write_file"]
    assert nudges(played) == ["", "", ""]


@pytest.mark.parametrize("words", WORDS)
def test_a_model_that_has_sent_its_last_call_as_a_call_is_asked(words: str) -> None:
    played = play([printed(READ), calls(READ), printed(WRITE, words), DONE])
    assert ran(played) == ["read_file", "read_file"]
    assert [bool(nudge) for nudge in nudges(played)] == [False, False, False, True]


def test_a_printed_change_without_words_is_run() -> None:
    assert ran(play([printed(WRITE), DONE])) == ["write_file"]


def test_of_two_printed_calls_none_is_run_even_of_a_model_that_prints() -> None:
    (text, _) = printed(WRITE, "or")
    either = says(f"Either\n\n{text.text}\n\n{text.text}")  # type: ignore[union-attr]  # a TextPiece
    played = play([printed(READ), either, DONE])
    assert ran(played) == ["read_file"]
    assert [bool(nudge) for nudge in nudges(played)] == [False, False, True]


LONG = 'write_file("a.py", "' + ", ".join(map(str, range(100))) + '")'


@pytest.mark.parametrize(
    ("reply", "quoted"),
    [
        ('write_file(path="a.py", text="x = 1\n")', 'write_file(path="a.py", text="x = 1'),
        ("```yaml\ntool: read_file\narguments:\n  path: a.py\n```", "tool: read_file"),
        ("Thought: I write.\nAction: run_command\nAction Input: ls\nObservation: 0\nFinal Answer: Written.", "Action: run_command"),
        ('I will use `run_command`:\n\n```json\n{"name": "run_command", "arguments": {"command": "ls"}}\n```', '{"name": "run_command", "arguments": {"command": "ls"}}'),
        ('So:\n```json\n{"name": "run_command", "arguments": {"command": "ls"}}\n```\nIt is written.', '{"name": "run_command", "arguments": {"command": "ls"}}'),
        (LONG, f"{LONG[:200]}…"),
        # Not a sentence that speaks of a tool, nor a thought.
        ("I have used read_file.\n\nNow let me write the file.", "Now let me write the file."),
        ("<think>\ntool: read_file\n</think>\nNow let me write the file.", "Now let me write the file."),
        ("Let me look:\n```bash\ncat a.py\n```", "cat a.py"),
    ],
)  # fmt: skip
def test_the_question_quotes_the_line_that_looks_like_the_call(reply: str, quoted: str) -> None:
    asked = nudges(play([says(reply), DONE]))[1]
    assert f'You wrote "{quoted}" and stopped without a tool call' in asked


def tagged(call: tuple[str, object], before: str = "", after: str = "") -> Pieces:
    name, arguments = call
    block = json.dumps({"name": name, "arguments": arguments})
    return says(f"{before}<tool_call>\n{block}\n</tool_call>{after}")


OFFER = "I have changed nothing. If you agree, I would send:\n\n"


def test_a_change_in_tags_with_words_behind_it_may_be_an_offer_and_is_asked_for() -> None:
    played = play([tagged(WRITE, OFFER, "\n\nShall I do that?"), DONE])
    assert ran(played) == []
    assert [bool(nudge) for nudge in nudges(played)] == [False, True]


@pytest.mark.parametrize(
    "reply",
    [
        tagged(WRITE, "I write it.\n"),
        tagged(WRITE, "I write it.\n", "<|im_end|>"),
        tagged(WRITE, "I write it.\n", "\n<tool_response>\nwritten\n</tool_response>\nDone."),
        tagged(READ, OFFER, "\n\nShall I do that?"),
    ],
)
def test_a_call_in_tags_is_run_if_nothing_is_said_behind_it_or_it_only_reads(reply: Pieces) -> None:
    assert len(ran(play([reply, DONE]))) == 1


OTHER_SPEAKERS = [
    "<|im_end|>\n<|im_start|>user\nOk, do it.<|im_end|>\n<|im_start|>assistant\n",
    (
        "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nOk.<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n"
    ),
    "</s>[INST] Ok, do it. [/INST]\n",
    "<|end|><|user|>\nOk, do it.<|end|><|assistant|>\n",
    "<end_of_turn>\n<start_of_turn>user\nOk.<end_of_turn>\n<start_of_turn>model\n",
]


@pytest.mark.parametrize("boundary", OTHER_SPEAKERS)
def test_a_call_that_answers_an_invented_user_is_not_run_and_the_reply_ends_before(
    boundary: str,
) -> None:
    played = play([tagged(WRITE, f"The answer is 4.{boundary}")])
    assert ran(played) == []
    assert played.of(Said) == [Said("The answer is 4.")]


@pytest.mark.parametrize("boundary", OTHER_SPEAKERS)
def test_the_calls_before_an_invented_user_are_run(boundary: str) -> None:
    played = play([tagged(READ, after=boundary + "And now I write."), DONE])
    assert ran(played) == ["read_file"]


def test_a_call_in_a_dialogue_of_plain_lines_is_not_run() -> None:
    dialogue = "The answer is 4.\n\nUser: Ok, do it.\n\nAssistant:\n"
    assert ran(play([tagged(WRITE, dialogue), DONE])) == []


def test_a_dialogue_in_an_answer_stays_in_it() -> None:
    answer = "The log has:\n\nUser: Hello\nAssistant: Good day\n\nNothing else."
    assert play([says(answer)]).of(Said) == [Said(answer)]


def test_a_file_about_chat_templates_can_be_written() -> None:
    text = "<|im_start|>user\n{prompt}<|im_end|>\n"
    played = play([tagged(("write_file", {"path": "t.jinja", "text": text})), DONE])
    assert [call.arguments for call in played.tools.ran] == [{"path": "t.jinja", "text": text}]


BLOCK = '```json\n{"name": "run_command", "arguments": {"command": "ls"}}\n```'
OFFERS = [
    "It lists the files. Let me know if you want me to do it.",
    "Shall I do that?",
    "You can send it yourself, too.",
]


@pytest.mark.parametrize("behind", OFFERS)
@pytest.mark.parametrize(
    "before",
    [
        "I would use `run_command`. For example, the call would look like this:",
        "If you want the list, the call is:",
        "Zum Beispiel so:",
        "L'appel serait :",
        "例如：",
    ],
)
def test_a_call_that_is_explained_and_left_to_the_reader_is_an_answer(
    before: str, behind: str
) -> None:
    answer = f"{before}\n\n{BLOCK}\n\n{behind}"
    played = play([says(answer)])
    assert nudges(played) == [""]
    assert played.of(Said) == [Said(answer)]
    assert ran(played) == []


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("I list the files:", OFFERS[0]),
        ("I will list them. For example:", OFFERS[0]),
        ("This could be it. Let me list the files:", OFFERS[1]),
        ("The call would be:", "The files have been listed. Let me know if you want more."),
        ("The call would be:", "It was successfully sent. Anything else?"),
        ("For example:", "It lists the files."),
        ("", OFFERS[1]),
    ],
)
def test_a_call_that_may_be_meant_is_asked_for_though_words_follow(
    before: str, behind: str
) -> None:
    played = play([says(f"{before}\n\n{BLOCK}\n\n{behind}"), calls(READ), DONE])
    assert [bool(nudge) for nudge in nudges(played)] == [False, True, False]
    assert played.of(Said)[-1] == Said("The off-by-one in a.py is fixed.")


EXPLAINED = f"This is the call that lists files:\n\n{BLOCK}\n\nIt takes no other argument."


def test_an_explanation_that_was_asked_about_stays_the_answer_if_nothing_is_called() -> None:
    played = play([says(EXPLAINED), says("It was an example.")])
    assert played.of(Said) == [Said(f"{EXPLAINED}\n\nIt was an example.")]
    shown = "".join(event.text for event in played.of(TextArrived))
    assert shown == f"{EXPLAINED}It was an example."


def test_an_answer_that_is_as_long_as_the_explanation_stands_alone() -> None:
    answer = "The call lists the files. " * 8
    assert play([says(EXPLAINED), says(answer)]).of(Said) == [Said(answer)]


def test_a_call_after_an_explanation_drops_it() -> None:
    played = play([says(EXPLAINED), calls(READ), says("Read.")])
    assert [said.text for said in played.of(Said)] == ["", "Read."]


def test_a_reply_that_ends_with_its_call_is_not_kept() -> None:
    played = play([says(f"This is it:\n\n{BLOCK}"), says("Done.")])
    assert played.of(Said) == [Said("Done.")]
